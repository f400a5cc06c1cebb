// SPDX-License-Identifier: Apache-2.0
#include "storage/io/atomic_write.h"
#include "storage/io/confinement.h"
#include "storage/io/files.h"
#include "storage/io/readable_file.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

#include <filesystem>
#include <fstream>

using namespace cannery;
using namespace cannery::storage;
namespace fs = std::filesystem;

/// A confined folder "run" whose links lead to "outside": a file, a folder, and one that does not
/// exist yet.
class TstConfinement : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void linksAreFollowedWhereNothingIsConfined();
    void noLinkIsRead();
    void nothingIsWrittenThroughALink();
    void nothingIsDeletedThroughALink();
    void theFolderThatAPersonNamesMayBeALink();
    void aFolderThatIsConfinedItselfMayNot();
    void pathsAreComparedAsTheyAreMeant();
    void whatIsNoLinkWorksAsBefore();

private:
    std::string path(const std::string& name) const
    {
        return m_folder->path().toStdString() + "/" + name;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void TstConfinement::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    fs::create_directories(path("outside/deep"));
    fs::create_directories(path("run/own"));
    std::ofstream(path("outside/file")) << "theirs";
    std::ofstream(path("outside/deep/file")) << "theirs too";
    std::ofstream(path("run/own/file")) << "ours";
    fs::create_symlink(path("outside/file"), path("run/file"));
    fs::create_symlink("../outside/deep", path("run/folder"));
    fs::create_symlink(path("outside/new"), path("run/new"));
}

void TstConfinement::linksAreFollowedWhereNothingIsConfined()
{
    QCOMPARE(readWholeFile(path("run/file")), std::string("theirs"));
    QCOMPARE(readWholeFile(path("run/folder/file")), std::string("theirs too"));
}

void TstConfinement::noLinkIsRead()
{
    confine(path("run"));
    const auto read = readWholeFile(path("run/file"));
    VERIFY_ERROR(read, "io.system");
    QCOMPARE(read.error().message(),
             "Cannot open " + path("run/file") +
                 ": Too many levels of symbolic links. The path contains a link, and links below a "
                 "project are not followed: put the file or folder itself in its place.");
    VERIFY_ERROR(readWholeFile(path("run/folder/file")), "io.system");
    VERIFY_ERROR(ReadableFile::open(path("run/file")), "io.system");
    VERIFY_ERROR(ReadableFile::open(path("run/folder/file")), "io.system");
    VERIFY_ERROR(listFolder(path("run/folder")), "io.system");
    VERIFY_ERROR(fileSize(path("run/file")), "io.system");
    QVERIFY(exists(path("run/file"))); // opening it gives the error
    QVERIFY(exists(path("run/new")));
    QVERIFY(!exists(path("run/folder/file")));
    QVERIFY(!isFolder(path("run/folder")));
}

void TstConfinement::nothingIsWrittenThroughALink()
{
    confine(path("run"));
    FileSystem& system = realFileSystem();
    for (const char* name : {"run/file", "run/new", "run/folder/new"}) {
        VERIFY_ERROR(system.create(path(name)), "io.system");
        VERIFY_ERROR(system.openForAppend(path(name)), "io.system");
    }
    VERIFY_ERROR(system.makeFolder(path("run/folder/more")), "io.system");
    VERIFY_ERROR(makeFolders(path("run/folder/more/still")), "io.system");
    VERIFY_ERROR(writeFileAtomically(path("run/folder/new"), "x"), "io.system");
    VERIFY_ERROR(system.rename(path("run/own/file"), path("run/folder/file")), "io.system");
    // It is replaced by a file.
    VERIFY_OK(writeFileAtomically(path("run/file"), "ours now"));
    QCOMPARE(readWholeFile(path("run/file")), std::string("ours now"));
    QCOMPARE(readWholeFile(path("outside/file")), std::string("theirs"));
    QCOMPARE(listFolder(path("outside/deep")), std::vector<std::string>{"file"});
    QVERIFY(!exists(path("outside/new")));
}

void TstConfinement::nothingIsDeletedThroughALink()
{
    confine(path("run"));
    VERIFY_ERROR(realFileSystem().removeFile(path("run/folder/file")), "io.system");
    VERIFY_ERROR(removeTree(path("run/folder/file")), "io.system");
    VERIFY_OK(removeTree(path("run")));
    QVERIFY(!exists(path("run")));
    QCOMPARE(readWholeFile(path("outside/file")), std::string("theirs"));
    QCOMPARE(readWholeFile(path("outside/deep/file")), std::string("theirs too"));
}

void TstConfinement::theFolderThatAPersonNamesMayBeALink()
{
    fs::create_symlink(path("run"), path("named"));
    confine(path("named"));
    QCOMPARE(readWholeFile(path("named/own/file")), std::string("ours"));
    VERIFY_OK(writeFileAtomically(path("named/more"), "x"));
    VERIFY_ERROR(readWholeFile(path("named/file")), "io.system");
}

void TstConfinement::aFolderThatIsConfinedItselfMayNot()
{
    fs::create_directories(path("project"));
    fs::create_symlink(path("outside"), path("project/runs"));
    std::ofstream(path("project/data.csv")) << "x";
    fs::create_symlink(path("outside/file"), path("project/linked.csv"));
    confineItself(path("project/runs"));
    VERIFY_ERROR(readWholeFile(path("project/runs/file")), "io.system");
    VERIFY_ERROR(listFolder(path("project/runs")), "io.system");
    VERIFY_OK(removeTree(path("project/runs"))); // only the link
    QCOMPARE(readWholeFile(path("outside/file")), std::string("theirs"));
    // What is next to it is foreign data.
    QCOMPARE(readWholeFile(path("project/linked.csv")), std::string("theirs"));
}

void TstConfinement::pathsAreComparedAsTheyAreMeant()
{
    confine(path("run/"));
    VERIFY_ERROR(readWholeFile(path("run/own/../file")), "io.system");
    VERIFY_ERROR(readWholeFile(path("./outside/../run//file")), "io.system");
    const fs::path before = fs::current_path();
    fs::current_path(path("run"));
    const auto relative = readWholeFile("file");
    const auto own = readWholeFile("own/file");
    fs::current_path(before);
    VERIFY_ERROR(relative, "io.system");
    QCOMPARE(own, std::string("ours"));
    // A folder whose name has the same prefix.
    fs::create_directories(path("runs"));
    fs::create_symlink(path("outside/file"), path("runs/file"));
    QCOMPARE(readWholeFile(path("runs/file")), std::string("theirs"));
}

void TstConfinement::whatIsNoLinkWorksAsBefore()
{
    confine(path("run"));
    QCOMPARE(readWholeFile(path("run/own/file")), std::string("ours"));
    VERIFY_OK(makeFolders(path("run/a/b/c")));
    VERIFY_OK(writeFileAtomically(path("run/a/b/c/file"), "deep"));
    VERIFY_OK(realFileSystem().rename(path("run/a/b/c/file"), path("run/own/moved")));
    QCOMPARE(readWholeFile(path("run/own/moved")), std::string("deep"));
    QCOMPARE(listFolder(path("run/own")), (std::vector<std::string>{"file", "moved"}));
    QCOMPARE(fileSize(path("run/own/moved")), std::uint64_t{4});
    VERIFY_OK(removeTree(path("run/a")));
    QVERIFY(!exists(path("run/a")));
    const auto missing = readWholeFile(path("run/no/such/file"));
    QVERIFY(!missing);
    QCOMPARE(missing.error().code, ErrorCode::NotFound);
}

CANNERY_TEST(TstConfinement)
#include "tst_confinement.moc"
