// SPDX-License-Identifier: Apache-2.0
#include "core/survey/schema_remarks.h"
#include "storage/tf/example_codec.h"
#include "storage/tf/record_file.h"
#include "tests/core/data/text_file.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <QTest>

using namespace cannery;
using namespace cannery::survey;

/// What rows contradict in the schema of their source.
class TstSchemaRemarks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void sourcesWithoutSchemaHaveNone();
    void anomaliesOfAFeatureAreOneRemark();
    void evaluationRowsAreNamed();
    void skewIsBetweenBothParts();
    void aSchemaThatCannotBeReadIsAnError();

private:
    /// Records of TFX with this schema.
    spec::DataSource sourceWith(const std::string& schema) const
    {
        spec::DataSource source;
        source.mutable_tfrecord()->add_files(
            tests::textFile(m_folder, "t.tfrecord",
                            storage::frameRecord(storage::serializeExample(
                                {{{"age", std::vector<std::int64_t>{1}},
                                  {"city", std::vector<std::string>{"x"}}}}))));
        source.mutable_tfrecord()->set_schema(tests::textFile(m_folder, "s.pbtxt", schema));
        return source;
    }

    /// The sentences; `eval` as in DescribedRows.
    Result<std::vector<std::string>>
    sentences(const spec::DataSource& source, const data::TableStatistics& train,
              const std::optional<data::TableStatistics>& eval = std::nullopt) const
    {
        data::TableSchema table;
        table.columns = {{.name = "age", .dtype = DType::Int64}, {.name = "city"}};
        CANNERY_TRY_ASSIGN(const std::vector<TableRemark> remarks,
                           schemaRemarks({.source = source,
                                          .folder = m_folder.path().toStdString(),
                                          .table = table,
                                          .train = train,
                                          .eval = eval}));
        std::vector<std::string> found;
        for (const TableRemark& remark : remarks) {
            if (remark.error.id != "remark.anomaly" || remark.columns.size() != 1) {
                qFatal("not a remark on one feature");
            }
            found.push_back(remark.columns[0] + ": " + remark.error.sentence);
        }
        return found;
    }

    QTemporaryDir m_folder;
};

namespace {

constexpr const char* kSchema =
    "feature { name: \"age\" type: INT\n"
    "  int_domain { min: 0 max: 120 } }\n"
    "feature { name: \"city\" type: BYTES\n"
    "  domain: \"cities\"\n"
    "  skew_comparator { infinity_norm { threshold: 0.25 } } }\n"
    "string_domain { name: \"cities\" value: \"Bonn\" value: \"Ulm\" }\n";

data::TableStatistics statisticsOf(double oldest, const std::vector<data::ValueCount>& cities)
{
    data::ColumnStatistics age{.name = "age", .dtype = DType::Int64, .count = 10};
    age.max = oldest;
    data::ColumnStatistics city{.name = "city", .count = 10};
    city.distinct = cities.size();
    city.top = cities;
    return {.rows = 10, .columns = {age, city}};
}

bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

void TstSchemaRemarks::sourcesWithoutSchemaHaveNone()
{
    spec::DataSource csv;
    csv.mutable_csv()->add_files("t.csv");
    const auto found = sentences(csv, statisticsOf(1000, {{"Rome", 10}}));
    VERIFY_OK(found);
    QVERIFY(found->empty());
}

void TstSchemaRemarks::anomaliesOfAFeatureAreOneRemark()
{
    const spec::DataSource source = sourceWith(kSchema);
    const auto fitting = sentences(source, statisticsOf(120, {{"Bonn", 6}, {"Ulm", 4}}));
    VERIFY_OK(fitting);
    QVERIFY(fitting->empty());
    data::TableStatistics wrong = statisticsOf(121, {{"Rome", 10}});
    wrong.columns[0].min = -1;
    const auto found = sentences(source, wrong);
    VERIFY_OK(found);
    QCOMPARE(found->size(), std::size_t{2});
    QVERIFY2(contains(found->at(0), "age: Not as s.pbtxt, line 1, says: "), found->at(0).c_str());
    QVERIFY2(contains(found->at(0), "; "), found->at(0).c_str());
    QVERIFY2(contains(found->at(1), "city: Not as s.pbtxt, line 3, says: "), found->at(1).c_str());
}

void TstSchemaRemarks::evaluationRowsAreNamed()
{
    const spec::DataSource source = sourceWith(kSchema);
    const std::vector<data::ValueCount> cities{{"Bonn", 6}, {"Ulm", 4}};
    const auto found = sentences(source, statisticsOf(10, cities), statisticsOf(121, cities));
    VERIFY_OK(found);
    QCOMPARE(found->size(), std::size_t{1});
    QVERIFY2(contains(found->at(0), "says: in the evaluation rows, "), found->at(0).c_str());
}

void TstSchemaRemarks::skewIsBetweenBothParts()
{
    const spec::DataSource source = sourceWith(kSchema);
    const data::TableStatistics train = statisticsOf(10, {{"Bonn", 6}, {"Ulm", 4}});
    const auto near = sentences(source, train, statisticsOf(10, {{"Bonn", 8}, {"Ulm", 2}}));
    VERIFY_OK(near);
    QVERIFY(near->empty());
    const auto far = sentences(source, train, statisticsOf(10, {{"Bonn", 9}, {"Ulm", 1}}));
    VERIFY_OK(far);
    QCOMPARE(far->size(), std::size_t{1});
    QVERIFY2(contains(far->at(0), "skew_comparator allows at most 0.25"), far->at(0).c_str());
}

void TstSchemaRemarks::aSchemaThatCannotBeReadIsAnError()
{
    const auto found = sentences(sourceWith("feature { type: INT }"), statisticsOf(1, {}));
    VERIFY_ERROR(found, "tf.schema_unnamed");
}

CANNERY_TEST(TstSchemaRemarks)
#include "tst_schema_remarks.moc"
