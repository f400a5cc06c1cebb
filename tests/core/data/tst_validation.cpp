// SPDX-License-Identifier: Apache-2.0
#include "core/data/sources/data_source_catalog.h"
#include "core/data/typing/validation.h"
#include "core/spec/data.pb.h"
#include "storage/io/atomic_write.h"
#include "storage/tf/example_codec.h"
#include "storage/tf/metadata_schema.h"
#include "storage/tf/record_file.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>

using namespace cannery;
using namespace cannery::data;

namespace {

ColumnStatistics categories(const std::vector<ValueCount>& values)
{
    ColumnStatistics column{.name = "c", .dtype = DType::String};
    for (const ValueCount& value : values) {
        column.count += value.count;
    }
    column.distinct = values.size();
    column.top = values;
    return column;
}

ColumnStatistics bars(double begin, double end, const std::vector<double>& counts)
{
    ColumnStatistics column{.name = "n", .dtype = DType::Float32};
    column.histogram = {begin, end, counts};
    return column;
}

/// Of a golden: counts by text, or begin, end and the counts of bars.
ColumnStatistics columnOf(const nlohmann::json& column)
{
    if (column.is_array()) {
        return bars(column.at(0).get<double>(), column.at(1).get<double>(),
                    column.at(2).get<std::vector<double>>());
    }
    std::vector<ValueCount> values;
    for (const auto& [text, count] : column.items()) {
        values.push_back({text, count.get<std::uint64_t>()});
    }
    return categories(values);
}

std::vector<std::string> kindsOf(const std::vector<Anomaly>& anomalies)
{
    std::vector<std::string> kinds;
    for (const Anomaly& anomaly : anomalies) {
        kinds.push_back(anomaly.feature + " " + std::string(anomaly.kind));
    }
    return kinds;
}

} // namespace

/// schema.pbtxt, and what a table contradicts in it.
class TstValidation : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsASchemaOfTfx();
    void refusesWhatIsNoSchema_data();
    void refusesWhatIsNoSchema();
    void aSchemaTypesTheColumnsOfRecords();
    void findsWhatDoesNotFit();
    void infinityNormIsTheLargestDifferenceOfShares();
    void jensenShannonIsZeroForTheSameAndOneForDisjoint();
    void jensenShannonOfTextsComparesTheirShares();
    void distancesAreThoseOfTensorflowDataValidation();
    void valuesOfListsCountOneByOne();
    void skewBeyondItsThresholdIsAnAnomaly();
    void aFeatureMayBeMissingInAnEnvironmentWithoutIt();

private:
    std::string write(const std::string& name, const std::string& text) const
    {
        const std::string path = m_folder.filePath(QString::fromStdString(name)).toStdString();
        if (!storage::writeFileAtomically(path, text)) {
            qFatal("cannot write the test's file");
        }
        return path;
    }

    QTemporaryDir m_folder;
};

void TstValidation::readsASchemaOfTfx()
{
    const auto schema = storage::readMetadataSchema(write("schema.pbtxt", R"(
feature { name: "age" type: FLOAT presence { min_fraction: 1.0 min_count: 1 }
          shape { dim { size: 1 } } float_domain { min: 0 max: 120 disallow_nan: true }
          skew_comparator { jensen_shannon_divergence { threshold: 0.25 } } }
feature { name: "city" type: BYTES domain: "city" value_count { min: 1 max: 1 }
          drift_comparator { infinity_norm { threshold: 0.01 } }
          lifecycle_stage: PRODUCTION }
feature { name: "ids" type: INT int_domain { is_categorical: true } value_count { min: 1 } }
feature { name: "pixels" type: FLOAT shape { dim { size: 28 } dim { size: 28 } } }
string_domain { name: "city" value: "Bonn" value: "Kiel" }
default_environment: "TRAINING")"));
    VERIFY_OK(schema);
    QCOMPARE(schema->features.size(), std::size_t{4});
    const storage::MetadataFeature& age = schema->features[0];
    QVERIFY(age.type == storage::MetadataType::Float && age.disallowNan && !age.isList());
    QCOMPARE(*age.max, 120.0);
    QCOMPARE(age.minFraction, 1.0);
    QCOMPARE(*age.skewJensenShannon, 0.25);
    QCOMPARE(schema->find("city")->domain, (std::vector<std::string>{"Bonn", "Kiel"}));
    QCOMPARE(*schema->find("city")->driftInfinityNorm, 0.01);
    QVERIFY(!schema->find("city")->isList());
    QVERIFY(schema->find("ids")->isList() && schema->find("ids")->isCategorical);
    QCOMPARE(*schema->find("pixels")->fixedCount, std::int64_t{784});
    const auto again = storage::readMetadataSchema(
        write("again.pbtxt", storage::printMetadataSchema({{schema->features[2]}})));
    VERIFY_OK(again);
    QCOMPARE(again->features[0].fewestValues, std::optional<std::int64_t>(1));
}

void TstValidation::refusesWhatIsNoSchema_data()
{
    QTest::addColumn<std::string>("text");
    QTest::addColumn<QString>("id");
    const auto row = [](const char* text, const char* id) {
        QTest::newRow(text) << std::string(text) << QString(id);
    };
    row("", "tf.no_schema");
    row("a,b\n1,2\n", "tf.no_schema");
    row("feature { name: \"x\"", "tf.no_schema");
    row("feature { type: INT }", "tf.schema_unnamed");
    row("feature { name: \"x\" } feature { name: \"x\" }", "tf.schema_twice");
    row("feature { name: \"x\" domain: \"y\" }", "tf.schema_domain");
    row("feature { name: \"x\" type: STRUCT }", "tf.schema_struct");
    row("feature { name: \"x\" shape { dim { size: 0 } } }", "tf.schema_shape");
    row("feature { name: \"x\" shape { dim { size: 99999999 } dim { size: 99999999 } } }",
        "tf.schema_shape");
}

void TstValidation::refusesWhatIsNoSchema()
{
    QFETCH(std::string, text);
    QFETCH(QString, id);
    VERIFY_ERROR(storage::readMetadataSchema(write("bad.pbtxt", text)), id);
}

void TstValidation::aSchemaTypesTheColumnsOfRecords()
{
    using Integers = std::vector<std::int64_t>;
    const std::string records =
        write("t.tfrecord", storage::frameRecord(storage::serializeExample(
                                {{{"a", Integers{1}}, {"b", Integers{2}}, {"c", Integers{3}}}})));
    const auto open = [&](const std::string& schema) {
        spec::DataSource source;
        source.mutable_tfrecord()->add_files(records);
        source.mutable_tfrecord()->set_schema(write("s.pbtxt", schema));
        return openDataSource(source, {});
    };
    const auto source = open("feature { name: \"b\" type: INT value_count { min: 1 } }"
                             "feature { name: \"a\" type: INT }"
                             "feature { name: \"z\" type: BYTES }");
    VERIFY_OK(source);
    QCOMPARE((*source)->schema().names(), (std::vector<std::string>{"b", "a", "z"}));
    QVERIFY((*source)->schema().columns[0].listOf == DType::Int64);
    QVERIFY((*source)->schema().columns[1].dtype == DType::Int64);
    QVERIFY((*source)->schema().columns[2].kind == ColumnKind::Empty);
    QVERIFY((*source)->schema().warnings.back().find("feature c is not in the schema") !=
            std::string::npos);
    const auto other = open("feature { name: \"a\" type: FLOAT }");
    VERIFY_ERROR(other, "tfrecord.other_type");
    QVERIFY(other.error().sentence.find("\"a\" is float32 in the schema, but int64") !=
            std::string::npos);
}

void TstValidation::findsWhatDoesNotFit()
{
    TableSchema table;
    table.columns = {{.name = "age", .dtype = DType::Int64},
                     {.name = "city"},
                     {.name = "more"},
                     {.name = "rate", .dtype = DType::Float32}};
    TableStatistics statistics{.rows = 10};
    statistics.columns = {{.name = "age", .dtype = DType::Int64, .count = 8, .missing = 2},
                          categories({{"Bonn", 6}, {"Ulm", 4}}),
                          categories({{"x", 10}}),
                          {.name = "rate", .dtype = DType::Float32, .count = 10, .nan = 1}};
    statistics.columns[0].min = -3;
    statistics.columns[0].max = 130;
    statistics.columns[1].name = "city";
    statistics.columns[2].name = "more";
    storage::MetadataSchema schema;
    schema.features = {{.name = "age", .type = storage::MetadataType::Integer},
                       {.name = "city", .type = storage::MetadataType::Bytes},
                       {.name = "gone", .minCount = 1},
                       {.name = "rate", .type = storage::MetadataType::Integer}};
    schema.features[0].minFraction = 1;
    schema.features[0].min = 0;
    schema.features[0].max = 120;
    schema.features[1].hasDomain = true;
    schema.features[1].domain = {"Bonn", "Kiel"};
    const std::vector<Anomaly> anomalies = findAnomalies(table, statistics, schema);
    QCOMPARE(
        kindsOf(anomalies),
        (std::vector<std::string>{"age FEATURE_TYPE_LOW_FRACTION_PRESENT", "age INT_TYPE_SMALL_INT",
                                  "age INT_TYPE_BIG_INT", "city ENUM_TYPE_UNEXPECTED_STRING_VALUES",
                                  "gone SCHEMA_MISSING_COLUMN", "rate UNEXPECTED_DATA_TYPE",
                                  "more SCHEMA_NEW_COLUMN"}));
    QVERIFY(anomalies[3].sentence.find("\"Ulm\" (4)") != std::string::npos);
}

void TstValidation::infinityNormIsTheLargestDifferenceOfShares()
{
    const ColumnStatistics a = categories({{"x", 3}, {"y", 1}});
    const ColumnStatistics b = categories({{"x", 5}, {"z", 5}});
    QCOMPARE(*infinityNorm(a, b), 0.5);
    QCOMPARE(*infinityNorm(a, a), 0.0);
    ColumnStatistics many = b;
    many.distinct = 3;
    QVERIFY(!infinityNorm(a, many));
}

void TstValidation::jensenShannonIsZeroForTheSameAndOneForDisjoint()
{
    const ColumnStatistics a = bars(0, 2, {1, 3});
    QVERIFY(std::fabs(*jensenShannon(a, a)) < 1e-12);
    QVERIFY(std::fabs(*jensenShannon(a, bars(5, 6, {4, 4})) - 1) < 1e-12);
    // p = (1/2, 1/2), q = (1, 0): 1/2 (1/2 log2(2/3) + 1/2 log2 2) + 1/2 log2(4/3)
    const double expected = 0.25 * std::log2(2.0 / 3.0) + 0.25 + 0.5 * std::log2(4.0 / 3.0);
    QVERIFY(std::fabs(*jensenShannon(bars(0, 2, {1, 1}), bars(0, 2, {7, 0})) - expected) < 1e-12);
    QVERIFY(!jensenShannon(a, bars(0, 0, {})));
}

void TstValidation::jensenShannonOfTextsComparesTheirShares()
{
    // p = (3/4, 1/4), q = (1/4, 3/4): log2(3/2) 3/4 + log2(1/2) 1/4
    const double expected = 0.75 * std::log2(1.5) - 0.25;
    const auto one = categories({{"x", 3}, {"y", 1}});
    QVERIFY(std::fabs(*jensenShannon(one, categories({{"x", 5}, {"y", 15}})) - expected) < 1e-12);
    QVERIFY(std::fabs(*jensenShannon(one, categories({{"z", 9}})) - 1) < 1e-12);
    QCOMPARE(*jensenShannon(one, one), 0.0);
    ColumnStatistics many = one;
    many.distinct = 3;
    QVERIFY(!jensenShannon(one, many));
}

void TstValidation::distancesAreThoseOfTensorflowDataValidation()
{
    std::ifstream stream(CANNERY_SOURCE_DIR "/tests/golden/distances/distances.json");
    const auto pairs = nlohmann::json::parse(stream);
    QVERIFY(pairs.size() >= 10);
    for (const auto& pair : pairs) {
        const ColumnStatistics first = columnOf(pair.at("first"));
        const ColumnStatistics second = columnOf(pair.at("second"));
        const std::string what = pair.dump();
        const double divergence = pair.at("jensen_shannon").get<double>();
        QVERIFY2(std::fabs(*jensenShannon(first, second) - divergence) < 1e-12, what.c_str());
        if (pair.contains("infinity_norm")) {
            const double largest = pair.at("infinity_norm").get<double>();
            QVERIFY2(std::fabs(*infinityNorm(first, second) - largest) < 1e-12, what.c_str());
        }
    }
}

void TstValidation::valuesOfListsCountOneByOne()
{
    TableSchema schema;
    schema.columns = {{.name = "c", .listOf = DType::String}};
    // Values of a: x three times, y once; of b: x and y twice each.
    const TableStatistics a{.rows = 2, .columns = {categories({{"x|x", 1}, {"x|y", 1}})}};
    const TableStatistics b{.rows = 2, .columns = {categories({{"y|x", 2}})}};
    const std::vector<Distance> distances = distancesOf(schema, a, b);
    QCOMPARE(distances.size(), std::size_t{1});
    QCOMPARE(*distances[0].infinityNorm, 0.25);
    schema.columns[0].listOf.reset();
    QCOMPARE(*distancesOf(schema, a, b)[0].infinityNorm, 1.0);
}

void TstValidation::skewBeyondItsThresholdIsAnAnomaly()
{
    storage::MetadataSchema schema;
    schema.features = {{.name = "c"}, {.name = "n"}};
    schema.features[0].skewInfinityNorm = 0.1;
    schema.features[1].driftJensenShannon = 0.5;
    QCOMPARE(kindsOf(findSkew({{"c", 0.2, {}}, {"n", {}, 0.4}}, schema)),
             (std::vector<std::string>{"c COMPARATOR_L_INFTY_HIGH"}));
    QCOMPARE(kindsOf(findSkew({{"c", 0.1, {}}, {"n", {}, 0.6}}, schema)),
             (std::vector<std::string>{"n COMPARATOR_JENSEN_SHANNON_DIVERGENCE_HIGH"}));
    schema.features[0].driftInfinityNorm = 0.15;
    const std::vector<Anomaly> both = findSkew({{"c", 0.2, {}}}, schema);
    QCOMPARE(both.size(), std::size_t{2});
    QVERIFY(both[0].sentence.find("skew_comparator allows at most 0.1") != std::string::npos);
    QVERIFY(both[1].sentence.find("drift_comparator allows at most 0.15") != std::string::npos);
}

void TstValidation::aFeatureMayBeMissingInAnEnvironmentWithoutIt()
{
    const auto schema = storage::readMetadataSchema(write("environments.pbtxt", R"(
feature { name: "x" type: INT presence { min_count: 1 } }
feature { name: "label" type: INT presence { min_count: 1 } not_in_environment: "SERVING" }
feature { name: "weight" type: INT presence { min_count: 1 } in_environment: "REVIEW" }
default_environment: "TRAINING"
default_environment: "SERVING")"));
    VERIFY_OK(schema);
    QCOMPARE(schema->environments(), (std::vector<std::string>{"REVIEW", "SERVING", "TRAINING"}));
    const auto kinds = [&](const char* environment) {
        return kindsOf(findAnomalies({}, {.rows = 3}, *schema, environment));
    };
    using Kinds = std::vector<std::string>;
    const std::string missing = " SCHEMA_MISSING_COLUMN";
    QCOMPARE(kinds(""), (Kinds{"x" + missing, "label" + missing, "weight" + missing}));
    QCOMPARE(kinds("SERVING"), (Kinds{"x" + missing, "weight" + missing}));
    QCOMPARE(kinds("REVIEW"), (Kinds{"weight" + missing}));
    QVERIFY(schema->mayLack(*schema->find("label")));
    QVERIFY(!storage::MetadataSchema{.features = {{.name = "x"}}}.mayLack({.name = "x"}));
}

CANNERY_TEST(TstValidation)
#include "tst_validation.moc"
