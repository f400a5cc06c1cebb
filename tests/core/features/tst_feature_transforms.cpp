// SPDX-License-Identifier: Apache-2.0
#include "core/features/column_builder.h"
#include "core/features/feature_column_catalog.h"
#include "core/features/hash_bucket_column.h"
#include "core/spec/tensorflow_names.h"
#include "tests/core/features/transform_case.h"
#include "tests/golden/tables/golden_table.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <numeric>

using namespace cannery;
using namespace cannery::features;

/// Every row of TensorFlow's own transforms.
class TstFeatureTransforms : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void transformsAsTensorFlow_data();
    void transformsAsTensorFlow();
    void hashesAsTensorFlow();

private:
    Result<std::vector<ColumnPointer>> makeColumns(const QJsonObject& column,
                                                   spec::Experiment& experiment);
    void compareIds(const FeatureColumn& column, const RawRows& rows, const QJsonObject& output);
    void compareSteps(const FeatureColumn& column, const QJsonObject& description,
                      const RawRows& rows, const QJsonObject& output);
    void compareDense(const std::vector<ColumnPointer>& columns, const QJsonObject& column,
                      const RawRows& rows, const QJsonObject& output);

    QJsonObject m_table;
    QTemporaryDir m_folder;
    std::unique_ptr<ColumnBuilder> m_builder;
};

namespace {

/// The rows of a table, or its rows × 1 identity for an indicator.
struct Table
{
    std::int64_t width = 0;
    std::vector<float> rows;
    bool isIndicator = false;
    QString combiner = "mean";
    double maxNorm = 0;
};

Table tableOf(const QJsonObject& column, std::int64_t buckets)
{
    Table table;
    if (!column.contains("dimension")) {
        table.isIndicator = true;
        table.width = buckets;
        table.rows.assign(static_cast<std::size_t>(buckets * buckets), 0);
        for (std::int64_t i = 0; i < buckets; ++i) {
            table.rows[static_cast<std::size_t>(i * buckets + i)] = 1;
        }
        table.combiner = "sum";
        return table;
    }
    table.width = column["dimension"].toInteger();
    table.rows = tests::numbersOf(column["initializer"].toObject()["constant"]);
    table.combiner = column["combiner"].toString("mean");
    table.maxNorm = column["max_norm"].toDouble(0);
    return table;
}

/// The result of a lookup for the ids of one row: the reference for indicator and embedding.
std::vector<float> combine(const Table& table, const IdRows& ids, std::size_t row)
{
    const auto width = static_cast<std::size_t>(table.width);
    std::vector<float> sum(width, 0);
    double weights = 0;
    double squares = 0;
    for (auto i = static_cast<std::size_t>(ids.rowOffsets[row]);
         i < static_cast<std::size_t>(ids.rowOffsets[row + 1]); ++i) {
        const float weight = ids.weights.empty() ? 1 : ids.weights[i];
        if (ids.ids[i] < 0 || (table.combiner != "sum" && weight <= 0)) {
            continue;
        }
        const float* entry = table.rows.data() + static_cast<std::size_t>(ids.ids[i]) * width;
        double norm = 0;
        for (std::size_t k = 0; k < width; ++k) {
            norm += static_cast<double>(entry[k]) * entry[k];
        }
        norm = std::sqrt(norm);
        const double scale = table.maxNorm > 0 && norm > table.maxNorm ? table.maxNorm / norm : 1;
        for (std::size_t k = 0; k < width; ++k) {
            sum[k] += static_cast<float>(weight * scale * entry[k]);
        }
        weights += weight;
        squares += weight * weight;
    }
    const double divisor = table.combiner == "sum"    ? 1
                           : table.combiner == "mean" ? weights
                                                      : std::sqrt(squares);
    for (float& value : sum) {
        value = divisor == 0 ? 0 : static_cast<float>(value / divisor);
    }
    return sum;
}

/// The numbers of every step, looked up if they are ids.
struct Steps
{
    std::vector<std::int64_t> rowOffsets;
    std::vector<float> values;
};

Steps stepsOf(const FeatureColumn& column, const QJsonObject& description, const RawRows& rows)
{
    if (column.info().kind == SlotKind::Sequence) {
        SequenceBlock block;
        const auto encoded = column.encodeSteps(rows, block);
        return encoded ? Steps{block.rowOffsets, block.values} : Steps{};
    }
    IdRows ids;
    if (!column.encodeIds(rows, ids)) {
        return {};
    }
    Steps steps{ids.rowOffsets, {}};
    ids.rowOffsets.resize(ids.ids.size() + 1);
    std::iota(ids.rowOffsets.begin(), ids.rowOffsets.end(), 0);
    const Table table = tableOf(description, column.info().width);
    for (std::size_t step = 0; step < ids.ids.size(); ++step) {
        const std::vector<float> looked = combine(table, ids, step);
        steps.values.insert(steps.values.end(), looked.begin(), looked.end());
    }
    return steps;
}

/// As the encoder does: dense numbers or ids.
Result<void> encodedAsItsKind(const FeatureColumn& column, const RawRows& rows)
{
    DenseBlock block;
    IdRows ids;
    return column.info().kind == SlotKind::Dense ? column.encodeDense(rows, block)
                                                 : column.encodeIds(rows, ids);
}

} // namespace

void TstFeatureTransforms::initTestCase()
{
    m_table = tests::goldenTable("feature_transforms");
    const QJsonObject files = m_table["files"].toObject();
    for (auto file = files.begin(); file != files.end(); ++file) {
        QFile written(m_folder.filePath(file.key()));
        QVERIFY(written.open(QIODevice::WriteOnly));
        written.write(file.value().toString().toUtf8());
    }
}

Result<std::vector<ColumnPointer>> TstFeatureTransforms::makeColumns(const QJsonObject& column,
                                                                     spec::Experiment& experiment)
{
    const std::string handle = tests::addColumn(column, experiment);
    m_builder = std::make_unique<ColumnBuilder>(experiment, m_folder.path().toStdString());
    return m_builder->slotsOf(handle);
}

void TstFeatureTransforms::transformsAsTensorFlow_data()
{
    QTest::addColumn<QJsonObject>("row");
    const QJsonArray cases = m_table["cases"].toArray();
    for (int i = 0; i < cases.size(); ++i) {
        const QJsonObject row = cases[i].toObject();
        QTest::addRow("%d %s", i, qPrintable(row["column"].toObject()["type"].toString())) << row;
    }
}

void TstFeatureTransforms::transformsAsTensorFlow()
{
    QFETCH(QJsonObject, row);
    const QJsonObject column = row["column"].toObject();
    const QJsonObject output = row["output"].toObject();
    const data::FeatureBatch batch = tests::featureBatch(row["features"].toObject());
    const RawRows rows(batch);
    spec::Experiment experiment;
    const auto columns = makeColumns(column, experiment);
    if (output.contains("error")) {
        QVERIFY2(!columns || !encodedAsItsKind(*columns->front(), rows), "TensorFlow refuses this");
        return;
    }
    VERIFY_OK(columns);
    const auto names =
        spec::tensorflowNames(experiment, experiment.feature_column().rbegin()->name());
    VERIFY_OK(names);
    QJsonArray derived;
    for (const std::string& name : *names) {
        derived.append(QString::fromStdString(name));
    }
    QCOMPARE(derived, output["names"].toArray());
    if (output.contains("lengths")) {
        compareSteps(*columns->front(), column, rows, output);
    } else if (output.contains("ids")) {
        compareIds(*columns->front(), rows, output);
    } else {
        compareDense(*columns, column, rows, output);
    }
}

void TstFeatureTransforms::compareIds(const FeatureColumn& column, const RawRows& rows,
                                      const QJsonObject& output)
{
    IdRows ids;
    ids.recordCells = !column.info().weighted;
    VERIFY_OK(column.encodeIds(rows, ids));
    QCOMPARE(column.info().width, output["num_buckets"].toInteger());
    const QJsonObject expected = output["ids"].toObject();
    QJsonArray values;
    QJsonArray indices;
    for (std::size_t row = 0; row + 1 < ids.rowOffsets.size(); ++row) {
        for (std::int64_t i = ids.rowOffsets[row]; i < ids.rowOffsets[row + 1]; ++i) {
            const auto place = static_cast<std::size_t>(i);
            values.append(static_cast<qint64>(ids.ids[place]));
            indices.append(QJsonArray{
                static_cast<qint64>(row),
                static_cast<qint64>(ids.recordCells ? ids.cells[place] : i - ids.rowOffsets[row])});
        }
    }
    QCOMPARE(values, expected["values"].toArray());
    QCOMPARE(indices, expected["indices"].toArray());
    if (output.contains("weights")) {
        const auto weights = tests::numbersOf(output["weights"].toObject()["values"]);
        QCOMPARE(ids.weights, weights);
    }
}

void TstFeatureTransforms::compareSteps(const FeatureColumn& column, const QJsonObject& description,
                                        const RawRows& rows, const QJsonObject& output)
{
    const Steps steps = stepsOf(column, description, rows);
    QJsonArray lengths;
    std::size_t place = 0;
    for (std::size_t row = 0; row + 1 < steps.rowOffsets.size(); ++row) {
        const qint64 length = steps.rowOffsets[row + 1] - steps.rowOffsets[row];
        lengths.append(length);
        const QJsonArray expected = output["dense"][static_cast<qsizetype>(row)].toArray();
        for (qsizetype step = 0; step < length; ++step) {
            for (const QJsonValue value : expected[step].toArray()) {
                QVERIFY(place < steps.values.size());
                VERIFY_NEAR(steps.values[place], value.toDouble(), 1e-6, 1e-7);
                ++place;
            }
        }
    }
    QCOMPARE(lengths, output["lengths"].toArray());
    QCOMPARE(place, steps.values.size());
}

void TstFeatureTransforms::compareDense(const std::vector<ColumnPointer>& columns,
                                        const QJsonObject& column, const RawRows& rows,
                                        const QJsonObject& output)
{
    std::vector<float> actual;
    if (columns.front()->info().kind == SlotKind::Dense) {
        DenseBlock block;
        VERIFY_OK(columns.front()->encodeDense(rows, block));
        actual = block.values;
    } else {
        std::vector<IdRows> ids(columns.size());
        for (std::size_t i = 0; i < columns.size(); ++i) {
            VERIFY_OK(columns[i]->encodeIds(rows, ids[i]));
        }
        for (std::size_t row = 0; row < static_cast<std::size_t>(rows.count()); ++row) {
            for (std::size_t i = 0; i < columns.size(); ++i) {
                const auto part = combine(tableOf(column, columns[i]->info().width), ids[i], row);
                actual.insert(actual.end(), part.begin(), part.end());
            }
        }
    }
    const QJsonArray expected = output["dense"].toArray();
    std::size_t place = 0;
    for (const QJsonValue line : expected) {
        for (const QJsonValue value : line.toArray()) {
            QVERIFY(place < actual.size());
            if (value.isString()) {
                QVERIFY(std::isnan(actual[place]));
            } else {
                VERIFY_NEAR(actual[place], value.toDouble(), 1e-6, 1e-7);
            }
            ++place;
        }
    }
    QCOMPARE(place, actual.size());
}

void TstFeatureTransforms::hashesAsTensorFlow()
{
    int compared = 0;
    for (const QJsonValue row : m_table["fingerprints"].toArray()) {
        const std::string text = row["string"].toString().toStdString();
        const QJsonObject buckets = row["buckets"].toObject();
        for (auto bucket = buckets.begin(); bucket != buckets.end(); ++bucket) {
            QCOMPARE(hashBucket(text, bucket.key().toLongLong()), bucket.value().toInteger());
            ++compared;
        }
    }
    for (const QJsonValue row : m_table["integer_hashes"].toArray()) {
        const QJsonObject buckets = row["buckets"].toObject();
        for (auto bucket = buckets.begin(); bucket != buckets.end(); ++bucket) {
            QCOMPARE(hashBucket(row["int"].toInteger(), bucket.key().toLongLong()),
                     bucket.value().toInteger());
            ++compared;
        }
    }
    const qsizetype buckets = m_table["fingerprints"][0]["buckets"].toObject().size();
    const qsizetype values =
        m_table["fingerprints"].toArray().size() + m_table["integer_hashes"].toArray().size();
    QVERIFY(buckets > 0 && values > 0);
    QCOMPARE(compared, buckets * values);
}

CANNERY_TEST(TstFeatureTransforms)
#include "tst_feature_transforms.moc"
