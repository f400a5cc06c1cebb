// SPDX-License-Identifier: Apache-2.0
#include "core/data/dataset.h"
#include "core/data/rows/row_reader.h"
#include "core/data/sources/data_source_catalog.h"
#include "core/data/sources/sqlite_tables.h"
#include "core/spec/data.pb.h"
#include "storage/sqlite/database.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <chrono>
#include <memory>
#include <set>
#include <stop_token>
#include <thread>

using namespace cannery;
using namespace cannery::data;

namespace {

using SqlTexts = std::vector<std::vector<std::string>>;

/// Every cell as text, "-" where it is missing.
Result<SqlTexts> readTexts(const DataSource& source)
{
    ChunkRequest request;
    for (const std::string& name : source.schema().names()) {
        request.columns.push_back({.column = name, .dtype = DType::String});
    }
    CANNERY_TRY_ASSIGN(const std::unique_ptr<ChunkStream> stream, source.read(request));
    SqlTexts rows;
    while (true) {
        CANNERY_TRY_ASSIGN(const std::optional<storage::TableChunk> chunk, stream->next());
        if (!chunk) {
            return rows;
        }
        for (std::size_t row = 0; row < chunk->rows; ++row) {
            std::vector<std::string>& cells = rows.emplace_back();
            for (const storage::TableColumn& column : chunk->columns) {
                cells.emplace_back(column.isValid(row) ? column.strings()[row] : "-");
            }
        }
    }
}

} // namespace

/// Tables and queries of SQLite databases.
class TstSqliteSource : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void aTableIsReadWithItsTypes();
    void aQueryIsReadAsATable();
    void theOnlyTableNeedsNoName();
    void refusesWhatIsNotThere();
    void refusesStatementsThatDoMoreThanSelect_data();
    void refusesStatementsThatDoMoreThanSelect();
    void writesNothingBesideTheFile();
    void aPendingLogIsRead();
    void aValueThatDoesNotFitIsNamedOrLeftOut();
    void rowsAreReadAgainByTheirNumbers();
    void damagedFilesAreErrors();
    void aCutFileIsAnError();
    void theFoundTableIsStated();
    void tablesOfSqliteItselfDoNotCount();
    void queriesThatAreNoneOrSeveralAreRefused_data();
    void queriesThatAreNoneOrSeveralAreRefused();
    void aQueryMayEndWithAComment();
    void anUnfinishedChangeIsUndoneInACopy();
    void aCleanLogLeavesNothingBehind();
    void readsBesideAWriterAreOfOneMoment_data();
    void readsBesideAWriterAreOfOneMoment();

private:
    std::string fileOf(const std::string& name) const
    {
        return m_folder.filePath(QString::fromStdString(name)).toStdString();
    }
    Result<std::unique_ptr<DataSource>> open(const std::string& table, const std::string& query,
                                             const SourceOptions& options = {}) const;

    QTemporaryDir m_folder;
};

void TstSqliteSource::initTestCase()
{
    auto database =
        storage::Database::open(fileOf("people.db"), storage::DatabaseMode::ReadWriteCreate);
    VERIFY_OK(database);
    VERIFY_OK(database->execute(
        "PRAGMA journal_mode = DELETE;"
        "CREATE TABLE people (age INTEGER, weight REAL, name TEXT, photo BLOB, \"odd \"\"name\" "
        "TEXT);"
        "INSERT INTO people VALUES (31, 70.5, 'Ann', x'ff00', '7');"
        "INSERT INTO people VALUES (NULL, 80, 'Bo', NULL, '8');"
        "INSERT INTO people VALUES (47, NULL, '', x'00', NULL);"
        "CREATE VIEW old AS SELECT age FROM people WHERE age > 40;"
        "CREATE TABLE empty (x)"));
}

Result<std::unique_ptr<DataSource>> TstSqliteSource::open(const std::string& table,
                                                          const std::string& query,
                                                          const SourceOptions& options) const
{
    spec::DataSource source;
    source.mutable_sqlite()->set_file(fileOf("people.db"));
    if (!table.empty()) {
        source.mutable_sqlite()->set_table(table);
    }
    if (!query.empty()) {
        source.mutable_sqlite()->set_query(query);
    }
    return openDataSource(source, options);
}

void TstSqliteSource::aTableIsReadWithItsTypes()
{
    const auto source = open("people", "");
    VERIFY_OK(source);
    QCOMPARE((*source)->schema().names(),
             (std::vector<std::string>{"age", "weight", "name", "odd \"name"}));
    QVERIFY((*source)->schema().columns[0].dtype == DType::Int32);
    QVERIFY((*source)->schema().columns[1].dtype == DType::Float32);
    QVERIFY((*source)->schema().columns[2].dtype == DType::String);
    QVERIFY((*source)->schema().columns[3].dtype == DType::Int32); // texts that are numbers
    QVERIFY((*source)->schema().warnings.front().find("photo") != std::string::npos);
    QCOMPARE(*readTexts(**source),
             (SqlTexts{{"31", "70.5", "Ann", "7"}, {"-", "80", "Bo", "8"}, {"47", "-", "-", "-"}}));
    QCOMPARE(*(*source)->preview(2), (SqlTexts{{"31", "70.5", "Ann", "7"}, {"", "80", "Bo", "8"}}));
    QCOMPARE((*source)->fingerprint()->size(), std::size_t{16});
    const auto unknown = open("people", "", {.kinds = ColumnKinds::Unknown});
    VERIFY_OK(unknown);
    QCOMPARE((*source)->schema().columns[0].distinct, std::uint64_t(2));
    QCOMPARE((*unknown)->schema().columns[0].distinct, std::uint64_t(0));
    QVERIFY((*unknown)->schema().columns[0].dtype == DType::Int32);
}

void TstSqliteSource::aQueryIsReadAsATable()
{
    const auto source =
        open("", "SELECT age, weight * 2 AS twice FROM people WHERE age IS NOT NULL ORDER BY age "
                 "DESC; ");
    VERIFY_OK(source);
    QCOMPARE(*readTexts(**source), (SqlTexts{{"47", "-"}, {"31", "141"}}));
    const auto view = open("old", "");
    VERIFY_OK(view);
    QCOMPARE(*readTexts(**view), (SqlTexts{{"47"}}));
}

void TstSqliteSource::theOnlyTableNeedsNoName()
{
    const auto several = open("", "");
    VERIFY_ERROR(several, "sqlite_source.which_table");
    QVERIFY(several.error().sentence.find("people") != std::string::npos);
    const std::string file = fileOf("single.db");
    auto database = storage::Database::open(file, storage::DatabaseMode::ReadWriteCreate);
    VERIFY_OK(database);
    VERIFY_OK(database->execute("CREATE TABLE t (x); INSERT INTO t VALUES (1)"));
    spec::DataSource source = sourceOfFile(file);
    QVERIFY(source.has_sqlite());
    VERIFY_OK(openDataSource(source, {}));
}

void TstSqliteSource::refusesWhatIsNotThere()
{
    const auto other = open("peeple", "");
    VERIFY_ERROR(other, "sqlite_source.no_table");
    QVERIFY(other.error().sentence.find("people") != std::string::npos);
    VERIFY_ERROR(open("empty", ""), "sqlite_source.no_rows");
    VERIFY_ERROR(open("", "SELECT nothing FROM people"), "sqlite_source.query");
    VERIFY_ERROR(open("", "SELECT age, weight AS age FROM people"), "sqlite_source.two_columns");
    spec::DataSource source;
    source.mutable_sqlite()->set_file(fileOf("absent.db"));
    VERIFY_ERROR(openDataSource(source, {}), "io.system");
}

void TstSqliteSource::refusesStatementsThatDoMoreThanSelect_data()
{
    QTest::addColumn<std::string>("query");
    for (const char* query :
         {"DELETE FROM people", "ATTACH 'other.db' AS other", "PRAGMA journal_mode = WAL",
          "CREATE TABLE more (x)", "INSERT INTO people VALUES (1, 2, 3, 4, 5) RETURNING age",
          "SELECT load_extension('evil')", "VACUUM INTO 'copy.db'"}) {
        QTest::newRow(query) << std::string(query);
    }
}

void TstSqliteSource::refusesStatementsThatDoMoreThanSelect()
{
    QFETCH(std::string, query);
    VERIFY_ERROR(open("", query), "sqlite_source.query");
    QCOMPARE(readTexts(**open("people", ""))->size(), std::size_t{3});
}

void TstSqliteSource::writesNothingBesideTheFile()
{
    const QStringList before = QDir(m_folder.path()).entryList(QDir::Files);
    QFile file(m_folder.filePath("people.db"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray bytes = file.readAll();
    const auto source = open("people", "");
    VERIFY_OK(source);
    VERIFY_OK(readTexts(**source));
    QCOMPARE(QDir(m_folder.path()).entryList(QDir::Files), before);
    file.seek(0);
    QVERIFY(file.readAll() == bytes);
}

void TstSqliteSource::aPendingLogIsRead()
{
    const std::string file = fileOf("log.db");
    auto database = storage::Database::open(file, storage::DatabaseMode::ReadWriteCreate);
    VERIFY_OK(database);
    VERIFY_OK(database->execute("CREATE TABLE t (x); INSERT INTO t VALUES (5), (6)"));
    QVERIFY(QFile::exists(QString::fromStdString(file) + "-wal"));
    const auto source = openDataSource(sourceOfFile(file), {});
    VERIFY_OK(source);
    QCOMPARE(*readTexts(**source), (SqlTexts{{"5"}, {"6"}}));
    QCOMPARE((*source)->files().size(), std::size_t{2});
}

void TstSqliteSource::aValueThatDoesNotFitIsNamedOrLeftOut()
{
    SourceOptions options;
    options.columns.emplace_back().set_name("name");
    options.columns.back().set_dtype(spec::DataType::int32);
    const auto strict = open("people", "", options);
    VERIFY_OK(strict);
    ChunkRequest request{.columns = {{.column = "name"}, {.column = "weight"}}};
    const auto refused = (*(*strict)->read(request))->next();
    VERIFY_ERROR(refused, "sqlite_source.unusable_row");
    QVERIFY(refused.error().sentence.find("row 1: the value of column name is not a number") !=
            std::string::npos);
    options.badRows = spec::BadRows::SKIP;
    const auto lenient = open("people", "", options);
    const auto stream = (*lenient)->read(request);
    const auto chunk = (*stream)->next();
    VERIFY_OK(chunk);
    QCOMPARE((*chunk)->rows, std::size_t{1});
    QCOMPARE((*chunk)->lines, (std::vector<std::uint64_t>{3}));
    // Read again, the same rows are left out.
    QCOMPARE((*(*lenient)->rowReader())->read({0, 0, 3})->size(), std::size_t{1});
    QCOMPARE((*stream)->report().badRowCount, std::uint64_t{2});
}

void TstSqliteSource::rowsAreReadAgainByTheirNumbers()
{
    const auto source = open("people", "");
    const auto rows = (*source)->rowReader();
    VERIFY_OK(rows);
    QCOMPARE(*(*rows)->read({0, 1, 3}), (SqlTexts{{"", "80", "Bo", "8"}, {"47", "", "", ""}}));
}

void TstSqliteSource::damagedFilesAreErrors()
{
    QFile file(m_folder.filePath("people.db"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray good = file.readAll();
    spec::DataSource source;
    source.mutable_sqlite()->set_file(fileOf("damaged.db"));
    source.mutable_sqlite()->set_table("people");
    for (int at = 0; at < good.size(); at += at < 200 ? 1 : 97) {
        QByteArray bytes = good;
        bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
        QFile damaged(m_folder.filePath("damaged.db"));
        QVERIFY(damaged.open(QIODevice::WriteOnly));
        QCOMPARE(damaged.write(bytes), qint64(bytes.size()));
        damaged.close();
        const auto opened = openDataSource(source, {});
        if (opened) {
            const auto texts = readTexts(**opened);
            QVERIFY(!texts || texts->size() <= 3);
        }
    }
    for (const int length : {0, 10, 100, 600, 4096}) {
        QFile cut(m_folder.filePath("damaged.db"));
        QVERIFY(cut.open(QIODevice::WriteOnly));
        QCOMPARE(cut.write(good.left(length)), qint64(length));
        cut.close();
        QVERIFY(!openDataSource(source, {}));
    }
}

/// Whole pages and half a page less; rows of empty cells would be what SQLite makes of zeros.
void TstSqliteSource::aCutFileIsAnError()
{
    const std::string file = fileOf("long.db");
    auto database = storage::Database::open(file, storage::DatabaseMode::ReadWriteCreate);
    VERIFY_OK(database);
    VERIFY_OK(database->execute(
        "PRAGMA journal_mode = DELETE; CREATE TABLE t (a, b); WITH RECURSIVE n(i) AS (VALUES (1) "
        "UNION ALL SELECT i + 1 FROM n WHERE i < 3000) INSERT INTO t SELECT i, i % 7 FROM n"));
    // As other programs write it, without checksums.
    VERIFY_OK(database->execute(
        QStringLiteral("VACUUM INTO '%1'").arg(m_folder.filePath("plain.db")).toStdString()));
    QFile plain(m_folder.filePath("plain.db"));
    QVERIFY(plain.open(QIODevice::ReadOnly));
    const QByteArray good = plain.readAll();
    for (qsizetype length = 1000; length < good.size(); length += 1000) {
        QFile cut(m_folder.filePath("cut.db"));
        QVERIFY(cut.open(QIODevice::WriteOnly));
        QCOMPARE(cut.write(good.left(length)), length);
        cut.close();
        spec::DataSource source;
        source.mutable_sqlite()->set_file(fileOf("cut.db"));
        source.mutable_sqlite()->set_table("t");
        const auto opened = openDataSource(source, {});
        QVERIFY2(!opened || !readTexts(**opened), qPrintable(QString::number(length)));
    }
}

void TstSqliteSource::theFoundTableIsStated()
{
    const std::string file = fileOf("one.db");
    auto database = storage::Database::open(file, storage::DatabaseMode::ReadWriteCreate);
    VERIFY_OK(database->execute("CREATE TABLE \"a b\" (x); INSERT INTO \"a b\" VALUES (1)"));
    const auto source = openDataSource(sourceOfFile(file), {});
    VERIFY_OK(source);
    QCOMPARE((*source)->settings().size(), std::size_t{1});
    QCOMPARE((*source)->settings().front().field, std::string("table"));
    QCOMPARE((*source)->settings().front().value, std::string("a b"));
    QVERIFY((*source)->settings().front().belongsInExperiment);
    QVERIFY((*open("people", ""))->settings().empty());
}

void TstSqliteSource::tablesOfSqliteItselfDoNotCount()
{
    const std::string file = fileOf("inner.db");
    auto database = storage::Database::open(file, storage::DatabaseMode::ReadWriteCreate);
    VERIFY_OK(database->execute(
        "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, x); INSERT INTO t (x) VALUES (7); "
        "CREATE INDEX i ON t (x); ANALYZE"));
    VERIFY_OK(openDataSource(sourceOfFile(file), {}));
    VERIFY_OK(database->execute("CREATE VIRTUAL TABLE words USING fts5(body)"));
    const auto tables = sqliteTables(file);
    VERIFY_OK(tables);
    QCOMPARE(tables->size(), std::size_t{2});
    QCOMPARE(tables->front().name, std::string("t"));
    QCOMPARE(tables->front().columns, (std::vector<std::string>{"id", "x"}));
    QCOMPARE(tables->back().name, std::string("words"));
}

void TstSqliteSource::queriesThatAreNoneOrSeveralAreRefused_data()
{
    QTest::addColumn<std::string>("query");
    for (const char* query : {" ", ";", "-- nothing", "/* nothing */",
                              "SELECT 1 AS a; SELECT 2 AS b", "SELECT 1 AS a; nonsense"}) {
        QTest::newRow(query) << std::string(query);
    }
}

void TstSqliteSource::queriesThatAreNoneOrSeveralAreRefused()
{
    QFETCH(std::string, query);
    VERIFY_ERROR(open("", query), "sqlite_source.query");
}

void TstSqliteSource::aQueryMayEndWithAComment()
{
    for (const char* query :
         {"SELECT age FROM people -- all of them", "/* one */ SELECT age FROM people; -- two"}) {
        const auto source = open("", query);
        VERIFY_OK(source);
        QCOMPARE((*source)->preview(1)->front().front(), std::string("31"));
        QCOMPARE(readTexts(**source)->size(), std::size_t{3});
    }
}

/// A writer was killed between two of its pages: the journal holds what was there before.
void TstSqliteSource::anUnfinishedChangeIsUndoneInACopy()
{
    const std::string file = fileOf("hot.db");
    const QString copy = m_folder.filePath("killed.db");
    auto database = storage::Database::open(file, storage::DatabaseMode::ReadWriteCreate);
    VERIFY_OK(database->execute(
        "PRAGMA journal_mode = DELETE; PRAGMA cache_size = 5; CREATE TABLE t (a, pad); WITH "
        "RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO t "
        "SELECT 100, printf('%200d', i) FROM n; BEGIN; UPDATE t SET a = 50 WHERE rowid % 2 = 0"));
    QVERIFY(QFile::copy(QString::fromStdString(file), copy));
    QVERIFY(QFile::copy(QString::fromStdString(file) + "-journal", copy + "-journal"));
    VERIFY_OK(database->execute("ROLLBACK"));
    QFile killed(copy);
    QVERIFY(killed.open(QIODevice::ReadOnly));
    const QByteArray before = killed.readAll();
    const auto source = openDataSource(sourceOfFile(copy.toStdString()), {});
    VERIFY_OK(source);
    const auto rows = readTexts(**source);
    VERIFY_OK(rows);
    QCOMPARE(rows->size(), std::size_t{2000});
    for (const std::vector<std::string>& cells : *rows) {
        QCOMPARE(cells.front(), std::string("100"));
    }
    QVERIFY(QFile::exists(copy + "-journal"));
    killed.seek(0);
    QVERIFY(killed.readAll() == before);
}

void TstSqliteSource::aCleanLogLeavesNothingBehind()
{
    const std::string file = fileOf("clean.db");
    {
        auto database = storage::Database::open(file, storage::DatabaseMode::ReadWriteCreate);
        VERIFY_OK(database->execute("CREATE TABLE t (x); INSERT INTO t VALUES (5)"));
    }
    const QStringList before = QDir(m_folder.path()).entryList(QDir::Files);
    {
        const auto source = openDataSource(sourceOfFile(file), {});
        VERIFY_OK(source);
        QCOMPARE(*readTexts(**source), (SqlTexts{{"5"}}));
    }
    QCOMPARE(QDir(m_folder.path()).entryList(QDir::Files), before);
}

void TstSqliteSource::readsBesideAWriterAreOfOneMoment_data()
{
    QTest::addColumn<std::string>("journal");
    QTest::newRow("journal") << std::string("DELETE");
    QTest::newRow("log") << std::string("WAL");
}

/// Each change gives all rows one value, so a read that sees two values is torn.
void TstSqliteSource::readsBesideAWriterAreOfOneMoment()
{
    QFETCH(std::string, journal);
    const std::string file = fileOf("shared-" + journal + ".db");
    auto database = storage::Database::open(file, storage::DatabaseMode::ReadWriteCreate);
    VERIFY_OK(database);
    VERIFY_OK(database->execute(
        "PRAGMA journal_mode = " + journal +
        "; PRAGMA synchronous = OFF; PRAGMA cache_size = 5; "
        "CREATE TABLE t (a INTEGER, pad TEXT); WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT "
        "i + 1 FROM n WHERE i < 3000) INSERT INTO t SELECT 0, printf('%100d', i) FROM n"));
    std::jthread writer([&](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            static_cast<void>(database->execute("UPDATE t SET a = a + 1"));
            // A reader can begin in between; otherwise it waits for seconds, by chance.
            std::this_thread::sleep_for(std::chrono::milliseconds(3));
        }
    });
    std::set<std::string> seen;
    for (int i = 0; i < 55; ++i) {
        const auto source = openDataSource(sourceOfFile(file), {});
        VERIFY_OK(source);
        const auto rows = readTexts(**source);
        VERIFY_OK(rows);
        QCOMPARE(rows->size(), std::size_t{3000});
        std::set<std::string> values;
        for (const std::vector<std::string>& cells : *rows) {
            values.insert(cells.front());
        }
        QCOMPARE(values.size(), std::size_t{1});
        seen.insert(*values.begin());
    }
    QVERIFY(seen.size() > 1);
}

CANNERY_TEST(TstSqliteSource)
#include "tst_sqlite_source.moc"
