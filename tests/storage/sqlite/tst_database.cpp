// SPDX-License-Identifier: Apache-2.0
#include "storage/io/files.h"
#include "storage/sqlite/database.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

#include <sqlite3.h>

#include <filesystem>
#include <fstream>

using namespace cannery;
using namespace cannery::storage;

namespace {

constexpr std::size_t kPage = 4096;

/// Another program that uses SQLite, without our checksums.
class OtherProgram
{
public:
    explicit OtherProgram(const std::filesystem::path& path)
    {
        sqlite3_open(path.c_str(), &m_database);
    }
    ~OtherProgram() { sqlite3_close(m_database); }
    OtherProgram(const OtherProgram&) = delete;
    OtherProgram& operator=(const OtherProgram&) = delete;

    bool execute(const char* sql)
    {
        return sqlite3_exec(m_database, sql, nullptr, nullptr, nullptr) == SQLITE_OK;
    }
    /// The first column of the first row.
    std::string text(const char* sql)
    {
        sqlite3_stmt* statement = nullptr;
        std::string found;
        if (sqlite3_prepare_v2(m_database, sql, -1, &statement, nullptr) == SQLITE_OK &&
            sqlite3_step(statement) == SQLITE_ROW) {
            found = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
        }
        sqlite3_finalize(statement);
        return found;
    }

private:
    sqlite3* m_database = nullptr;
};

/// A table of several pages, with texts too long for one.
constexpr const char* kRows =
    "CREATE TABLE t (i INTEGER PRIMARY KEY, s TEXT); "
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40) "
    "INSERT INTO t SELECT i, hex(zeroblob(i * 120)) || i FROM n";

Result<std::string> rowsOf(Database& database)
{
    CANNERY_TRY_ASSIGN(Statement rows, database.prepare("SELECT i, s FROM t"));
    std::string all;
    while (true) {
        CANNERY_TRY_ASSIGN(const bool hasRow, rows.step());
        if (!hasRow) {
            return all;
        }
        all += std::to_string(rows.integer(0)) + " " + rows.text(1) + "\n";
    }
}

Result<std::string> rowsOf(const std::filesystem::path& path)
{
    CANNERY_TRY_ASSIGN(Database database, Database::open(path, DatabaseMode::ReadWriteCreate));
    CANNERY_TRY(database.requirePageChecksums());
    return rowsOf(database);
}

void write(const std::filesystem::path& path, const std::string& bytes)
{
    std::ofstream(path, std::ios::binary) << bytes;
}

} // namespace

class TstDatabase : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void keepsValuesOfEveryType();
    void rollsBackAFailedTransaction();
    void nestedTransactionJoinsTheOuterOne();
    void refusesAFileThatIsNoDatabase();
    void refusesAMissingFileUnlessItMayBeCreated();
    void refusesToWriteThroughAReadOnlyConnection();
    void saysThatTheDiskIsFull();
    void usesWriteAheadLogging();
    void noticesADamagedPage();
    void noticesAPageInAnothersPlace();
    void anotherProgramReads();
    void aPageWithoutChecksumIsDamaged();
    void checksumsOfZerosAreDamage();
    void addsChecksumsToTheFileOfAnotherProgram();
    void repairReadsDamagedPagesAndReplacesThem();

private:
    std::filesystem::path file() const { return m_folder->filePath("a.db").toStdString(); }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void TstDatabase::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
}

void TstDatabase::keepsValuesOfEveryType()
{
    auto database = Database::open(file(), DatabaseMode::ReadWriteCreate);
    VERIFY_OK(database);
    VERIFY_OK(database->execute("CREATE TABLE t (i INTEGER, r REAL, s TEXT, n TEXT)"));
    auto insert = database->prepare("INSERT INTO t VALUES (?, ?, ?, ?)");
    VERIFY_OK(insert);
    const std::string textWithNul("a\0b", 3);
    for (int row = 0; row < 2; ++row) {
        insert->bind(0, std::int64_t{1} << 62).bind(1, 0.1).bind(2, std::string_view(textWithNul));
        insert->bind(3, std::optional<std::string_view>());
        VERIFY_OK(insert->run());
    }
    QCOMPARE(database->lastInsertId(), 2);
    auto select = database->prepare("SELECT i, r, s, n FROM t");
    VERIFY_OK(select);
    QCOMPARE(select->step().value(), true);
    QCOMPARE(select->integer(0), std::int64_t{1} << 62);
    QCOMPARE(select->real(1), 0.1);
    QCOMPARE(select->text(2), textWithNul);
    QVERIFY(select->isNull(3));
    QVERIFY(!select->optionalText(3).has_value());
    QCOMPARE(select->step().value(), true);
    QCOMPARE(select->step().value(), false);
}

void TstDatabase::rollsBackAFailedTransaction()
{
    auto database = Database::open(file(), DatabaseMode::ReadWriteCreate);
    VERIFY_OK(database);
    VERIFY_OK(database->execute("CREATE TABLE t (i INTEGER PRIMARY KEY)"));
    VERIFY_ERROR(database->transaction([&]() -> Result<void> {
        CANNERY_TRY(database->execute("INSERT INTO t VALUES (1)"));
        return database->execute("INSERT INTO t VALUES (1)");
    }),
                 "sqlite.failed");
    QCOMPARE(database->queryInteger("SELECT count(*) FROM t").value(), 0);
}

void TstDatabase::nestedTransactionJoinsTheOuterOne()
{
    auto database = Database::open(file(), DatabaseMode::ReadWriteCreate);
    VERIFY_OK(database);
    VERIFY_OK(database->execute("CREATE TABLE t (i INTEGER PRIMARY KEY)"));
    VERIFY_OK(database->transaction([&] {
        return database->transaction([&] { return database->execute("INSERT INTO t VALUES (1)"); });
    }));
    QCOMPARE(database->queryInteger("SELECT count(*) FROM t").value(), 1);
}

void TstDatabase::refusesAFileThatIsNoDatabase()
{
    std::ofstream(file()) << std::string(4096, 'x');
    VERIFY_ERROR(Database::open(file(), DatabaseMode::ReadWriteCreate), "sqlite.corrupt");
}

void TstDatabase::refusesAMissingFileUnlessItMayBeCreated()
{
    VERIFY_ERROR(Database::open(file(), DatabaseMode::ReadWrite), "sqlite.cannot_open");
    VERIFY_ERROR(Database::open(file(), DatabaseMode::ReadOnly), "sqlite.cannot_open");
}

void TstDatabase::refusesToWriteThroughAReadOnlyConnection()
{
    VERIFY_OK(Database::open(file(), DatabaseMode::ReadWriteCreate));
    auto database = Database::open(file(), DatabaseMode::ReadOnly);
    VERIFY_OK(database);
    VERIFY_ERROR(database->execute("CREATE TABLE t (i INTEGER)"), "sqlite.read_only");
}

void TstDatabase::saysThatTheDiskIsFull()
{
    auto database = Database::open(file(), DatabaseMode::ReadWriteCreate);
    VERIFY_OK(database);
    VERIFY_OK(database->execute("PRAGMA max_page_count = 4; CREATE TABLE t (s TEXT)"));
    VERIFY_ERROR(database->execute("INSERT INTO t VALUES (zeroblob(100000))"), "sqlite.full");
}

void TstDatabase::usesWriteAheadLogging()
{
    auto database = Database::open(file(), DatabaseMode::ReadWriteCreate);
    VERIFY_OK(database);
    auto mode = database->prepare("PRAGMA journal_mode");
    VERIFY_OK(mode);
    QVERIFY(mode->step().value());
    QCOMPARE(mode->text(0), std::string("wal"));
}

void TstDatabase::noticesADamagedPage()
{
    VERIFY_OK(Database::open(file(), DatabaseMode::ReadWriteCreate)->execute(kRows));
    const std::string whole = *readWholeFile(file());
    const auto rows = rowsOf(file());
    VERIFY_OK(rows);
    QVERIFY(whole.size() > 10 * kPage);
    for (std::size_t at = 5; at < whole.size(); at += 331) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
        write(file(), damaged);
        VERIFY_ERROR(rowsOf(file()), "sqlite.corrupt");
    }
    for (std::size_t size = 3; size < whole.size(); size += 331) {
        write(file(), whole.substr(0, size));
        VERIFY_ERROR(rowsOf(file()), "sqlite.corrupt");
    }
    write(file(), whole);
    QCOMPARE(rowsOf(file()), rows);
}

void TstDatabase::noticesAPageInAnothersPlace()
{
    VERIFY_OK(Database::open(file(), DatabaseMode::ReadWriteCreate)->execute(kRows));
    std::string whole = *readWholeFile(file());
    std::swap_ranges(whole.begin() + 5 * kPage, whole.begin() + 6 * kPage,
                     whole.begin() + 8 * kPage);
    write(file(), whole);
    VERIFY_ERROR(rowsOf(file()), "sqlite.corrupt");
}

void TstDatabase::anotherProgramReads()
{
    VERIFY_OK(Database::open(file(), DatabaseMode::ReadWriteCreate)->execute(kRows));
    const auto rows = rowsOf(file());
    {
        OtherProgram other(file());
        QCOMPARE(other.text("SELECT count(*) FROM t"), std::string("40"));
        QCOMPARE(other.text("PRAGMA integrity_check"), std::string("ok"));
    }
    QCOMPARE(rowsOf(file()), rows);
}

/// What one of our killed programs has left in the log is copied to the file by the next program to
/// open it; other programs do not know about checksums.
void TstDatabase::aPageWithoutChecksumIsDamaged()
{
    const std::string killed = m_folder->filePath("killed.db").toStdString();
    std::string rows;
    {
        auto database = Database::open(file(), DatabaseMode::ReadWriteCreate);
        VERIFY_OK(database);
        VERIFY_OK(database->execute("PRAGMA wal_autocheckpoint = 0"));
        VERIFY_OK(database->execute(kRows));
        VERIFY_OK(database->execute("PRAGMA wal_checkpoint; UPDATE t SET s = 'new' WHERE i = 7"));
        rows = *rowsOf(*database);
        std::filesystem::copy_file(file(), killed);
        std::filesystem::copy_file(file().string() + "-wal", killed + "-wal");
    }
    {
        OtherProgram other(killed);
        QCOMPARE(other.text("SELECT s FROM t WHERE i = 7"), std::string("new"));
    }
    QVERIFY(!exists(killed + "-wal"));
    VERIFY_ERROR(rowsOf(killed), "sqlite.corrupt");
    auto repaired = Database::open(killed, DatabaseMode::Repair);
    VERIFY_OK(repaired);
    QCOMPARE(rowsOf(*repaired), rows);
}

/// "../../important" in a store whose checksums were overwritten with zeros.
void TstDatabase::checksumsOfZerosAreDamage()
{
    VERIFY_OK(Database::open(file(), DatabaseMode::ReadWriteCreate)->execute(kRows));
    const std::string whole = *readWholeFile(file());
    for (std::size_t page = 0; page < whole.size() / kPage; ++page) {
        std::string damaged = whole;
        damaged.replace((page + 1) * kPage - 8, 8, 8, '\0');
        write(file(), damaged);
        VERIFY_ERROR(rowsOf(file()), "sqlite.corrupt");
    }
}

void TstDatabase::addsChecksumsToTheFileOfAnotherProgram()
{
    QVERIFY(OtherProgram(file()).execute(kRows));
    {
        auto database = Database::open(file(), DatabaseMode::ReadWriteCreate);
        VERIFY_OK(database);
        VERIFY_ERROR(database->requirePageChecksums(), "sqlite.corrupt");
        const auto rows = rowsOf(*database);
        VERIFY_OK(rows);
        VERIFY_OK(database->addPageChecksums());
        VERIFY_OK(database->requirePageChecksums());
        QCOMPARE(rowsOf(*database), rows);
    }
    std::string whole = *readWholeFile(file());
    whole[3 * kPage + 100] = static_cast<char>(whole[3 * kPage + 100] ^ 1);
    write(file(), whole);
    VERIFY_ERROR(rowsOf(file()), "sqlite.corrupt");
}

void TstDatabase::repairReadsDamagedPagesAndReplacesThem()
{
    VERIFY_OK(Database::open(file(), DatabaseMode::ReadWriteCreate)->execute(kRows));
    const auto rows = rowsOf(file());
    std::string whole = *readWholeFile(file());
    const std::size_t digit = whole.find("0000000000", 3 * kPage) + 5;
    whole[digit] = '1';
    write(file(), whole);
    {
        auto damaged = Database::open(file(), DatabaseMode::ReadOnly);
        VERIFY_OK(damaged);
        VERIFY_ERROR(damaged->checkIntegrity(), "sqlite.corrupt");
    }
    auto repaired = Database::open(file(), DatabaseMode::Repair);
    VERIFY_OK(repaired);
    const auto changed = rowsOf(*repaired);
    VERIFY_OK(changed);
    QCOMPARE(changed->size(), rows->size());
    QVERIFY(*changed != *rows);
    auto fresh = Database::open(":memory:", DatabaseMode::ReadWriteCreate);
    VERIFY_OK(fresh);
    VERIFY_OK(fresh->execute("CREATE TABLE t (i INTEGER PRIMARY KEY, s TEXT); "
                             "INSERT INTO t VALUES (1, 'mended')"));
    VERIFY_OK(repaired->replaceWith(*fresh));
    QCOMPARE(rowsOf(file()), std::string("1 mended\n"));
}

CANNERY_TEST(TstDatabase)
#include "tst_database.moc"
