// SPDX-License-Identifier: Apache-2.0
#include "storage/io/atomic_write.h"
#include "storage/io/crc32c.h"
#include "storage/io/files.h"
#include "storage/io/readable_file.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>

#include <sys/stat.h>
#include <unistd.h>

using namespace cannery;
using namespace cannery::storage;

class TstFiles : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsWhatWasWritten_data();
    void readsWhatWasWritten();
    void refusesFilesBeyondTheLimit();
    void hugeFilesAreRefusedBeforeTheyAreRead();
    void onlyFilesAreOpened();
    void makesAndRemovesTrees();
    void listsWhatIsInAFolder();
    void appendsToFiles();
    void joinsAndSplitsPaths();
};

void TstFiles::readsWhatWasWritten_data()
{
    QTest::addColumn<int>("size");
    for (const int size : {0, 1, 4096, 300000}) {
        QTest::addRow("%d bytes", size) << size;
    }
}

void TstFiles::readsWhatWasWritten()
{
    QFETCH(int, size);
    const QTemporaryDir folder;
    const std::string path = folder.filePath("a").toStdString();
    std::string content(static_cast<std::size_t>(size), 'x');
    for (std::size_t i = 0; i < content.size(); ++i) {
        content[i] = static_cast<char>(i % 251);
    }
    VERIFY_OK(writeFileAtomically(path, content));
    VERIFY_OK(readWholeFile(path));
    QVERIFY(*readWholeFile(path) == content);
    const auto copied = copyFile(path, path + ".copy");
    VERIFY_OK(copied);
    QVERIFY(*readWholeFile(path + ".copy") == content);
    QCOMPARE(copied->crc, crc32c(content));
    QCOMPARE(copied->size, content.size());
    const Result<ReadableFile> file = ReadableFile::open(path);
    VERIFY_OK(file);
    std::vector<std::byte> tail(10);
    QCOMPARE(*file->readAt(content.size() / 2, tail),
             std::min(content.size() - content.size() / 2, std::size_t{10}));
}

void TstFiles::refusesFilesBeyondTheLimit()
{
    const QTemporaryDir folder;
    const std::string path = folder.filePath("a").toStdString();
    VERIFY_OK(writeFileAtomically(path, "0123456789"));
    VERIFY_ERROR(readWholeFile(path, 9), "io.too_large");
    VERIFY_OK(readWholeFile(path, 10));
    VERIFY_ERROR(readWholeFile(folder.path().toStdString()), "io.system");
}

/// A sparse file of 4 TiB, for which there would not be enough memory.
void TstFiles::hugeFilesAreRefusedBeforeTheyAreRead()
{
    const QTemporaryDir folder;
    const std::string path = folder.filePath("hole").toStdString();
    VERIFY_OK(writeFileAtomically(path, "x"));
    QCOMPARE(truncate(path.c_str(), off_t{1} << 42), 0);
    VERIFY_ERROR(readWholeFile(path), "io.too_large");
}

void TstFiles::onlyFilesAreOpened()
{
    const QTemporaryDir folder;
    const std::string pipe = folder.filePath("pipe").toStdString();
    QCOMPARE(mkfifo(pipe.c_str(), 0600), 0);
    for (const std::string& path : {pipe, std::string("/dev/zero"), std::string("/dev/null")}) {
        VERIFY_ERROR(readWholeFile(path), "io.not_a_file");
        VERIFY_ERROR(ReadableFile::open(path), "io.not_a_file");
    }
    QCOMPARE(QString::fromStdString(readWholeFile(pipe).error().message()),
             "Cannot open " + QString::fromStdString(pipe) +
                 ": it is a pipe, not a file. Name a file; the output of another program can be "
                 "read from standard input, as /dev/stdin.");
    VERIFY_ERROR(ReadableFile::open(folder.path().toStdString()), "io.system");
}

void TstFiles::makesAndRemovesTrees()
{
    const QTemporaryDir folder;
    const std::string root = folder.filePath("a").toStdString();
    VERIFY_OK(makeFolders(root + "/b/c"));
    VERIFY_OK(makeFolders(root + "/b/c"));
    VERIFY_OK(writeFileAtomically(root + "/b/file", "x"));
    QCOMPARE(*listFolder(root + "/b"), (std::vector<std::string>{"c", "file"}));
    VERIFY_ERROR(makeFolders(root + "/b/file/d"), "io.system");
    VERIFY_OK(removeTree(root));
    QVERIFY(!exists(root));
    VERIFY_OK(removeTree(root));
    VERIFY_ERROR(listFolder(root), "io.system");
}

void TstFiles::listsWhatIsInAFolder()
{
    const QTemporaryDir folder;
    const std::string root = folder.path().toStdString();
    VERIFY_OK(makeFolders(root + "/b"));
    VERIFY_OK(writeFileAtomically(root + "/a", "x"));
    QVERIFY(QFile::link(folder.filePath("b"), folder.filePath("to_b")));
    QVERIFY(QFile::link(folder.filePath("a"), folder.filePath("to_a")));
    QVERIFY(QFile::link(folder.filePath("none"), folder.filePath("to_none")));
    const auto entries = listEntries(root);
    VERIFY_OK(entries);
    QStringList found;
    for (const FolderEntry& entry : *entries) {
        found << QString::fromStdString(entry.name) + (entry.isFolder ? " folder" : "") +
                     (entry.isLink ? " link" : "");
    }
    QCOMPARE(found,
             (QStringList{"a", "b folder", "to_a link", "to_b folder link", "to_none link"}));
    VERIFY_ERROR(listEntries(root + "/none"), "io.system");
}

void TstFiles::appendsToFiles()
{
    const QTemporaryDir folder;
    const std::string path = folder.filePath("a").toStdString();
    for (int i = 0; i < 2; ++i) {
        auto file = realFileSystem().openForAppend(path);
        VERIFY_OK(file);
        VERIFY_OK((*file)->append("abc"));
        QCOMPARE((*file)->size(), std::uint64_t(3 * (i + 1)));
        VERIFY_OK((*file)->close());
    }
    QCOMPARE(*readWholeFile(path), std::string("abcabc"));
}

void TstFiles::joinsAndSplitsPaths()
{
    QCOMPARE(joinPath("a", "b"), std::string("a/b"));
    QCOMPARE(joinPath("a/", "b"), std::string("a/b"));
    QCOMPARE(joinPath("", "b"), std::string("b"));
    QCOMPARE(joinPath("a", "/b"), std::string("/b"));
    QCOMPARE(parentFolder("a/b/c"), std::string("a/b"));
    QCOMPARE(parentFolder("a/b/"), std::string("a"));
    QCOMPARE(parentFolder("c"), std::string("."));
    QCOMPARE(parentFolder("/c"), std::string("/"));
    QCOMPARE(baseName("a/b"), std::string("b"));
    QCOMPARE(baseName("b"), std::string("b"));
}

CANNERY_TEST(TstFiles)
#include "tst_files.moc"
