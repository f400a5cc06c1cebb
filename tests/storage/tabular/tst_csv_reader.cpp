// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/thread_pool.h"
#include "storage/io/atomic_write.h"
#include "storage/io/inflate.h"
#include "storage/tabular/csv/csv_discovery.h"
#include "storage/tabular/csv/csv_reader.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <fmt/core.h>

#include <random>
#include <set>

using namespace cannery;
using namespace cannery::storage;

class TstCsvReader : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void cutsTheSameCellsForEveryBlockSizeAndThreadCount();
    void readsGzipAndSeveralFilesInTheOrderOfTheirNames();
    void namesFileLineAndTextOfBadRows();
    void skipsAndCountsBadRows();
    void namesTheLineWhereAQuoteOpens();
    void marksMissingCells();
    void tellsOfNumbersBeyondFloat();
    void refusesFilesWithAnotherHeader();
    void guessesHeadersAndDelimiters_data();
    void guessesHeadersAndDelimiters();
    void readsLatin1WhenTold();
    void everyTruncationAndFlippedByteIsToldAlikeForEveryBlock();

private:
    std::string write(const QString& name, const QByteArray& bytes);
    Result<std::vector<TableChunk>> read(const CsvOpenOptions& open, CsvReadOptions options,
                                         CsvReport* report = nullptr);

    /// Rows, counts and errors of a table of three columns, as one text.
    static std::string readTextOf(const std::string& path, std::size_t blockBytes, int threads);

    QTemporaryDir m_folder;
};

std::string TstCsvReader::write(const QString& name, const QByteArray& bytes)
{
    QFile file(m_folder.filePath(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) {
        qFatal("cannot write the test file");
    }
    return file.fileName().toStdString();
}

Result<std::vector<TableChunk>> TstCsvReader::read(const CsvOpenOptions& open,
                                                   CsvReadOptions options, CsvReport* report)
{
    CANNERY_TRY_ASSIGN(const CsvDiscovery found, discoverCsv(open));
    if (options.columns.empty()) {
        for (std::size_t i = 0; i < found.files.columnNames.size(); ++i) {
            options.columns.push_back({.name = found.files.columnNames[i], .index = i});
        }
    }
    CsvReader reader(found.files, std::move(options));
    std::vector<TableChunk> chunks;
    while (true) {
        CANNERY_TRY_ASSIGN(std::optional<TableChunk> chunk, reader.next());
        if (report != nullptr) {
            *report = reader.report();
        }
        if (!chunk) {
            return chunks;
        }
        chunks.push_back(std::move(*chunk));
    }
}

namespace {

/// Rows of awkward texts, and the file that contains them.
struct AwkwardTable
{
    std::vector<std::vector<std::string>> rows;
    QByteArray text = "a,b,c\n";
};

AwkwardTable awkwardTable()
{
    const std::vector<std::string> pieces = {
        "x", "1,2", "say \"hi\"", "two\nlines",
        "",  "\"",  "a\r\nb",     "long text with, comma and \"quote\"",
        "é", " ",   "12345.678"};
    AwkwardTable table;
    std::mt19937 random(5);
    for (int row = 0; row < 500; ++row) {
        std::vector<std::string>& cells = table.rows.emplace_back();
        for (int column = 0; column < 3; ++column) {
            const std::string& text = pieces[random() % pieces.size()];
            cells.push_back(text);
            const bool needsQuotes = text.find_first_of(",\"\n\r") != std::string::npos;
            QByteArray spelt = QByteArray::fromStdString(text);
            if (needsQuotes || random() % 5 == 0) {
                spelt = '"' + spelt.replace("\"", "\"\"") + '"';
            }
            table.text += spelt + (column < 2 ? "," : "");
        }
        const char* ends[] = {"\n", "\r\n", "\n\n"};
        table.text += ends[random() % 3];
    }
    return table;
}

} // namespace

void TstCsvReader::cutsTheSameCellsForEveryBlockSizeAndThreadCount()
{
    const AwkwardTable table = awkwardTable();
    const std::string path = write("awkward.csv", table.text);
    for (const std::size_t blockBytes : {64U, 100U, 257U, 4096U, 1U << 20U}) {
        for (const int threads : {1, 3}) {
            kernels::ThreadPool pool(threads);
            const auto chunks =
                read({.patterns = {path}, .hints = {.delimiter = ','}},
                     {.keepLines = true, .blockBytes = blockBytes, .threads = kernels::lend(pool)});
            VERIFY_OK(chunks);
            std::size_t row = 0;
            std::uint64_t lastLine = 1;
            for (const TableChunk& chunk : *chunks) {
                QCOMPARE(chunk.firstRow, std::uint64_t(row));
                for (std::size_t i = 0; i < chunk.rows; ++i, ++row) {
                    QVERIFY(chunk.lines[i] > lastLine);
                    lastLine = chunk.lines[i];
                    for (std::size_t column = 0; column < 3; ++column) {
                        QCOMPARE(std::string(chunk.columns[column].strings()[i]),
                                 table.rows[row][column]);
                    }
                }
            }
            QCOMPARE(row, table.rows.size());
        }
    }
}

void TstCsvReader::readsGzipAndSeveralFilesInTheOrderOfTheirNames()
{
    write("part-2.csv", "id,v\n3,c\n");
    write("part-1.csv", "id,v\n1,a\n2,b");
    const std::string packedPath = m_folder.filePath("part-0.csv").toStdString();
    auto file = realFileSystem().create(packedPath);
    VERIFY_OK(file);
    auto packed = packInto(std::move(*file), Compression::Gzip);
    VERIFY_OK(packed);
    VERIFY_OK((*packed)->append(std::string_view("id,v\n0,z\n")));
    VERIFY_OK((*packed)->close());

    CsvReadOptions options;
    options.columns = {{.name = "id", .index = 0, .dtype = DType::Int32}};
    const auto chunks =
        read({.patterns = {m_folder.filePath("part-*.csv").toStdString()}}, options);
    VERIFY_OK(chunks);
    std::vector<std::int64_t> ids;
    for (const TableChunk& chunk : *chunks) {
        const auto& values = chunk.columns[0].as<std::int64_t>();
        ids.insert(ids.end(), values.begin(), values.end());
    }
    QCOMPARE(ids, (std::vector<std::int64_t>{0, 1, 2, 3}));
    VERIFY_ERROR(discoverCsv({.patterns = {m_folder.filePath("none-*").toStdString()}}),
                 "csv.no_such_files");
}

void TstCsvReader::namesFileLineAndTextOfBadRows()
{
    const std::string path =
        write("bad.csv", "a,b,c\n1,2,3\n4,5\n\"x\ny\",7,8\n6,7,8,9\n10,b,12\n");
    CsvReadOptions options;
    options.columns = {{.name = "b", .index = 1, .dtype = DType::Int32}};
    const auto chunks = read({.patterns = {path}}, options);
    VERIFY_ERROR(chunks, "csv.field_count");
    const std::string message = chunks.error().message();
    QVERIFY2(message.starts_with(path + ":3: 2 fields instead of 3: 4,5."), message.c_str());
    QVERIFY(message.find(path + ":6: 4 fields instead of 3: 6,7,8,9.") != std::string::npos);
    QVERIFY(message.find(":7: \"b\" in column b is not a valid int32") != std::string::npos);
    QVERIFY(message.find("3 bad rows") != std::string::npos);
}

void TstCsvReader::skipsAndCountsBadRows()
{
    const std::string path = write("skip.csv", "a,b\n1,x\n2\n99999999999,y\n\"3\"z,w\nq,v\n4,u\n");
    CsvReadOptions options;
    options.columns = {{.name = "a", .index = 0, .dtype = DType::Int32}, {.name = "b", .index = 1}};
    options.badRows = BadRowPolicy::Skip;
    options.keepLines = true;
    CsvReport report;
    const auto chunks = read({.patterns = {path}}, options, &report);
    VERIFY_OK(chunks);
    QCOMPARE(chunks->size(), std::size_t(1));
    const TableChunk& chunk = chunks->front();
    QCOMPARE(chunk.columns[0].as<std::int64_t>(), (std::vector<std::int64_t>{1, 4}));
    QCOMPARE(std::string(chunk.columns[1].strings()[1]), std::string("u"));
    QCOMPARE(chunk.lines, (std::vector<std::uint64_t>{2, 7}));
    QCOMPARE(report.badRowCount, std::uint64_t(4));
    std::vector<std::string> ids;
    for (const BadRow& row : report.badRows) {
        ids.push_back(row.error.id);
    }
    QCOMPARE(ids, (std::vector<std::string>{"csv.field_count", "csv.too_large",
                                            "csv.text_after_quote", "csv.not_a_number"}));
}

void TstCsvReader::namesTheLineWhereAQuoteOpens()
{
    const std::string path = write("open.csv", "a,b\n1,ok\n1,\"never closed\n2,x\n3,y\n");
    const auto chunks = read({.patterns = {path}}, {});
    VERIFY_ERROR(chunks, "csv.open_quote");
    QVERIFY(chunks.error().sentence.find(":3: the quote opened in column b") != std::string::npos);
}

void TstCsvReader::marksMissingCells()
{
    const std::string path = write("missing.csv", "x,n,s\n1.5,NA,a\n,2,\n?,-1,NA\n");
    CsvReadOptions options;
    options.columns = {
        {.name = "x", .index = 0, .dtype = DType::Float32, .missingTokens = {"?"}},
        {.name = "n", .index = 1, .dtype = DType::Int64, .missingTokens = {"NA", "-1"}},
        {.name = "s", .index = 2, .dtype = DType::String, .missingTokens = {"NA"}}};
    const auto chunks = read({.patterns = {path}}, options);
    VERIFY_OK(chunks);
    const TableChunk& chunk = chunks->front();
    QCOMPARE(chunk.columns[0].validity, (std::vector<std::uint8_t>{1, 0, 0}));
    QCOMPARE(chunk.columns[1].validity, (std::vector<std::uint8_t>{0, 1, 0}));
    QCOMPARE(chunk.columns[2].validity, (std::vector<std::uint8_t>{1, 0, 0}));
    QCOMPARE(chunk.columns[1].as<std::int64_t>(), (std::vector<std::int64_t>{0, 2, 0}));
    options.columns[0].isRequired = true;
    VERIFY_ERROR(read({.patterns = {path}}, options), "csv.missing");
}

void TstCsvReader::tellsOfNumbersBeyondFloat()
{
    const std::string path = write("range.csv", "x\n1\n\n1e39\n-1e400\n");
    CsvReadOptions options;
    options.columns = {{.name = "x", .index = 0, .dtype = DType::Float32}};
    CsvReport report;
    VERIFY_OK(read({.patterns = {path}}, options, &report));
    QCOMPARE(report.warnings.outOfRange, std::uint64_t(2));
    QCOMPARE(report.warnings.firstOutOfRange, std::string("1e39"));
    QCOMPARE(report.warnings.firstOutOfRangeLine, std::uint64_t(4));
}

void TstCsvReader::refusesFilesWithAnotherHeader()
{
    const std::string first = write("h1.csv", "a,b\n1,2\n");
    const std::string second = write("h2.csv", "a,c\n1,2\n");
    const auto found = discoverCsv({.patterns = {first, second}});
    VERIFY_ERROR(found, "csv.other_header");
    QVERIFY(found.error().sentence.find("column 2 is \"c\" instead of \"b\"") != std::string::npos);
    VERIFY_ERROR(discoverCsv({.patterns = {first}, .hints = {.columnNames = {"x"}}}),
                 "csv.column_name_count");
}

void TstCsvReader::guessesHeadersAndDelimiters_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<char>("delimiter");
    QTest::addColumn<bool>("header");
    QTest::newRow("comma") << QByteArray("a,b\n1,2\n") << ',' << true;
    QTest::newRow("numbers only") << QByteArray("1,2\n3,4\n") << ',' << false;
    QTest::newRow("iris layout") << QByteArray("120,4,setosa\n6.4,2.8,2\n") << ',' << false;
    QTest::newRow("semicolon") << QByteArray("a;b\n1,5;2\n2,5;3\n") << ';' << true;
    QTest::newRow("tab") << QByteArray("a\tb\nx, y\tz\n") << '\t' << true;
    QTest::newRow("bar") << QByteArray("a|b|c\n1|2|3\n") << '|' << true;
    QTest::newRow("multi-valued cells") << QByteArray("n,tags\nx,a|b\ny,c|d\n") << ',' << true;
    QTest::newRow("one column") << QByteArray("value\n1\n2\n") << ',' << true;
    QTest::newRow("categories") << QByteArray("red,small\nblue,big\nred,big\n") << ',' << false;
    QTest::newRow("texts") << QByteArray("color,size\nred,big\n") << ',' << true;
    QTest::newRow("header only") << QByteArray("a,b,c\n") << ',' << true;
}

void TstCsvReader::guessesHeadersAndDelimiters()
{
    QFETCH(const QByteArray, text);
    const DialectGuess guess = detectDialect(text.toStdString(), true, {});
    QTEST(guess.dialect.delimiter, "delimiter");
    QTEST(guess.dialect.hasHeader, "header");
    QVERIFY(!guess.delimiterReason.empty() && !guess.layout.headerReason.empty());
}

void TstCsvReader::readsLatin1WhenTold()
{
    const std::string path = write("latin.csv", "id,city\n1,M\xFCnchen\n");
    VERIFY_ERROR(read({.patterns = {path}}, {}), "csv.invalid_utf8");
    const auto chunks = read({.patterns = {path}, .hints = {.encoding = TextEncoding::Latin1}}, {});
    VERIFY_OK(chunks);
    QCOMPARE(std::string(chunks->front().columns[1].strings()[0]), std::string("München"));
}

std::string TstCsvReader::readTextOf(const std::string& path, std::size_t blockBytes, int threads)
{
    const auto found = discoverCsv({.patterns = {path}, .hints = {.delimiter = ','}});
    if (!found) {
        return found.error().message();
    }
    if (found->files.columnNames.size() != 3) {
        return "another header";
    }
    CsvReadOptions options;
    options.columns = {{.name = "x", .index = 1, .dtype = DType::Float32},
                       {.name = "s", .index = 2}};
    options.badRows = BadRowPolicy::Skip;
    options.blockBytes = blockBytes;
    kernels::ThreadPool pool(threads);
    options.threads = kernels::lend(pool);
    CsvReader reader(found->files, options);
    std::string readText;
    while (true) {
        const auto chunk = reader.next();
        if (!chunk) {
            return readText + chunk.error().message();
        }
        if (!*chunk) {
            return readText + fmt::format("{} rows, {} bad", reader.report().rows,
                                          reader.report().badRowCount);
        }
        for (std::size_t i = 0; i < (*chunk)->rows; ++i) {
            const TableColumn& x = (*chunk)->columns[0];
            const bool isThere = x.validity.empty() || x.validity[i] != 0;
            readText += fmt::format("{} {}\n", isThere ? fmt::format("{}", x.as<float>()[i]) : "-",
                                    (*chunk)->columns[1].strings()[i]);
        }
    }
}

void TstCsvReader::everyTruncationAndFlippedByteIsToldAlikeForEveryBlock()
{
    const QByteArray whole = "id,x,s\n1,2.5,\"a \"\"b\"\"\"\r\n2,,\"c\nd\"\n3,1e5,ü\n";
    std::set<std::string> different;
    const auto attempt = [&](const QByteArray& bytes) {
        const std::string path = write("broken.csv", bytes);
        const std::string readText = readTextOf(path, 1U << 20U, 1);
        QVERIFY(!readText.empty());
        QCOMPARE(readTextOf(path, 64, 1), readText);
        QCOMPARE(readTextOf(path, 64, 3), readText);
        different.insert(readText);
    };
    attempt(whole);
    QCOMPARE(*different.begin(), std::string("2.5 a \"b\"\n- c\nd\n100000 ü\n3 rows, 0 bad"));
    for (qsizetype length = 0; length < whole.size(); ++length) {
        attempt(whole.left(length));
    }
    for (qsizetype at = 0; at < whole.size(); ++at) {
        for (const int byte : {0, 0x0A, 0x0D, 0x22, 0x2C, 0xFF}) {
            QByteArray flipped = whole;
            flipped[at] = static_cast<char>(byte);
            attempt(flipped);
        }
    }
    QVERIFY2(different.size() > 40, qPrintable(QString::number(different.size())));
}

CANNERY_TEST(TstCsvReader)
#include "tst_csv_reader.moc"
