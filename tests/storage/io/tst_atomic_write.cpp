// SPDX-License-Identifier: Apache-2.0
#include "storage/io/atomic_write.h"
#include "storage/io/files.h"
#include "tests/storage/io/faulty_file_system.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

using namespace cannery;
using namespace cannery::storage;
using cannery::tests::FaultyFileSystem;

class TstAtomicWrite : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void syncsBeforeItRenames();
    void fullDiskLeavesTheOldFile();
    void withoutCommitNothingStays();
    void replacedFileKeepsItsLinkAndItsPermissions();
    void saysWhatFailedAndTheCure();
    void whatAKilledProcessLeftIsDeleted();
};

void TstAtomicWrite::syncsBeforeItRenames()
{
    const QTemporaryDir folder;
    FaultyFileSystem system;
    const std::string path = folder.filePath("a").toStdString();
    VERIFY_OK(writeFileAtomically(path, "text", system));
    QCOMPARE(*readWholeFile(path), std::string("text"));
    std::vector<std::string> calls;
    for (const std::string& call : system.calls()) {
        calls.push_back(call.substr(0, call.find(' ')));
    }
    QCOMPARE(calls, (std::vector<std::string>{"create", "append", "sync", "close", "rename",
                                              "syncFolder"}));
}

void TstAtomicWrite::fullDiskLeavesTheOldFile()
{
    for (int failFrom = 1; failFrom <= 6; ++failFrom) {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("a").toStdString();
        VERIFY_OK(writeFileAtomically(path, "old"));
        FaultyFileSystem system(failFrom);
        const Result<void> written = writeFileAtomically(path, "new", system);
        VERIFY_ERROR(written, "io.system");
        QVERIFY(written.error().code == ErrorCode::ResourceExhausted);
        // Only the last step, syncing the folder, fails with the new file in place.
        QCOMPARE(*readWholeFile(path), std::string(failFrom < 6 ? "old" : "new"));
        QCOMPARE(listFolder(folder.path().toStdString())->size(), std::size_t{1});
    }
}

void TstAtomicWrite::withoutCommitNothingStays()
{
    const QTemporaryDir folder;
    {
        Result<AtomicFile> file = AtomicFile::create(folder.filePath("a").toStdString());
        VERIFY_OK(file);
        VERIFY_OK(file->append("half"));
    }
    QVERIFY(listFolder(folder.path().toStdString())->empty());
}

void TstAtomicWrite::replacedFileKeepsItsLinkAndItsPermissions()
{
    namespace fs = std::filesystem;
    const QTemporaryDir folder;
    const fs::path file = folder.filePath("a").toStdString();
    const fs::path link = folder.filePath("link").toStdString();
    VERIFY_OK(replaceFile(file, "first"));
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
    fs::create_symlink("a", link);
    VERIFY_OK(replaceFile(link, "second"));
    QVERIFY(fs::is_symlink(link));
    QCOMPARE(*readWholeFile(file), std::string("second"));
    QVERIFY(fs::status(file).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
    QCOMPARE(listFolder(folder.path().toStdString())->size(), std::size_t{2});
    VERIFY_ERROR(replaceFile(file / "below", "x"), "io.system");
}

void TstAtomicWrite::saysWhatFailedAndTheCure()
{
    const Result<void> written = writeFileAtomically("/nowhere/at/all", "x");
    VERIFY_ERROR(written, "io.system");
    const std::string sentence = written.error().message();
    QVERIFY(written.error().code == ErrorCode::NotFound);
    QVERIFY(sentence.find("/nowhere/at/all") != std::string::npos);
    QVERIFY(sentence.find("No such file or directory. Check the path.") != std::string::npos);
}

void TstAtomicWrite::whatAKilledProcessLeftIsDeleted()
{
    const QTemporaryDir folder;
    const std::string path = folder.filePath("a").toStdString();
    const pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    QCOMPARE(waitpid(child, nullptr, 0), child);
    const std::string left = path + ".tmp-" + std::to_string(child) + "-0";
    const std::string own = temporaryName(path);
    const std::vector<std::string> others{own,
                                          folder.filePath("b.tmp-").toStdString() +
                                              std::to_string(child) + "-0",
                                          path + ".tmp-",
                                          path + ".tmp-x-1",
                                          left + "x",
                                          left.substr(0, left.size() - 1)};
    for (const std::string& name : others) {
        VERIFY_OK(writeFileAtomically(name, "x"));
    }
    VERIFY_OK(writeFileAtomically(left, "x"));
    QCOMPARE(ownerOfTemporary(left), std::optional<int>(child));
    QCOMPARE(ownerOfTemporary(own), std::optional<int>(getpid()));
    removeAbandoned(path);
    QVERIFY(!exists(left));
    for (const std::string& name : others) {
        QVERIFY2(exists(name), name.c_str());
    }
    for (std::size_t i = 2; i < others.size(); ++i) {
        QVERIFY2(!ownerOfTemporary(others[i]), others[i].c_str());
    }
}

CANNERY_TEST(TstAtomicWrite)
#include "tst_atomic_write.moc"
