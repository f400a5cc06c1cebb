// SPDX-License-Identifier: Apache-2.0
#include "core/data/dataset.h"
#include "core/spec/text/parsed_experiment.h"
#include "core/train/loop/training_setup.h"
#include "core/train/preparation/dataset_loader.h"
#include "kernels/device/thread_pool.h"
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QFileInfo>
#include <QHash>
#include <QJsonArray>
#include <QJsonObject>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace cannery;
using namespace cannery::tests;

namespace {

constexpr int kPreviewRows = 100;
constexpr float kTolerance = 1e-6F;

/// Every way to make ids and numbers, from the rows of one table.
constexpr char kPreviewColumns[] = R"(name: "columns"
data {
  train { csv { files: "towns.csv" } }
  split { fraction { eval_fraction: 0.3 seed: 5 } }
  label { column: "label" }
}
feature_column { name: "x" numeric_column { key: "x" normalizer { min_max {} } } }
feature_column { name: "y" numeric_column { key: "y" normalizer { z_score {} } } }
feature_column { name: "y_raw" numeric_column { key: "y" } }
feature_column { name: "y_buckets" bucketized_column { source_column: "y_raw" boundaries: [2, 4, 8] } }
feature_column { name: "colour" categorical_column_with_vocabulary_list { key: "colour" vocabulary_list: ["red", "green"] num_oov_buckets: 2 } }
feature_column { name: "hashed" categorical_column_with_hash_bucket { key: "town" hash_bucket_size: 7 } }
feature_column { name: "colour_hashed" categorical_column_with_hash_bucket { key: "colour" hash_bucket_size: 5 } }
feature_column { name: "colour_embedding" embedding_column { categorical_column: "colour_hashed" dimension: 2 } }
feature_column { name: "weighted" weighted_categorical_column { categorical_column: "colour" weight_feature_key: "y" } }
feature_column { name: "number" categorical_column_with_identity { key: "id" num_buckets: 200 } }
feature_column { name: "crossed" crossed_column { key { feature: "colour" } key { column: "y_buckets" } hash_bucket_size: 11 } }
feature_column { name: "hashed_embedding" embedding_column { categorical_column: "hashed" dimension: 2 } }
feature_column { name: "number_embedding" embedding_column { categorical_column: "number" dimension: 3 } }
feature_column { name: "colour_indicator" indicator_column { categorical_column: "colour" } }
estimator {
  dnn_linear_combined_classifier {
    linear_feature_columns: ["y_buckets", "weighted", "crossed"]
    dnn_feature_columns: ["x", "y", "hashed_embedding", "number_embedding", "colour_indicator", "colour_embedding"]
    dnn_hidden_units: [4]
  }
}
train_spec { max_steps: 1 input { batch_size: 100 } }
run_config { tf_random_seed: 3 }
)";

/// The fixture's table with one more column.
QByteArray townTable(const QByteArray& table)
{
    QByteArray text;
    int row = 0;
    for (const QByteArray& line : table.trimmed().split('\n')) {
        text += line + (row == 0 ? ",town" : ",town " + QByteArray::number(row % 9)) + '\n';
        ++row;
    }
    return text;
}

/// What training reads before its first step, and a batch of it.
Result<void> takeBatch(const QString& file, std::span<const std::int64_t> rows,
                       features::InputLayout& layout, features::EncodedRows& batch)
{
    QFile text(file);
    if (!text.open(QIODevice::ReadOnly)) {
        qFatal("cannot read %s", qPrintable(file));
    }
    const spec::Experiment written = spec::parseExperiment(text.readAll().toStdString()).experiment;
    const std::string folder = QFileInfo(file).path().toStdString();
    CANNERY_TRY_ASSIGN(const data::Dataset dataset,
                       data::Dataset::open(written.data(), folder, data::DataPart::Train));
    CANNERY_TRY_ASSIGN(const spec::Experiment resolved,
                       train::resolveWithStatistics(written, dataset));
    kernels::ThreadPool pool(2);
    CANNERY_TRY_ASSIGN(
        const train::TrainingSetup setup,
        train::setUpTraining(
            {.experiment = resolved, .folder = folder, .trainData = dataset, .pool = pool}));
    layout = setup.encoder.layout();
    return setup.trainRows.gather(rows, batch);
}

/// The numbers of a row that a batch has for a slot; ids are followed by their weights.
std::vector<float> taken(const features::EncodedRows& batch, const features::InputSlot& slot,
                         std::size_t row)
{
    const auto block = static_cast<std::size_t>(slot.block);
    if (slot.kind == features::SlotKind::Dense) {
        const auto begin = batch.dense[block].values.begin() + std::ptrdiff_t(row) * slot.width;
        return {begin, begin + slot.width};
    }
    const features::IdBlock& ids = batch.ids[block];
    std::vector<float> numbers;
    for (auto i = std::size_t(ids.rowOffsets[row]); i < std::size_t(ids.rowOffsets[row + 1]); ++i) {
        numbers.push_back(float(ids.ids[i]));
        if (!ids.weights.empty()) {
            numbers.push_back(ids.weights[i]);
        }
    }
    return numbers;
}

/// The same of a row of `cannery preview --json`.
std::vector<float> shown(const QJsonArray& values)
{
    std::vector<float> numbers;
    for (const QJsonValue& value : values) {
        if (value.isObject()) {
            numbers.push_back(float(value.toObject()["id"].toDouble(NAN)));
            numbers.push_back(float(value.toObject()["weight"].toDouble(NAN)));
        } else {
            numbers.push_back(float(value.toDouble(NAN)));
        }
    }
    return numbers;
}

bool areAlike(const std::vector<float>& one, const std::vector<float>& other)
{
    return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                      [](float a, float b) { return std::abs(a - b) <= kTolerance; });
}

} // namespace

/// The preview shows the encoded rows that a model is trained on.
class TstPreviewRows : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void areTheBatchThatTrainingTakes_data();
    void areTheBatchThatTrainingTakes();
};

void TstPreviewRows::areTheBatchThatTrainingTakes_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<int>("inputs");
    QTest::newRow("titanic") << "example/titanic.cannery" << 12;
    QTest::newRow("every kind") << "columns.cannery" << 9;
}

void TstPreviewRows::areTheBatchThatTrainingTakes()
{
    QFETCH(const QString, file);
    QFETCH(const int, inputs);
    const ProjectFixture project;
    copyExample("titanic", project.path("example"));
    project.write("columns.cannery", kPreviewColumns);
    project.write("towns.csv", townTable(project.read("table.csv")));
    const ProgramResult preview =
        project.run({"preview", file, "--json", "--rows", QString::number(kPreviewRows)});
    QVERIFY2(preview.exitCode == 0, qPrintable(preview.err));
    const QJsonArray rows = json(preview)["rows"].toArray();
    QHash<QString, QString> names;
    for (const QJsonValue& input : json(preview)["inputs"].toArray()) {
        names.insert(input["column"].toString(), input["name"].toString());
    }
    QCOMPARE(rows.size(), kPreviewRows);
    // The rows of a batch have no order.
    std::vector<std::int64_t> order(kPreviewRows);
    std::iota(order.rbegin(), order.rend(), 0);
    features::InputLayout layout;
    features::EncodedRows batch;
    VERIFY_OK(takeBatch(project.path(file), order, layout, batch));
    QCOMPARE(batch.rowCount, kPreviewRows);
    QCOMPARE(int(layout.slots.size()), inputs);
    for (std::size_t i = 0; i < order.size(); ++i) {
        const QJsonObject row = rows[qsizetype(order[i])].toObject();
        for (const features::InputSlot& slot : layout.slots) {
            const std::vector<float> trained = taken(batch, slot, i);
            QVERIFY(!trained.empty());
            const QString column = QString::fromStdString(slot.column);
            QVERIFY2(areAlike(shown(row[names[column]].toArray()), trained),
                     qPrintable(QString("row %1, %2").arg(order[i]).arg(column)));
        }
        QVERIFY(areAlike(shown(row["label"].toArray()), {batch.labels[i]}));
    }
}

CANNERY_TEST(TstPreviewRows)
#include "tst_preview_rows.moc"
