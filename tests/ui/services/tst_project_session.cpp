// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "ui/document/experiment_document.h"
#include "ui/services/engine_service.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/projects/recent_projects.h"
#include "ui/services/projects/sample_library.h"
#include "ui/services/projects/settings.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/services/runs/series_store.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QUndoStack>

#include <algorithm>

using namespace cannery::ui;
using cannery::tests::kPatience;

namespace {

QByteArray read(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void write(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) {
        qFatal("cannot write a test file");
    }
}

} // namespace

/// Everything but training, with the real `cannery` for `new` and `check`.
class TstProjectSession : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();

    void aSampleOpensReadyToTrain();
    void aSampleIsNeverOverwritten();
    void aFolderOpensItsNewestExperiment();
    void aPathThatIsNothingSaysSo();
    void aMissingLabelNamesTheDataPage();
    void aMissingDataFileNamesTheDataPage();
    void aColumnThatIsNotInTheDataNamesTheDataPage();
    void aTableAsksForItsLabelWithAGuess();
    void aTableAndItsLabelMakeAProject();
    void aTableBesideAnExperimentJoinsItsProject();
    void aBrokenTableSaysWhy();
    void commandsSayWhatWouldRun();
    void openingIsRemembered();
    void theLastProjectComesBack();
    void aFolderOfEventFilesIsBrowsed();
    void closingLeavesNothingOpen();

private:
    std::unique_ptr<ProjectSession> makeSession() const;
    bool open(ProjectSession& session, const QString& path) const;
    QString copyExample(const QString& name) const;

    std::unique_ptr<QTemporaryDir> m_home;
    std::unique_ptr<ProjectSession> m_session;
};

std::unique_ptr<ProjectSession> TstProjectSession::makeSession() const
{
    auto session =
        std::make_unique<ProjectSession>(nullptr, m_home->filePath(QStringLiteral("settings.ini")));
    session->setProgram(QStringLiteral(CANNERY_PROGRAM));
    session->settings().setProjectsFolder(m_home->filePath(QStringLiteral("projects")));
    return session;
}

void TstProjectSession::init()
{
    m_home = std::make_unique<QTemporaryDir>();
    m_session = makeSession();
}

void TstProjectSession::cleanup()
{
    m_session.reset();
}

bool TstProjectSession::open(ProjectSession& session, const QString& path) const
{
    QSignalSpy changed(&session.project(), &OpenProject::changed);
    return session.project().open(path) &&
           QTest::qWaitFor([&] { return !changed.isEmpty(); }, kPatience);
}

QString TstProjectSession::copyExample(const QString& name) const
{
    const QDir from(QStringLiteral(CANNERY_SOURCE_DIR "/resources/examples/") + name);
    const QString to = m_home->filePath(name);
    QDir().mkpath(to);
    for (const QString& file : from.entryList(QDir::Files)) {
        QFile::copy(from.filePath(file), to + u'/' + file);
    }
    return to;
}

void TstProjectSession::aSampleOpensReadyToTrain()
{
    QVERIFY(m_session->starter().hindrance().contains(QLatin1String("page:home")));
    QVERIFY(m_session->starter().commands().train().isEmpty());
    QSignalSpy changed(&m_session->project(), &OpenProject::changed);
    m_session->samples().make(QStringLiteral("titanic"), m_session->settings().projectsFolder());
    QVERIFY(m_session->project().isOpening());
    QTRY_COMPARE_WITH_TIMEOUT(changed.size(), 1, kPatience);
    QVERIFY(!m_session->project().isOpening());
    QCOMPARE(m_session->project().name(), QStringLiteral("Titanic, wide and deep"));
    QCOMPARE(m_session->project().folder(), m_home->filePath(QStringLiteral("projects/titanic")));
    QCOMPARE(m_session->starter().hindrance(), QString());
    QTRY_VERIFY_WITH_TIMEOUT(
        m_session->check().facts().value(QStringLiteral("has_evaluation")).toBool(), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(m_session->runs().isLoaded(), kPatience);
    QCOMPARE(m_session->recents().projects().first().name, m_session->project().name());
}

void TstProjectSession::aSampleIsNeverOverwritten()
{
    for (const char* folder : {"titanic", "titanic-2", "titanic-3"}) {
        QSignalSpy changed(&m_session->project(), &OpenProject::changed);
        m_session->samples().make(QStringLiteral("titanic"),
                                  m_session->settings().projectsFolder());
        QTRY_COMPARE_WITH_TIMEOUT(changed.size(), 1, kPatience);
        QCOMPARE(QDir(m_session->project().folder()).dirName(), QLatin1String(folder));
    }
    QSignalSpy failed(m_session.get(), &ProjectSession::failed);
    m_session->samples().make(QStringLiteral("none"), m_session->settings().projectsFolder());
    QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, kPatience);
}

void TstProjectSession::aFolderOpensItsNewestExperiment()
{
    const QString folder = copyExample(QStringLiteral("titanic"));
    QByteArray other = read(folder + QStringLiteral("/titanic.cannery"));
    other.replace("Titanic, wide and deep", "Second");
    write(folder + QStringLiteral("/second.cannery"), other);
    QFile newer(folder + QStringLiteral("/second.cannery"));
    QVERIFY(newer.open(QIODevice::ReadWrite));
    QVERIFY(newer.setFileTime(QDateTime::currentDateTime().addSecs(60),
                              QFileDevice::FileModificationTime));
    newer.close();
    QVERIFY(open(*m_session, folder));
    QCOMPARE(m_session->project().name(), QStringLiteral("Second"));
    QTRY_COMPARE_WITH_TIMEOUT(m_session->experiments().files().size(), 2, kPatience);
    QVERIFY(m_session->experiments().files().first().endsWith(QLatin1String("/second.cannery")));
    QVERIFY(open(*m_session, m_session->experiments().files().last()));
    QCOMPARE(m_session->project().name(), QStringLiteral("Titanic, wide and deep"));
}

void TstProjectSession::aPathThatIsNothingSaysSo()
{
    QSignalSpy failed(m_session.get(), &ProjectSession::failed);
    QVERIFY(!m_session->project().open({}));
    const QString empty = m_home->filePath(QStringLiteral("empty"));
    QDir().mkpath(empty);
    const QStringList paths{empty, m_home->filePath(QStringLiteral("none"))};
    for (const QString& path : paths) {
        failed.clear();
        QVERIFY(m_session->project().open(path));
        QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, kPatience);
        QVERIFY(failed.first().first().toString().contains(path));
    }
    QVERIFY(!m_session->project().isOpen() && !m_session->project().isOpening());
}

void TstProjectSession::aMissingLabelNamesTheDataPage()
{
    const QString folder = copyExample(QStringLiteral("titanic"));
    QVERIFY(open(*m_session, folder));
    QSignalSpy readiness(&m_session->starter(), &RunStarter::readinessChanged);
    QVERIFY(m_session->document().setValue(QStringLiteral("data.label"), {}));
    QTRY_VERIFY_WITH_TIMEOUT(
        m_session->starter().hindrance().contains(QLatin1String("href=\"page:data\"")), kPatience);
    QVERIFY(!readiness.isEmpty());
    QVERIFY(m_session->document().setValue(QStringLiteral("data.label.column"),
                                           QStringLiteral("survived")));
    QTRY_COMPARE_WITH_TIMEOUT(m_session->starter().hindrance(), QString(), kPatience);
}

void TstProjectSession::aMissingDataFileNamesTheDataPage()
{
    const QString folder = copyExample(QStringLiteral("titanic"));
    QVERIFY(QFile::remove(folder + QStringLiteral("/titanic_train.csv")));
    QVERIFY(open(*m_session, folder));
    QTRY_VERIFY_WITH_TIMEOUT(
        m_session->starter().hindrance().contains(QLatin1String("titanic_train.csv")), kPatience);
    QVERIFY(m_session->starter().hindrance().contains(QLatin1String("page:data")));
    QCOMPARE(m_session->document().problems().all().first().path,
             QStringLiteral("data.train.csv.files[0]"));
    QSignalSpy failed(m_session.get(), &ProjectSession::failed);
    m_session->starter().train();
    QCOMPARE(failed.size(), 1);
    QVERIFY(QFile::copy(
        QStringLiteral(CANNERY_SOURCE_DIR "/resources/examples/titanic/titanic_train.csv"),
        folder + QStringLiteral("/titanic_train.csv")));
    QTRY_COMPARE_WITH_TIMEOUT(m_session->starter().hindrance(), QString(), kPatience);
}

void TstProjectSession::aColumnThatIsNotInTheDataNamesTheDataPage()
{
    QVERIFY(open(*m_session, copyExample(QStringLiteral("titanic"))));
    QVERIFY(m_session->document().setValue(QStringLiteral("data.label.column"),
                                           QStringLiteral("no_such_column")));
    QTRY_VERIFY_WITH_TIMEOUT(
        m_session->starter().hindrance().contains(QLatin1String("no_such_column")), kPatience);
    QVERIFY(m_session->starter().hindrance().contains(QLatin1String("page:data")));
    m_session->document().undoStack()->undo();
    QTRY_COMPARE_WITH_TIMEOUT(m_session->starter().hindrance(), QString(), kPatience);
}

void TstProjectSession::aTableAsksForItsLabelWithAGuess()
{
    const QString table = m_home->filePath(QStringLiteral("penguins.csv"));
    QVERIFY(QFile::copy(
        QStringLiteral(CANNERY_SOURCE_DIR "/resources/examples/penguins/penguins.csv"), table));
    QSignalSpy wanted(&m_session->tables(), &TableImport::asked);
    m_session->tables().ask(table);
    QTRY_COMPARE_WITH_TIMEOUT(wanted.size(), 1, kPatience);
    const LabelQuestion& question = m_session->tables().question();
    QCOMPARE(question.table, table);
    const NewFacts& answer = question.answer;
    QCOMPARE(answer.guess, QStringLiteral("species"));
    QVERIFY(answer.table.find(QStringLiteral("species")) != nullptr);
    QCOMPARE(answer.rows, 344);
    QVERIFY(answer.confidence > 0.0 && !answer.guessReason.isEmpty());
    QVERIFY(!answer.table.columns.first().type.isEmpty());
    QCOMPARE(QDir(m_home->path()).entryList({QStringLiteral("*.cannery")}).size(), 0);
}

void TstProjectSession::aTableAndItsLabelMakeAProject()
{
    const QString table = m_home->filePath(QStringLiteral("my penguins.csv"));
    QVERIFY(QFile::copy(
        QStringLiteral(CANNERY_SOURCE_DIR "/resources/examples/penguins/penguins.csv"), table));
    QSignalSpy changed(&m_session->project(), &OpenProject::changed);
    m_session->tables().make(table, {.label = QStringLiteral("species")}, {});
    QTRY_COMPARE_WITH_TIMEOUT(changed.size(), 1, kPatience);
    QCOMPARE(m_session->project().folder(),
             m_home->filePath(QStringLiteral("projects/my penguins")));
    QCOMPARE(m_session->starter().hindrance(), QString());
    QCOMPARE(m_session->document().value(QStringLiteral("data.label.column")),
             QStringLiteral("species"));
    QTRY_VERIFY_WITH_TIMEOUT(!m_session->check().facts().isEmpty(), kPatience);
    QCOMPARE(m_session->document().problems().all().size(), 0);
}

void TstProjectSession::aTableBesideAnExperimentJoinsItsProject()
{
    const QString folder = copyExample(QStringLiteral("penguins"));
    QSignalSpy changed(&m_session->project(), &OpenProject::changed);
    m_session->tables().make(folder + QStringLiteral("/penguins.csv"),
                             {.label = QStringLiteral("island")}, {});
    QTRY_COMPARE_WITH_TIMEOUT(changed.size(), 1, kPatience);
    QCOMPARE(m_session->project().folder(), folder);
    QVERIFY(m_session->document().file().endsWith(QLatin1String("/penguins-2.cannery")));
}

void TstProjectSession::aBrokenTableSaysWhy()
{
    const QString table = m_home->filePath(QStringLiteral("empty.csv"));
    write(table, "");
    QSignalSpy failed(m_session.get(), &ProjectSession::failed);
    m_session->tables().make(table, {.label = QStringLiteral("a")}, {});
    QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, kPatience);
    QVERIFY(failed.first().first().toString().contains(QLatin1String("empty.csv")));
    QTRY_VERIFY_WITH_TIMEOUT(!QDir(m_home->filePath(QStringLiteral("projects/empty"))).exists(),
                             kPatience);
    QVERIFY(!m_session->project().isOpen() && !m_session->project().isOpening());
}

void TstProjectSession::commandsSayWhatWouldRun()
{
    const QString folder = copyExample(QStringLiteral("titanic"));
    QVERIFY(open(*m_session, folder));
    QCOMPARE(m_session->starter().commands().train().display(),
             QStringLiteral("cannery train %1/titanic.cannery --detach --restarts 3").arg(folder));
    m_session->settings().setThreads(2);
    m_session->settings().setRestarts(0);
    QCOMPARE(m_session->starter().commands().train().display(),
             QStringLiteral("cannery train %1/titanic.cannery --threads 2 --detach").arg(folder));
    m_session->settings().setThreads(0);
    QCOMPARE(
        m_session->starter().commands().resume(QStringLiteral("run-1"), 500).display(),
        QStringLiteral("cannery resume run-1 --project %1 --max-steps 500 --detach").arg(folder));
    QCOMPARE(m_session->starter().commands().warmStart(QStringLiteral("run-1"), 200).display(),
             QStringLiteral("cannery train %1/titanic.cannery --set "
                            "'warm_start.ckpt_to_initialize_from=runs/run-1/model.ckpt-200' "
                            "--detach")
                 .arg(folder));
}

void TstProjectSession::openingIsRemembered()
{
    const QString folder = copyExample(QStringLiteral("titanic"));
    QVERIFY(open(*m_session, folder));
    QSignalSpy changed(&m_session->recents(), &RecentProjects::changed);
    QTRY_VERIFY_WITH_TIMEOUT(m_session->recents().projects().first().exists, kPatience);
    QCOMPARE(m_session->recents().projects().first().folder, folder);
    m_session = nullptr;
    QVERIFY(QDir(folder).removeRecursively());
    m_session = makeSession();
    QCOMPARE(m_session->recents().projects().size(), 1);
    QTRY_VERIFY_WITH_TIMEOUT(!m_session->recents().projects().first().exists, kPatience);
    const QString moved = copyExample(QStringLiteral("census"));
    m_session->recents().relocate(folder, moved);
    QTRY_VERIFY_WITH_TIMEOUT(m_session->recents().projects().first().exists, kPatience);
    QCOMPARE(m_session->recents().projects().first().folder, moved);
    m_session->recents().remove(moved);
    QVERIFY(m_session->recents().projects().isEmpty());
}

void TstProjectSession::theLastProjectComesBack()
{
    const QString folder = copyExample(QStringLiteral("titanic"));
    QVERIFY(open(*m_session, folder));
    m_session = nullptr;
    m_session = makeSession();
    QSignalSpy changed(&m_session->project(), &OpenProject::changed);
    m_session->recovery().restoreLast();
    QTRY_COMPARE_WITH_TIMEOUT(changed.size(), 1, kPatience);
    QCOMPARE(m_session->project().folder(), folder);
    QVERIFY(m_session->recovery().lost().isEmpty());
}

void TstProjectSession::aFolderOfEventFilesIsBrowsed()
{
    const QString folder = m_home->filePath(QStringLiteral("logs/run-a"));
    QDir().mkpath(folder);
    const QDir golden(QStringLiteral(CANNERY_SOURCE_DIR "/tests/golden/event/v2"));
    const QStringList files = golden.entryList({QStringLiteral("*tfevents*")}, QDir::Files);
    QVERIFY(!files.isEmpty());
    QVERIFY(QFile::copy(golden.filePath(files.first()), folder + u'/' + files.first()));
    QVERIFY(open(*m_session, m_home->filePath(QStringLiteral("logs"))));
    QVERIFY(m_session->project().isEventFolder());
    QVERIFY(m_session->starter().hindrance().contains(QLatin1String("page:home")));
    QTRY_COMPARE_WITH_TIMEOUT(m_session->runs().snapshot()->runs.size(), 1, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(
        !m_session->series().keys(m_session->runs().snapshot()->runs.first().name).isEmpty(),
        kPatience);
}

void TstProjectSession::closingLeavesNothingOpen()
{
    QVERIFY(open(*m_session, copyExample(QStringLiteral("titanic"))));
    m_session->project().close();
    QVERIFY(!m_session->project().isOpen());
    QVERIFY(!m_session->document().isOpen());
    QVERIFY(m_session->project().name().isEmpty());
    QVERIFY(m_session->runs().snapshot()->runs.isEmpty());
    m_session->recovery().restoreLast(); // closed by the user: nothing to restore
    QSignalSpy opening(&m_session->project(), &OpenProject::openingChanged);
    m_session = nullptr;
    QVERIFY(opening.isEmpty());
}

CANNERY_TEST(TstProjectSession)
#include "tst_project_session.moc"
