// SPDX-License-Identifier: Apache-2.0
#include "core/data/rows/row_reader.h"
#include "core/data/sources/data_source.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <zlib.h>

#include <utility>
#include <vector>

using namespace cannery;
using namespace cannery::data;

/// Tables in zip archives.
class TstZippedTable : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theOnlyTableIsRead_data();
    void theOnlyTableIsRead();
    void severalTablesAreNamed();
    void whatIsNotATableIsRefused();

private:
    using Files = std::vector<std::pair<QByteArray, QByteArray>>;
    Result<std::unique_ptr<DataSource>> open(const Files& files);

    QTemporaryDir m_folder;
};

namespace {

void put(QByteArray& bytes, quint32 number, int count)
{
    for (int i = 0; i < count; ++i) {
        bytes.append(static_cast<char>(number >> (8 * i) & 0xFFU));
    }
}

/// What both headers of a stored file have in common.
QByteArray described(const QByteArray& name, const QByteArray& content)
{
    QByteArray bytes;
    put(bytes, 20, 2); // version
    put(bytes, 0, 8);  // flags, stored, time and date
    put(bytes,
        static_cast<quint32>(crc32(0, reinterpret_cast<const Bytef*>(content.data()),
                                   static_cast<uInt>(content.size()))),
        4);
    put(bytes, static_cast<quint32>(content.size()), 4);
    put(bytes, static_cast<quint32>(content.size()), 4);
    put(bytes, static_cast<quint32>(name.size()), 2);
    put(bytes, 0, 2);
    return bytes;
}

QByteArray zipped(const std::vector<std::pair<QByteArray, QByteArray>>& files)
{
    QByteArray archive;
    QByteArray directory;
    for (const auto& [name, content] : files) {
        const auto offset = static_cast<quint32>(archive.size());
        archive += "PK\x03\x04" + described(name, content) + name + content;
        directory += "PK\x01\x02";
        put(directory, 20, 2);
        directory += described(name, content);
        put(directory, 0, 10); // comment, disk, attributes
        put(directory, offset, 4);
        directory += name;
    }
    const auto begin = static_cast<quint32>(archive.size());
    archive += directory + "PK\x05\x06";
    put(archive, 0, 4);
    put(archive, static_cast<quint32>(files.size()), 2);
    put(archive, static_cast<quint32>(files.size()), 2);
    put(archive, static_cast<quint32>(directory.size()), 4);
    put(archive, begin, 4);
    put(archive, 0, 2);
    return archive;
}

} // namespace

Result<std::unique_ptr<DataSource>> TstZippedTable::open(const Files& files)
{
    QFile file(m_folder.filePath("t.zip"));
    const QByteArray bytes = zipped(files);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) {
        qFatal("cannot write the test file");
    }
    file.close();
    spec::DataSource message;
    message.mutable_csv()->add_files(file.fileName().toStdString());
    return openDataSource(message, {});
}

void TstZippedTable::theOnlyTableIsRead_data()
{
    QTest::addColumn<QByteArray>("name");
    QTest::addColumn<QByteArray>("beside");
    QTest::newRow("alone") << QByteArray("table") << QByteArray();
    QTest::newRow("in a folder") << QByteArray("a/t.CSV") << QByteArray("a/");
    QTest::newRow("beside a text") << QByteArray("t.tsv") << QByteArray("licence.md");
    QTest::newRow("of a Mac") << QByteArray("t.csv") << QByteArray("__MACOSX/._t.csv");
}

void TstZippedTable::theOnlyTableIsRead()
{
    QFETCH(const QByteArray, name);
    QFETCH(const QByteArray, beside);
    Files files{{name, "a\tb\n1\tx\n2\ty\n"}};
    if (!beside.isEmpty()) {
        files.insert(files.begin(), {beside, beside.endsWith('/') ? "" : "no table"});
    }
    const auto source = open(files);
    VERIFY_OK(source);
    QCOMPARE((*source)->schema().names(), (std::vector<std::string>{"a", "b"}));
    const auto stream = (*source)->read(
        {.columns = {{.column = "a"}, {.column = "b"}}, .keepOffsets = true, .fingerprint = true});
    VERIFY_OK(stream);
    const auto chunk = (*stream)->next();
    VERIFY_OK(chunk);
    QCOMPARE((*chunk)->rows, std::size_t(2));
    VERIFY_OK((*stream)->next());
    QCOMPARE(*(*stream)->fingerprint(), *(*source)->fingerprint());
    const auto rows = (*source)->rowReader();
    VERIFY_OK(rows);
    const auto texts =
        (*rows)->read({.file = 0, .begin = (*chunk)->offsets[1], .end = (*chunk)->textEnd});
    VERIFY_OK(texts);
    QCOMPARE(*texts, (std::vector<std::vector<std::string>>{{"2", "y"}}));
}

void TstZippedTable::severalTablesAreNamed()
{
    const auto source = open({{"a.csv", "x\n1\n"}, {"b.csv", "x\n2\n"}});
    VERIFY_ERROR(source, "zip.several_tables");
    QVERIFY(source.error().sentence.find("a.csv, b.csv") != std::string::npos);
}

void TstZippedTable::whatIsNotATableIsRefused()
{
    VERIFY_ERROR(open({{"[Content_Types].xml", ""}, {"xl/workbook.xml", ""}}), "csv.spreadsheet");
    VERIFY_ERROR(open({{"folder/", ""}}), "csv.zip_archive");
}

CANNERY_TEST(TstZippedTable)
#include "tst_zipped_table.moc"
