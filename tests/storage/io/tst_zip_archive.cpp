// SPDX-License-Identifier: Apache-2.0
#include "storage/io/files.h"
#include "storage/io/zip_archive.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>

#include <thread>

using namespace cannery;
using namespace cannery::storage;

namespace {

const std::string kFolder = CANNERY_SOURCE_DIR "/tests/golden/npz/";

/// The whole entry, `step` bytes at a time.
Result<std::string> contentOf(const ZipArchive& archive, const ZipEntry& entry, std::size_t step)
{
    CANNERY_TRY_ASSIGN(const ByteSource bytes, archive.read(entry));
    std::string text;
    std::string room(step, '\0');
    while (true) {
        CANNERY_TRY_ASSIGN(const std::size_t got, bytes(std::as_writable_bytes(std::span(room))));
        if (got == 0) {
            return text;
        }
        text += room.substr(0, got);
    }
}

void write(const std::string& path, const std::string& bytes)
{
    QFile file(QString::fromStdString(path));
    if (!file.open(QIODevice::WriteOnly) ||
        file.write(bytes.data(), qint64(bytes.size())) != qint64(bytes.size())) {
        qFatal("cannot write the test's archive");
    }
}

} // namespace

class TstZipArchive : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void entriesOfBothKindsAreTheSame();
    void aChecksumIsComparedAtTheLastByte_data();
    void aChecksumIsComparedAtTheLastByte();
    void threadsReadOneArchive();
    void otherFilesAreNoArchives();
};

void TstZipArchive::entriesOfBothKindsAreTheSame()
{
    const auto stored = ZipArchive::open(kFolder + "stored.npz");
    const auto deflated = ZipArchive::open(kFolder + "deflated.npz");
    VERIFY_OK(stored);
    VERIFY_OK(deflated);
    QCOMPARE(stored->entries().size(), deflated->entries().size());
    for (std::size_t i = 0; i < stored->entries().size(); ++i) {
        const ZipEntry& entry = stored->entries()[i];
        QCOMPARE(entry.name, deflated->entries()[i].name);
        const auto content = contentOf(*stored, entry, 1000);
        VERIFY_OK(content);
        QCOMPARE(content->size(), std::size_t(entry.size));
        QCOMPARE(*contentOf(*deflated, deflated->entries()[i], 7), *content);
    }
}

void TstZipArchive::aChecksumIsComparedAtTheLastByte_data()
{
    QTest::addColumn<std::string>("file");
    QTest::newRow("stored") << std::string("stored.npz");
    QTest::newRow("deflated") << std::string("deflated.npz");
}

/// Whoever reads exactly as many bytes as an entry has does not get the last of them.
void TstZipArchive::aChecksumIsComparedAtTheLastByte()
{
    QFETCH(std::string, file);
    std::string bytes = *readWholeFile(kFolder + file);
    const std::size_t second = bytes.find("PK\x03\x04", 4);
    QVERIFY(second != std::string::npos);
    bytes[second - 3] ^= '\x04'; // of the first entry's content
    const QTemporaryDir folder;
    const std::string path = folder.filePath("damaged.zip").toStdString();
    write(path, bytes);
    const auto archive = ZipArchive::open(path);
    VERIFY_OK(archive);
    const ZipEntry& entry = archive->entries().front();
    const auto source = archive->read(entry);
    VERIFY_OK(source);
    std::string room(std::size_t(entry.size), '\0');
    VERIFY_ERROR((*source)(std::as_writable_bytes(std::span(room))), "zip.damaged");
    VERIFY_OK(contentOf(*archive, archive->entries()[1], 64));
}

void TstZipArchive::threadsReadOneArchive()
{
    const auto archive = ZipArchive::open(kFolder + "deflated.npz");
    VERIFY_OK(archive);
    std::vector<std::string> expected;
    for (const ZipEntry& entry : archive->entries()) {
        expected.push_back(*contentOf(*archive, entry, 64));
    }
    std::vector<std::vector<std::string>> found(4);
    {
        std::vector<std::jthread> threads;
        for (std::vector<std::string>& texts : found) {
            threads.emplace_back([&] {
                for (const ZipEntry& entry : archive->entries()) {
                    texts.push_back(contentOf(*archive, entry, 3).value_or("error"));
                }
            });
        }
    }
    for (const std::vector<std::string>& texts : found) {
        QCOMPARE(texts, expected);
    }
}

void TstZipArchive::otherFilesAreNoArchives()
{
    QVERIFY(isZipArchive(kFolder + "stored.npz"));
    QVERIFY(!isZipArchive(kFolder + "make.py"));
    QVERIFY(!isZipArchive(kFolder));
    VERIFY_ERROR(ZipArchive::open(kFolder + "make.py"), "zip.not_an_archive");
}

CANNERY_TEST(TstZipArchive)
#include "tst_zip_archive.moc"
