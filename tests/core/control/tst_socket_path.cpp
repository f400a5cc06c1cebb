// SPDX-License-Identifier: Apache-2.0
#include "core/control/socket_path.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <sys/stat.h>

using namespace cannery::control;

/// Where the sockets are: found from the run folder alone, private to the user.
class TstSocketPath : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void everySpellingOfAFolderHasOneName();
    void foldersOfOthersAreRefused();
    void folderIsClosedToOthers();
    void pathsAreNeverTooLong();
    void onlySocketsAreTried();

private:
    QTemporaryDir m_folder;
};

void TstSocketPath::init()
{
    qputenv("XDG_RUNTIME_DIR", m_folder.path().toUtf8());
}

void TstSocketPath::everySpellingOfAFolderHasOneName()
{
    const QDir folder(m_folder.path());
    QVERIFY(folder.mkpath("runs/one") && folder.mkpath("runs/two"));
    QVERIFY(QFile::link(folder.filePath("runs"), folder.filePath("link")));
    const std::string name = socketName(folder.filePath("runs/one").toStdString());
    QCOMPARE(name.size(), std::size_t{21});
    for (const char* spelling :
         {"runs/one/", "runs/two/../one", "./runs//one", "link/one", "runs/one/."}) {
        QCOMPARE(socketName((m_folder.path() + "/" + spelling).toStdString()), name);
    }
    QVERIFY(socketName(folder.filePath("runs/two").toStdString()) != name);
}

void TstSocketPath::foldersOfOthersAreRefused()
{
    const std::string link = m_folder.filePath("folder_link").toStdString();
    QVERIFY(QFile::link(m_folder.path(), QString::fromStdString(link)));
    VERIFY_ERROR(makePrivateFolder(link), "control.unsafe_folder");
    const std::string file = m_folder.filePath("file").toStdString();
    QFile made(QString::fromStdString(file));
    QVERIFY(made.open(QIODevice::WriteOnly));
    VERIFY_ERROR(makePrivateFolder(file), "control.unsafe_folder");
    VERIFY_ERROR(makePrivateFolder("/proc/nowhere"), "control.unsafe_folder");
}

void TstSocketPath::folderIsClosedToOthers()
{
    const std::string folder = m_folder.filePath("open").toStdString();
    QCOMPARE(mkdir(folder.c_str(), 0755), 0);
    VERIFY_OK(makePrivateFolder(folder));
    struct stat facts
    {};
    QCOMPARE(stat(folder.c_str(), &facts), 0);
    QCOMPARE(facts.st_mode & 0777U, 0700U);
    QVERIFY(isPrivateFolder(folder));
}

void TstSocketPath::pathsAreNeverTooLong()
{
    const QString deep = m_folder.path() + "/" + QString(120, 'd');
    QVERIFY(QDir().mkpath(deep));
    qputenv("XDG_RUNTIME_DIR", deep.toUtf8());
    QVERIFY(!socketFolders().empty());
    for (const std::string& folder : socketFolders()) {
        QVERIFY(folder.find("ddd") == std::string::npos);
    }
    const auto path = socketPathToListen(deep.toStdString());
    VERIFY_OK(path);
    QVERIFY(path->size() <= kLongestSocketPath);
}

void TstSocketPath::onlySocketsAreTried()
{
    const std::string run = m_folder.path().toStdString();
    QVERIFY(socketPathsToTry(run).empty());
    const auto path = socketPathToListen(run);
    VERIFY_OK(path);
    QVERIFY(path->starts_with(run + "/cannery/"));
    QFile file(QString::fromStdString(*path));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QVERIFY(socketPathsToTry(run).empty());
}

CANNERY_TEST(TstSocketPath)
#include "tst_socket_path.moc"
