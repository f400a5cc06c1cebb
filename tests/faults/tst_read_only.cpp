// SPDX-License-Identifier: Apache-2.0
#include "storage/runs/annotation_store.h"
#include "storage/runs/run_store.h"
#include "tests/faults/fault_project.h"
#include "tests/support/patience.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>

#include <unistd.h>

#include <memory>
#include <optional>

using namespace cannery::tests;

namespace {

/// The program's words, with '@' for a writable folder.
struct Reading
{
    const char* name;
    QStringList words;
    bool ofProject = true; ///< reads the project, not just a file in it
};

constexpr const char* kReadAsItStands = "This project is read-only; it is opened as it is.";

const QList<Reading> kReadings{
    {"runs", {"runs", "--json"}},
    {"trash", {"runs", "list", "--trash"}},
    {"show", {"runs", "show", "latest", "--json"}},
    {"compare", {"runs", "compare", "run-001", "run-002"}},
    {"evaluate", {"evaluate", "latest"}},
    {"predict", {"predict", "latest", "--input", "table.csv", "--output", "@/predictions.csv"}},
    {"export", {"export", "latest", "--output", "@/served"}},
    {"inspect", {"inspect", "runs/run-001/model.ckpt-3"}, false},
    {"check", {"check", "faults.cannery"}, false},
    {"plan", {"plan", "faults.cannery"}, false},
    {"diff", {"diff", "faults.cannery", "runs/run-001/experiment.cannery"}, false},
    {"verify", {"verify"}},
    {"queue", {"queue", "list"}},
};

/// How a project becomes read-only.
enum class Way
{
    Mount,       ///< a disk that is mounted read-only
    OtherPerson, ///< another user's files
};

/// Prefix of a program's words that makes it see the project like this; nothing if this user may
/// not.
std::optional<QStringList> wordsFor(Way way, const QString& project)
{
    if (way == Way::OtherPerson) {
        return getuid() == 0 ? std::optional(QStringList{"setpriv", "--reuid=65534",
                                                         "--regid=65534", "--clear-groups", "--"})
                             : std::nullopt;
    }
    const QString mount = R"(mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && )"
                          R"(cd "$0" && exec "$@")";
    const QStringList words{"unshare", getuid() == 0 ? "-m" : "-rm", "--", "sh", "-c", mount,
                            project};
    QProcess probe;
    probe.start(words.front(), words.mid(1) + QStringList{"true"});
    probe.waitForFinished();
    return probe.exitStatus() == QProcess::NormalExit && probe.exitCode() == 0
               ? std::optional(words)
               : std::nullopt;
}

} // namespace

/// Projects that can be read but not written.
class TstReadOnly : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void everyReadingCommandWorks_data() { ways(); }
    void everyReadingCommandWorks();
    void nothingIsStaleWhenALogIsThere_data() { ways(); }
    void nothingIsStaleWhenALogIsThere();
    void aMissingStoreIsReadFromTheRuns_data() { ways(); }
    void aMissingStoreIsReadFromTheRuns();
    void writingCommandsSaySo_data() { ways(); }
    void writingCommandsSaySo();

private:
    static void ways();
    /// `cannery WORDS` where the project is read-only; '@' is a writable folder.
    Ended readOnly(QStringList words) const;
    void restore() const;

    std::unique_ptr<FaultProject> m_project;
    QTemporaryDir m_writable;
};

void TstReadOnly::initTestCase()
{
    m_project = std::make_unique<FaultProject>();
    m_project->trainAndKeep({{"train", "faults.cannery", "--quiet", "--threads", "1"},
                             {"runs", "rename", "run-001", "Größer"}});
    QVERIFY(QFile::setPermissions(m_writable.path(), QFile::Permissions(0x7777)));
}

void TstReadOnly::ways()
{
    QTest::addColumn<int>("way");
    QTest::newRow("mounted for reading") << int(Way::Mount);
    QTest::newRow("another person's") << int(Way::OtherPerson);
}

void TstReadOnly::restore() const
{
    m_project->restore();
    QVERIFY(QFile::setPermissions(m_project->path(), QFile::Permissions(0x7755)));
    // What one user has written there, another may not replace.
    QDir writable(m_writable.path());
    for (const QString& name : writable.entryList(QDir::AllEntries | QDir::NoDotAndDotDot)) {
        const QString path = writable.filePath(name);
        QVERIFY(QFileInfo(path).isDir() ? QDir(path).removeRecursively() : QFile::remove(path));
    }
}

Ended TstReadOnly::readOnly(QStringList words) const
{
    QFETCH(int, way);
    QStringList before = *wordsFor(Way(way), m_project->path());
    words.replaceInStrings("@", m_writable.path());
    QProcess process;
    process.setWorkingDirectory(m_project->path());
    process.start(before.takeFirst(), before + QStringList{CANNERY_PROGRAM} + words,
                  QIODevice::ReadOnly);
    return endOf(process, kPatience);
}

#define SKIP_WITHOUT_WAY()                                                                         \
    QFETCH(int, way);                                                                              \
    if (!wordsFor(Way(way), m_project->path())) {                                                  \
        QSKIP("This user can make no project here that cannot be written.");                       \
    }

void TstReadOnly::everyReadingCommandWorks()
{
    SKIP_WITHOUT_WAY()
    for (const Reading& reading : kReadings) {
        restore();
        const auto before = contentOf(m_project->path());
        const Ended there = readOnly(reading.words);
        QVERIFY2(there.exitCode == 0, (reading.name + there.describe()).constData());
        QCOMPARE(contentOf(m_project->path()), before);
        restore(); // nothing is written over what is there
        QStringList words = reading.words;
        words.replaceInStrings("@", m_writable.path());
        const Ended here = m_project->cannery(words);
        QCOMPARE(here.exitCode, 0);
        QVERIFY2(there.err.contains(kReadAsItStands) == reading.ofProject,
                 (reading.name + there.describe()).constData());
        QVERIFY2(!here.err.contains(kReadAsItStands), here.describe().constData());
        if (reading.name != QByteArray("export") && reading.name != QByteArray("plan")) {
            QCOMPARE(there.out, here.out);
        }
    }
    restore();
    const Ended listed = readOnly({"runs"});
    QVERIFY(listed.out.contains("Größer"));
}

/// Of a program that was killed, or that still writes on another computer: the log contains what
/// the file does not.
void TstReadOnly::nothingIsStaleWhenALogIsThere()
{
    SKIP_WITHOUT_WAY()
    restore();
    {
        auto store = cannery::storage::RunStore::open(m_project->folder());
        VERIFY_OK(store);
        VERIFY_OK(store->database().execute("PRAGMA wal_autocheckpoint = 0"));
        VERIFY_OK(cannery::storage::AnnotationStore(store->database())
                      .setTitle("run-001", "in the log alone"));
        for (const char* end : {"", "-wal"}) {
            const QString file = m_project->path("cannery.db") + end;
            QVERIFY(QFile::copy(file, file + ".kept"));
        }
    }
    for (const char* end : {"", "-wal", "-shm"}) {
        const QString file = m_project->path("cannery.db") + end;
        QFile::remove(file);
        QFile::rename(file + ".kept", file);
    }
    QVERIFY(QFileInfo(m_project->path("cannery.db-wal")).size() > 0);
    const auto before = contentOf(m_project->path());
    const Ended listed = readOnly({"runs"});
    QVERIFY2(listed.exitCode == 0, listed.describe().constData());
    QVERIFY2(listed.out.contains("in the log alone"), listed.describe().constData());
    QCOMPARE(contentOf(m_project->path()), before);
}

void TstReadOnly::aMissingStoreIsReadFromTheRuns()
{
    SKIP_WITHOUT_WAY()
    restore();
    for (const char* end : {"", "-wal", "-shm"}) {
        QFile::remove(m_project->path("cannery.db") + end);
    }
    const Ended listed = readOnly({"runs"});
    QVERIFY2(listed.exitCode == 0, listed.describe().constData());
    QVERIFY2(listed.out.contains("Größer") && listed.out.contains("run-002"),
             listed.describe().constData());
    QVERIFY(!QFile::exists(m_project->path("cannery.db")));
    // Where it can be written, the store is rebuilt.
    const Ended here = m_project->cannery({"runs"});
    QCOMPARE(here.out, listed.out);
    QVERIFY(QFile::exists(m_project->path("cannery.db")));
}

void TstReadOnly::writingCommandsSaySo()
{
    SKIP_WITHOUT_WAY()
    const QList<QStringList> commands{{"runs", "rename", "run-001", "other"},
                                      {"runs", "delete", "run-001"},
                                      {"runs", "rescan"},
                                      {"queue", "add", "faults.cannery"},
                                      {"resume", "runs/run-001", "--max-steps", "4"},
                                      {"train", "faults.cannery"}};
    for (const QStringList& words : commands) {
        restore();
        const auto before = contentOf(m_project->path());
        const Ended ended = readOnly(words);
        QVERIFY2(ended.exitCode == 1, (words.join(' ').toUtf8() + ended.describe()).constData());
        QVERIFY2(ended.err.contains("cannot be written") ||
                     ended.err.contains("Read-only file system") ||
                     ended.err.contains("Permission denied"),
                 ended.describe().constData());
        QCOMPARE(contentOf(m_project->path()), before);
    }
}

CANNERY_TEST(TstReadOnly)
#include "tst_read_only.moc"
