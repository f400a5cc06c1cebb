// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/csv/csv_discovery.h"
#include "storage/tabular/other_formats.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>

using namespace cannery;
using namespace cannery::storage;

/// Files that no source reads are called by their names, with the line that converts them.
class TstOtherFormats : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void formatsAreRefusedByTheirNames_data();
    void formatsAreRefusedByTheirNames();
    void textsThatResembleThemAreTables_data();
    void textsThatResembleThemAreTables();
    void foldersAndUrlsAreNotFiles();

private:
    Result<CsvDiscovery> discover(const QByteArray& bytes) const
    {
        QFile file(m_folder.filePath("some.data"));
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) {
            qFatal("cannot write the test's file");
        }
        file.close();
        return discoverCsv({.patterns = {file.fileName().toStdString()}});
    }

    QTemporaryDir m_folder;
};

void TstOtherFormats::formatsAreRefusedByTheirNames_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<std::string>("name");
    QTest::addColumn<std::string>("cure");
    const auto row = [](const char* name, const QByteArray& bytes, const char* cure) {
        QTest::newRow(name) << bytes << std::string(name) << std::string(cure);
    };
    const auto binary = [](const char* digits) { return QByteArray::fromHex(digits); };
    row("SPSS", "$FL2@(#) SPSS DATA FILE" + binary("0200000000"), "read_spss");
    row("Stata", binary("7301010000"), "read_stata");
    row("Stata", "<stata_dta><header><release>118</release>", "read_stata");
    row("SAS", QByteArray(12, '\0') + binary("c2ea8160b31411cfbd92"), "read_sas");
    row("pickle", binary("80049500000000"), "read_pickle");
    row("NumPy array", binary("934e554d50590100760000"), "numpy.savez");
    row("RDS", "X\n" + binary("0000000300040202"), "readRDS");
    row("R data", "RDX3\nX\n" + binary("00000003"), "load(");
    row("Avro", "Obj\x01" + binary("0416617672"), "fastavro");
    row("MATLAB", "MATLAB 5.0 MAT-file, Platform: GLNXA64", "loadmat");
    row("DuckDB", binary("0102030405060708") + "DUCK" + binary("4000"), "duckdb");
    row("bzip2", "BZh91AY&SY", "bunzip2");
    row("xz", binary("fd377a585a0000"), "unxz");
    row("zstd", binary("28b52ffd2400"), "unzstd");
    row("7-Zip", binary("377abcaf271c0004"), "7z x");
    row("tar", QByteArray(257, '\0') + "ustar" + binary("0030"), "tar xf");
    row("PDF", "%PDF-1.7\n", "as CSV");
    row("HTML", "\n<!DOCTYPE html>\n<html><body><table>", "read_html(");
    row("HTML", "  <Table class='x'><tr>", "[0].to_csv");
    row("XML", "<?xml version=\"1.0\"?>\n<rows>", "read_xml");
    row("JSON", "{\"columns\": [\"a\"], \"data\": [[1]]}", "read_json");
    row("JSON", "[[1, 2], [3, 4]]", "read_json");
    row("JSON", "[\"a\", \"b\"]\n[\"c\", \"d\"]\n", "read_json");
    row("SQL", "CREATE TABLE t (a INT);\nINSERT INTO t VALUES (1);", "sqlite3");
    row("SQLite", "PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;", "sqlite3");
}

void TstOtherFormats::formatsAreRefusedByTheirNames()
{
    QFETCH(const QByteArray, bytes);
    QFETCH(std::string, name);
    QFETCH(std::string, cure);
    const auto found = discover(bytes);
    QVERIFY(!found);
    QVERIFY(found.error().id == "csv.binary_table" || found.error().id == "csv.other_text");
    const std::string& sentence = found.error().sentence;
    QVERIFY2(sentence.find(name) != std::string::npos, sentence.c_str());
    QVERIFY2(sentence.find(cure) != std::string::npos, sentence.c_str());
    QVERIFY2(sentence.find("some.data is ") != std::string::npos, sentence.c_str());
    QVERIFY2(sentence.find("{0}") == std::string::npos, sentence.c_str());
    QVERIFY2(sentence.find("{{") == std::string::npos, sentence.c_str());
}

void TstOtherFormats::textsThatResembleThemAreTables_data()
{
    QTest::addColumn<QByteArray>("text");
    for (const char* text : {"PAR1,b\n1,2\n", "ORC;b\n1;2\n", "[a],[b]\n1,2\n", "[1],[2]\n3,4\n",
                             "{a},{b}\n1,2\n", "xml,html\n1,2\n", "create,insert\n1,2\n",
                             "$FL2,b\n1,2\n", "\"[\",\"{\"\n1,2\n", "<5,b\n1,2\n"}) {
        QTest::newRow(text) << QByteArray(text);
    }
}

void TstOtherFormats::textsThatResembleThemAreTables()
{
    QFETCH(const QByteArray, text);
    VERIFY_OK(discover(text));
}

void TstOtherFormats::foldersAndUrlsAreNotFiles()
{
    VERIFY_OK(discover("a,b\n1,2\n"));
    const std::string folder = m_folder.path().toStdString();
    const auto inside = discoverCsv({.patterns = {folder}});
    VERIFY_ERROR(inside, "csv.is_a_folder");
    QVERIFY(inside.error().sentence.find("some.data") != std::string::npos);
    for (const char* url : {"https://example.org/a.csv", "/home/x/https://example.org/a.csv"}) {
        const auto far = discoverCsv({.patterns = {url}});
        VERIFY_ERROR(far, "csv.is_a_url");
        QVERIFY2(far.error().sentence.find("curl -LO \"https://example.org/a.csv\"") !=
                     std::string::npos,
                 far.error().sentence.c_str());
    }
    VERIFY_ERROR(discoverCsv({.patterns = {"s3://bucket/a.csv"}}), "csv.is_a_url");
    VERIFY_ERROR(discoverCsv({.patterns = {folder + "/absent.csv"}}), "csv.no_such_files");
}

CANNERY_TEST(TstOtherFormats)
#include "tst_other_formats.moc"
