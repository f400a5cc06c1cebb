// SPDX-License-Identifier: Apache-2.0
#include "core/data/dataset.h"
#include "core/data/sources/data_source.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <fstream>

using namespace cannery;
using namespace cannery::data;
using nlohmann::json;

/// Every file of tests/golden/tricky_csv against its expected.json.
class TstTrickyCsv : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsOrRefusesAsExpected_data();
    void readsOrRefusesAsExpected();
    void saysWhatIsWrong_data();
    void saysWhatIsWrong();
    void keepsGoodRowsOfARaggedFileWhenTold();
    void readsNumbersOnceTheMarkerIsNamed();
    void readsAFieldOfOneMebibyte();
    void mentionsTheDecimalComma();
    void readsLatin1WhenTheExperimentSaysSo();
};

namespace {

const QString kFolder = CANNERY_SOURCE_DIR "/tests/golden/tricky_csv/";

spec::DataSource csv(const QString& path)
{
    spec::DataSource source;
    source.mutable_csv()->add_files(path.toStdString());
    return source;
}

struct ReadTable
{
    TableSchema schema;
    storage::TableChunk chunk; ///< all rows; every column as a string
    ReadReport report;
};

/// Opens a file and reads all of it twice: with its own types, and as strings.
Result<ReadTable> readAll(const spec::DataSource& source, const SourceOptions& options = {})
{
    CANNERY_TRY_ASSIGN(const std::unique_ptr<DataSource> opened, openDataSource(source, options));
    ReadTable table{.schema = opened->schema()};
    for (const bool asStrings : {false, true}) {
        ChunkRequest request;
        for (const ColumnSchema& column : table.schema.columns) {
            request.columns.push_back({.column = column.name});
            if (asStrings) {
                request.columns.back().dtype = DType::String;
            }
        }
        CANNERY_TRY_ASSIGN(const std::unique_ptr<ChunkStream> stream, opened->read(request));
        while (true) {
            CANNERY_TRY_ASSIGN(std::optional<storage::TableChunk> chunk, stream->next());
            if (!chunk) {
                break;
            }
            table.chunk = std::move(*chunk);
        }
        table.report = asStrings ? table.report : stream->report();
    }
    if (table.report.rows == 0) {
        return fail(ErrorCode::InvalidArgument, ErrorKind{"test.no_rows", "a header but no rows"});
    }
    return table;
}

bool matches(const std::string& expected, DType dtype)
{
    return expected == "int64"   ? isInteger(dtype)
           : expected == "float" ? isFloating(dtype)
                                 : dtype == DType::String;
}

} // namespace

void TstTrickyCsv::readsOrRefusesAsExpected_data()
{
    QTest::addColumn<QString>("path");
    const QDir folder(kFolder);
    for (const QString& name : folder.entryList({"*.expected.json"})) {
        if (!name.startsWith("17_")) {
            QTest::newRow(qPrintable(name.section('.', 0, 0))) << folder.filePath(name);
        }
    }
}

void TstTrickyCsv::readsOrRefusesAsExpected()
{
    QFETCH(const QString, path);
    std::ifstream stream(path.toStdString());
    const json expected = json::parse(stream);
    const auto table = readAll(csv(kFolder + QString::fromStdString(expected["file"])));
    if (expected["verdict"] == "error") {
        QVERIFY(!table.has_value());
        const std::string message = table.error().message();
        QVERIFY(!expected["errors"].empty());
        for (const json& wrong : expected["errors"]) {
            const std::string place =
                wrong["line"].is_null() ? "" : fmt::format(":{}:", wrong["line"].get<int>());
            std::string says = wrong["says"];
            says = says.substr(says.starts_with("the file ") ? 9 : 0); // the file has a name
            QVERIFY2(message.find(says) != std::string::npos &&
                         message.find(place) != std::string::npos,
                     message.c_str());
        }
        return;
    }
    if (expected["verdict"] == "ok_or_error" && !table.has_value()) {
        const json& wrong = expected["errors"][0];
        const std::string sentence = table.error().sentence;
        QVERIFY(sentence.find(wrong["says"].get<std::string>()) != std::string::npos);
        QVERIFY(sentence.find(fmt::format(":{}:", wrong["line"].get<int>())) != std::string::npos);
        return;
    }
    VERIFY_OK(table);
    QCOMPARE(table->report.rows, expected["rows"].get<std::uint64_t>());
    json columns = expected.value("columns", json::array());
    if (expected.contains("first_column")) {
        columns = {expected["first_column"], expected["last_column"]};
        QCOMPARE(table->schema.columns.size(), expected["column_count"].get<std::size_t>());
    }
    for (const json& column : columns) {
        const std::string name = column["name"];
        const ColumnSchema* known = table->schema.find(name);
        if (column["type"] == "none") {
            QVERIFY2(known == nullptr, "a nameless column must not be a feature");
            continue;
        }
        QVERIFY2(known != nullptr, name.c_str());
        QVERIFY2(matches(column["type"], known->dtype), known->reason.c_str());
        QCOMPARE(known->missing, column["missing"].get<std::uint64_t>());
        QCOMPARE(known->nan, column.value("nan", std::uint64_t{0}));
        QCOMPARE(known->infinite, column.value("inf", std::uint64_t{0}));
        QVERIFY(!known->reason.empty() && !known->kindReason.empty());
    }
    for (const json& cell : expected.value("cells", json::array())) {
        const storage::TableColumn* column = table->chunk.find(cell["column"].get<std::string>());
        QVERIFY(column != nullptr);
        const std::string value =
            cell["value"].is_string() ? cell["value"].get<std::string>() : cell["value"].dump();
        QCOMPARE(std::string(column->strings()[cell["row"].get<std::size_t>()]), value);
    }
}

void TstTrickyCsv::saysWhatIsWrong_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QStringList>("phrases");
    QTest::newRow("ragged") << "05_ragged.csv"
                            << QStringList{":3: 2 fields instead of 3",
                                           ":4: 4 fields instead of 3"};
    QTest::newRow("empty") << "06_empty.csv" << QStringList{"is empty"};
    QTest::newRow("header only") << "07_header_only.csv" << QStringList{"a header but no rows"};
    QTest::newRow("duplicates") << "08_duplicate_header.csv"
                                << QStringList{"\"id\" occurs twice (columns 1 and 4)",
                                               "\"x\" occurs twice (columns 2 and 3)"};
    QTest::newRow("Latin-1") << "10_latin1.csv"
                             << QStringList{":2: not valid UTF-8 (byte 0xFC in column city)",
                                            "2 bad rows"};
    QTest::newRow("range") << "11_big_floats.csv"
                           << QStringList{"2 values are out of range", "1e400", ":2"};
    QTest::newRow("NaN") << "12_nan_inf.csv" << QStringList{"3 NaN and 3 infinite"};
    QTest::newRow("integers") << "13_big_ints.csv"
                              << QStringList{"9223372036854775808", "line 4", "does not fit int64",
                                             "begin with 0"};
    QTest::newRow("no name") << "18_trailing_comma.csv" << QStringList{":1: column 3 has no name"};
    QTest::newRow("open quote") << "21_open_quote.csv"
                                << QStringList{":2: the quote opened in column b is never closed"};
    QTest::newRow("late text") << "23_late_type_change.csv"
                               << QStringList{"\"n/a\" (line 5002)", "missing_token"};
}

void TstTrickyCsv::saysWhatIsWrong()
{
    QFETCH(const QString, file);
    QFETCH(const QStringList, phrases);
    const auto table = readAll(csv(kFolder + file));
    std::string said;
    if (!table) {
        said = table.error().message();
    } else {
        for (const std::string& warning : table->schema.warnings) {
            said += warning + "\n";
        }
        for (const ColumnSchema& column : table->schema.columns) {
            said += column.reason + "\n";
            for (const std::string& warning : column.warnings) {
                said += warning + "\n";
            }
        }
        for (const std::string& warning : table->report.warnings) {
            said += warning + "\n";
        }
    }
    for (const QString& phrase : phrases) {
        QVERIFY2(said.find(phrase.toStdString()) != std::string::npos, said.c_str());
    }
}

void TstTrickyCsv::keepsGoodRowsOfARaggedFileWhenTold()
{
    SourceOptions options;
    options.badRows = spec::BadRows::SKIP;
    const auto table = readAll(csv(kFolder + "05_ragged.csv"), options);
    VERIFY_OK(table);
    QCOMPARE(table->report.rows, std::uint64_t(2));
    QCOMPARE(table->report.badRowCount, std::uint64_t(2));
}

void TstTrickyCsv::readsNumbersOnceTheMarkerIsNamed()
{
    const auto plain = readAll(csv(kFolder + "23_late_type_change.csv"));
    VERIFY_OK(plain);
    QCOMPARE(plain->schema.columns[0].suggestedMissingTokens, std::vector<std::string>{"n/a"});
    spec::DataSource source = csv(kFolder + "23_late_type_change.csv");
    source.mutable_csv()->add_na_value("n/a");
    const auto table = readAll(source);
    VERIFY_OK(table);
    QVERIFY(table->schema.columns[0].dtype == DType::Float32);
    QCOMPARE(table->schema.columns[0].missing, std::uint64_t(1));

    // A type that cannot hold every value: the line is named, nothing is read as 0.
    SourceOptions options;
    options.columns.emplace_back().set_name("n");
    options.columns.back().set_dtype(spec::DataType::int64);
    const auto refused = readAll(csv(kFolder + "23_late_type_change.csv"), options);
    VERIFY_ERROR(refused, "csv.not_a_number");
    QVERIFY(refused.error().sentence.find(":5002: \"n/a\" in column n") != std::string::npos);
}

void TstTrickyCsv::readsAFieldOfOneMebibyte()
{
    QTemporaryDir folder;
    QFile file(folder.filePath("17_long_field.csv"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("id,blob\n1," + QByteArray(1048576, 'x') + "\n2,short\n");
    file.close();
    const auto table = readAll(csv(file.fileName()));
    VERIFY_OK(table);
    QCOMPARE(table->report.rows, std::uint64_t(2));
    QCOMPARE(table->schema.columns[0].dtype, DType::Int32);
}

void TstTrickyCsv::mentionsTheDecimalComma()
{
    const auto table = readAll(csv(kFolder + "14_semicolon.csv"));
    VERIFY_OK(table);
    QVERIFY(table->schema.columns[0].reason.find("decimal comma") != std::string::npos);
}

void TstTrickyCsv::readsLatin1WhenTheExperimentSaysSo()
{
    spec::DataSource source = csv(kFolder + "10_latin1.csv");
    source.mutable_csv()->set_encoding(spec::TextEncoding::latin1);
    const auto table = readAll(source);
    VERIFY_OK(table);
    const StringColumn& cities = table->chunk.find("city")->strings();
    QCOMPARE(std::string(cities[0]), std::string("München"));
    QCOMPARE(std::string(cities[1]), std::string("Köln"));
}

CANNERY_TEST(TstTrickyCsv)
#include "tst_tricky_csv.moc"
