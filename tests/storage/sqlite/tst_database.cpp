#include "storage/sqlite/database.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

#include <filesystem>
#include <fstream>

using namespace cannery;
using namespace cannery::storage;

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

CANNERY_TEST(TstDatabase)
#include "tst_database.moc"
