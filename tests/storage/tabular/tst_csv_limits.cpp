// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/csv/csv_discovery.h"
#include "storage/tabular/csv/csv_limits.h"
#include "storage/tabular/csv/csv_reader.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>

using namespace cannery;
using namespace cannery::storage;

/// The limits on reading a table are settings, and an error names the setting.
class TstCsvLimits : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void cleanup();
    void valuesStayInTheirRange();
    void theSettingDecides_data();
    void theSettingDecides();

private:
    Result<std::uint64_t> rowsOf(const std::string& text) const;

    QTemporaryDir m_folder;
};

void TstCsvLimits::cleanup()
{
    for (const CsvLimit& limit : {kCsvRecordBytes, kCsvColumns, kCsvCellBytes}) {
        qunsetenv(limit.variable);
    }
}

void TstCsvLimits::valuesStayInTheirRange()
{
    for (const CsvLimit& limit : {kCsvRecordBytes, kCsvColumns, kCsvCellBytes}) {
        QCOMPARE(limit.value(), limit.standard);
        const std::pair<QByteArray, std::size_t> said[] = {
            {"", limit.standard},
            {"many", limit.standard},
            {"7 MiB", limit.standard},
            {"-5", limit.standard},
            {"0", limit.least},
            {"99999999999999999999999", limit.most},
            {QByteArray::number(quint64(limit.least + 1)), limit.least + 1}};
        for (const auto& [text, value] : said) {
            qputenv(limit.variable, text);
            QCOMPARE(limit.value(), value);
        }
    }
}

Result<std::uint64_t> TstCsvLimits::rowsOf(const std::string& text) const
{
    const std::string path = m_folder.filePath("table.csv").toStdString();
    std::ofstream(path, std::ios::binary) << text;
    CANNERY_TRY_ASSIGN(CsvDiscovery found, discoverCsv({.patterns = {path}}));
    CsvReadOptions options;
    options.columns = {{.name = "a", .index = 0, .dtype = DType::String}};
    CsvReader reader(std::move(found.files), std::move(options));
    while (true) {
        CANNERY_TRY_ASSIGN(const std::optional<TableChunk> chunk, reader.next());
        if (!chunk) {
            return reader.report().rows;
        }
    }
}

void TstCsvLimits::theSettingDecides_data()
{
    QTest::addColumn<CsvLimit>("limit");
    QTest::addColumn<QByteArray>("lower");
    QTest::addColumn<std::string>("text");
    QTest::addColumn<QByteArray>("id");
    QTest::newRow("columns") << kCsvColumns << QByteArray("3") << std::string("a,b,c,d\n1,2,3,4\n")
                             << QByteArray("csv.too_many_columns");
    QTest::newRow("cell") << kCsvCellBytes << QByteArray("5000")
                          << "a,b\n" + std::string(5001, 'x') + ",2\n"
                          << QByteArray("csv.field_length");
    QTest::newRow("record") << kCsvRecordBytes << QByteArray("1500000")
                            << "a,b\n" + std::string(3U << 20U, 'x') + ",2\n"
                            << QByteArray("csv.record_too_long");
}

void TstCsvLimits::theSettingDecides()
{
    QFETCH(CsvLimit, limit);
    QFETCH(QByteArray, lower);
    QFETCH(std::string, text);
    QFETCH(QByteArray, id);
    const auto read = rowsOf(text);
    VERIFY_OK(read);
    QCOMPARE(*read, std::uint64_t{1});
    qputenv(limit.variable, lower);
    const auto refused = rowsOf(text);
    VERIFY_ERROR(refused, id.constData());
    QVERIFY(refused.error().sentence.find(limit.variable) != std::string::npos);
    QVERIFY(refused.error().sentence.find(lower.toStdString()) != std::string::npos);
}

CANNERY_TEST(TstCsvLimits)
#include "tst_csv_limits.moc"
