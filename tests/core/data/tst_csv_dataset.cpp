// SPDX-License-Identifier: Apache-2.0
#include "core/base/dtype.h"
#include "core/data/dataset.h"
#include "core/data/pipeline/pipeline.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <map>

using namespace cannery;
using namespace cannery::data;
using nlohmann::json;

/// make_csv_dataset's results (tests/golden/tricky_csv/csv_dataset.json) against ours. Intentional
/// differences are named and tested separately below.
class TstCsvDataset : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void batchesAsMakeCsvDataset_data();
    void batchesAsMakeCsvDataset();

    void differencePlusSignAndNanAreNumbers();
    void differenceQuoteInsideAPlainCellIsAnOrdinaryCharacter();
    void differenceRequiredCellIsLeftToTheFeatureThatReadsIt();
    void differenceMissingNumbersAreMarkedAndNotSilentlyZero();
    void differenceInferenceLooksAtMoreThanAHundredRows();
    void differenceByteOrderMarkAndBlankLinesAreSkipped();
    void differenceHugeIntegersStayText();
};

namespace {

json cases()
{
    std::ifstream stream(CANNERY_SOURCE_DIR "/tests/golden/tricky_csv/csv_dataset.json");
    return json::parse(stream)["cases"];
}

/// Cases with intentionally different results, by their text.
const std::map<std::string, std::string>& differences()
{
    static const std::map<std::string, std::string> kDifferences = {
        {"a,b,c\n1e3,inf,-0\nnan,1e400,+5\n", "plus sign and NaN are numbers"},
        {"a,b\n1,x\"y\n", "a quote inside a plain cell is an ordinary character"},
        {"a,b\n1,\n,2\n", "a required cell is left to the feature that reads it"},
        {"a,b\n1,2\n3,4.5\n", "inference looks at more than the first rows"},
    };
    return kDifferences;
}

class TextTable
{
public:
    explicit TextTable(const std::string& text)
    {
        QFile file(m_folder.filePath("table.csv"));
        if (!file.open(QIODevice::WriteOnly)) {
            qFatal("cannot write the test file");
        }
        file.write(QByteArray::fromStdString(text));
        data.mutable_train()->mutable_csv()->add_files("table.csv");
        data.mutable_train()->mutable_csv()->set_header(true);
    }

    Result<FeatureBatch> read(const std::vector<std::string>& features = {})
    {
        CANNERY_TRY_ASSIGN(const Dataset dataset,
                           Dataset::open(data, m_folder.path().toStdString(), DataPart::Train));
        CANNERY_TRY_ASSIGN(const std::unique_ptr<FeatureStream> stream,
                           dataset.read({.features = features, .labels = LabelNeed::Optional}));
        CANNERY_TRY_ASSIGN(std::optional<FeatureBatch> batch, stream->next());
        return std::move(*batch);
    }

    spec::Data data;

private:
    QTemporaryDir m_folder;
};

json asJson(const FeatureValues& feature, std::int64_t row)
{
    const auto at = static_cast<std::size_t>(row);
    if (const auto* texts = std::get_if<StringColumn>(&feature.elements)) {
        return std::string((*texts)[at]);
    }
    if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&feature.elements)) {
        return (*integers)[at];
    }
    if (const auto* wide = std::get_if<std::vector<double>>(&feature.elements)) {
        return (*wide)[at];
    }
    return std::get<std::vector<float>>(feature.elements)[at];
}

json batchOf(const FeatureValues& feature, const std::vector<std::int64_t>& rows)
{
    json values = json::array();
    for (const std::int64_t row : rows) {
        values.push_back(asJson(feature, row));
    }
    return {{"dtype", std::string(name(feature.dtype))}, {"values", values}};
}

void describe(const json& arguments, spec::Data& data)
{
    spec::CsvSource& csv = *data.mutable_train()->mutable_csv();
    csv.set_header(arguments.value("header", true));
    csv.set_use_quote_delim(arguments.value("use_quote_delim", true));
    csv.set_field_delim(arguments.value("field_delim", ","));
    if (arguments.contains("na_value")) {
        csv.add_na_value(arguments["na_value"].get<std::string>());
    }
    for (const json& column : arguments.value("column_names", json::array())) {
        csv.add_column_names(column.get<std::string>());
    }
    if (arguments.contains("label_name")) {
        data.mutable_label()->set_column(arguments["label_name"].get<std::string>());
    }
}

} // namespace

void TstCsvDataset::batchesAsMakeCsvDataset_data()
{
    QTest::addColumn<int>("index");
    const json all = cases();
    for (int i = 0; i < int(all.size()); ++i) {
        const json& one = all[std::size_t(i)];
        const bool quotes = one["arguments"].value("use_quote_delim", true);
        if (!differences().contains(one["text"]) || !quotes) {
            QTest::addRow("%d", i) << i;
        }
    }
}

void TstCsvDataset::batchesAsMakeCsvDataset()
{
    QFETCH(const int, index);
    const json one = cases()[std::size_t(index)];
    TextTable table(one["text"]);
    describe(one["arguments"], table.data);
    const auto all = table.read();
    if (one.contains("error")) {
        // TensorFlow's reason and ours.
        static const std::map<std::string, const char*> kReasons{
            {"Either `column_names` argument or CSV header row contains duplicate column names: "
             "{'a'}.",
             "csv.duplicate_column"},
            {"Problem inferring types: CSV row 2 has 3 number of fields. Expected: 2.",
             "csv.field_count"}};
        const auto reason = kReasons.find(one["error"]["message"]);
        QVERIFY2(reason != kReasons.end(), one["error"].dump().c_str());
        VERIFY_ERROR(all, reason->second);
        return;
    }
    VERIFY_OK(all);
    Pipeline pipeline({.rows = all->rowCount,
                       .batchSize = one["arguments"]["batch_size"].get<std::int64_t>(),
                       .numEpochs = 1});
    std::vector<std::int64_t> rows;
    QVERIFY(!one["batches"].empty());
    for (const json& expected : one["batches"]) {
        QVERIFY(pipeline.next(rows));
        for (const auto& [name, values] : expected["features"].items()) {
            const auto found = std::find_if(all->features.begin(), all->features.end(),
                                            [&](const auto& known) { return known.name == name; });
            QVERIFY2(found != all->features.end(), name.c_str());
            QCOMPARE(batchOf(*found, rows).dump(), values.dump());
        }
        if (expected.contains("label")) {
            QCOMPARE(batchOf(all->labels.front(), rows).dump(), expected["label"].dump());
            QCOMPARE(all->features.size(), all->labels.size() + 1);
        }
    }
    QVERIFY(!pipeline.next(rows));
}

void TstCsvDataset::differencePlusSignAndNanAreNumbers()
{
    TextTable table("a,b,c\n1e3,inf,-0\nnan,1e400,+5\n");
    const auto batch = table.read();
    VERIFY_OK(batch);
    QCOMPARE(batch->features[0].dtype, DType::Float32);
    QCOMPARE(batch->features[1].dtype, DType::Float32);
    QCOMPARE(asJson(batch->features[2], 1).get<int>(), 5);
}

void TstCsvDataset::differenceQuoteInsideAPlainCellIsAnOrdinaryCharacter()
{
    TextTable table("a,b\n1,x\"y\n");
    const auto batch = table.read();
    VERIFY_OK(batch);
    QCOMPARE(asJson(batch->features[1], 0).get<std::string>(), std::string("x\"y"));
}

void TstCsvDataset::differenceRequiredCellIsLeftToTheFeatureThatReadsIt()
{
    TextTable table("a,b\n1,\n,2\n");
    spec::Column& column = *table.data.add_column();
    column.set_name("a");
    column.set_dtype(spec::DataType::int32);
    column.set_default_value("7");
    spec::Column& required = *table.data.add_column();
    required.set_name("b");
    required.set_dtype(spec::DataType::float32);
    const auto batch = table.read();
    VERIFY_OK(batch);
    QCOMPARE(asJson(batch->features[0], 1).get<int>(), 7);
    QVERIFY(batch->features[0].valid.empty());
    QCOMPARE(batch->features[1].valid, (std::vector<std::uint8_t>{0, 1}));
    QCOMPARE(batch->line, (std::vector<std::int64_t>{2, 3}));
}

void TstCsvDataset::differenceMissingNumbersAreMarkedAndNotSilentlyZero()
{
    TextTable table("a\n1\n\"\"\n");
    const auto batch = table.read();
    VERIFY_OK(batch);
    QCOMPARE(batch->features[0].valid, (std::vector<std::uint8_t>{1, 0}));
}

void TstCsvDataset::differenceInferenceLooksAtMoreThanAHundredRows()
{
    std::string text = "a\n";
    for (int i = 0; i < 200; ++i) {
        text += "1\n";
    }
    TextTable table(text + "2.5\n");
    const auto batch = table.read();
    VERIFY_OK(batch);
    QCOMPARE(batch->features[0].dtype, DType::Float32);

    // As in TensorFlow with num_rows_for_inference=1: the late fraction is an error with its line.
    TextTable narrow("a,b\n1,2\n3,4.5\n");
    narrow.data.add_column()->set_name("b");
    narrow.data.mutable_column(0)->set_dtype(spec::DataType::int32);
    const auto refused = narrow.read();
    VERIFY_ERROR(refused, "csv.not_a_number");
    QVERIFY(refused.error().sentence.find(":3: \"4.5\" in column b is not a valid int32") !=
            std::string::npos);
}

void TstCsvDataset::differenceByteOrderMarkAndBlankLinesAreSkipped()
{
    TextTable table("\xEF\xBB\xBF"
                    "a,b\n\n1,2\n\n");
    const auto batch = table.read({"a"});
    VERIFY_OK(batch);
    QCOMPARE(batch->rowCount, std::int64_t(1));
    QCOMPARE(batch->line, (std::vector<std::int64_t>{3}));
}

void TstCsvDataset::differenceHugeIntegersStayText()
{
    TextTable table("id\n9223372036854775808\n1\n");
    const auto batch = table.read();
    VERIFY_OK(batch);
    QCOMPARE(batch->features[0].dtype, DType::String);
}

CANNERY_TEST(TstCsvDataset)
#include "tst_csv_dataset.moc"
