// SPDX-License-Identifier: GPL-3.0-only
#include "storage/runs/queue_store.h"
#include "storage/runs/run_store.h"
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "ui/document/experiment_document.h"
#include "ui/services/projects/experiment_folder.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/projects/settings.h"
#include "ui/services/runs/run_catalog.h"

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QUndoStack>

using namespace cannery::ui;
using cannery::tests::kPatience;
namespace storage = cannery::storage;

namespace {

QByteArray contentOfFile(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

/// Several experiments in one project, with the real `cannery` for `check`.
class TstExperiments : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void newFromThisCopiesWhatIsShown();
    void copiesAreCounted();
    void switchingKeepsTheProject();
    void anExperimentThatVanishedSaysSoAndTheOpenOneStays();
    void renamingIsRemembered();
    void wrongFileNamesAreRefused_data();
    void wrongFileNamesAreRefused();
    void aNameWithSlashesIsFineInTheExperiment();
    void deletingOpensTheNextOne();
    void theLastOneCanBeDeletedAndRestored();
    void restoringReplacesNothing();
    void aFileDeletedByOthersIsNotDeletedTwice();
    void aReadOnlyProjectRefuses();
    void trainingWaitsForTheChoice();

private:
    bool waitForOpen(const QString& fileName) const;
    QString path(const QString& name) const { return m_project + u'/' + name; }

    std::unique_ptr<QTemporaryDir> m_home;
    QString m_project;
    std::unique_ptr<ProjectSession> m_session;
};

void TstExperiments::init()
{
    m_home = std::make_unique<QTemporaryDir>();
    qputenv("XDG_DATA_HOME", m_home->filePath(QStringLiteral("data")).toUtf8());
    m_project = m_home->filePath(QStringLiteral("titanic"));
    QDir().mkpath(m_project);
    const QDir from(QStringLiteral(CANNERY_SOURCE_DIR "/resources/examples/titanic"));
    for (const QString& name : from.entryList(QDir::Files)) {
        QVERIFY(QFile::copy(from.filePath(name), path(name)));
        QFile::setPermissions(path(name), QFile::ReadOwner | QFile::WriteOwner);
    }
    m_session =
        std::make_unique<ProjectSession>(nullptr, m_home->filePath(QStringLiteral("settings.ini")));
    m_session->setProgram(QStringLiteral(CANNERY_PROGRAM));
    m_session->project().open(path(QStringLiteral("titanic.cannery")));
    QVERIFY(waitForOpen(QStringLiteral("titanic.cannery")));
}

void TstExperiments::cleanup()
{
    m_session.reset();
    QFile::setPermissions(m_project, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    m_home.reset();
}

bool TstExperiments::waitForOpen(const QString& fileName) const
{
    return QTest::qWaitFor(
        [&] {
            const ExperimentDocument& document = m_session->document();
            return document.file() == path(fileName) && !document.isLoading() &&
                   !m_session->project().isOpening() &&
                   m_session->experiments().files().contains(path(fileName));
        },
        kPatience);
}

void TstExperiments::newFromThisCopiesWhatIsShown()
{
    QVERIFY(m_session->document().setValue(QStringLiteral("train_spec.max_steps"),
                                           QStringLiteral("77")));
    m_session->experiments().newFromThis();
    QVERIFY(waitForOpen(QStringLiteral("titanic-2.cannery")));
    QCOMPARE(m_session->document().name(), QStringLiteral("Titanic, wide and deep 2"));
    QCOMPARE(m_session->document().value(QStringLiteral("train_spec.max_steps")),
             QStringLiteral("77"));
    QTRY_COMPARE_WITH_TIMEOUT(m_session->experiments().files().size(), 2, kPatience);
}

void TstExperiments::copiesAreCounted()
{
    m_session->experiments().newFromThis();
    QVERIFY(waitForOpen(QStringLiteral("titanic-2.cannery")));
    m_session->experiments().newFromThis();
    QVERIFY(waitForOpen(QStringLiteral("titanic-3.cannery")));
    QCOMPARE(m_session->document().name(), QStringLiteral("Titanic, wide and deep 3"));
}

void TstExperiments::switchingKeepsTheProject()
{
    m_session->experiments().newFromThis();
    QVERIFY(waitForOpen(QStringLiteral("titanic-2.cannery")));
    QSignalSpy opened(&m_session->project(), &OpenProject::opened);
    m_session->experiments().switchTo(path(QStringLiteral("titanic.cannery")));
    QVERIFY(waitForOpen(QStringLiteral("titanic.cannery")));
    QTRY_COMPARE_WITH_TIMEOUT(opened.size(), 1, kPatience);
    QCOMPARE(opened.first().first().value<Opening>(), Opening::Switched);
    QCOMPARE(m_session->project().folder(), m_project);
}

void TstExperiments::anExperimentThatVanishedSaysSoAndTheOpenOneStays()
{
    QSignalSpy failed(m_session.get(), &ProjectSession::failed);
    m_session->experiments().switchTo(path(QStringLiteral("gone.cannery")));
    QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, kPatience);
    QVERIFY(failed.first().first().toString().contains(QLatin1String("gone.cannery")));
    QCOMPARE(m_session->document().file(), path(QStringLiteral("titanic.cannery")));
}

void TstExperiments::renamingIsRemembered()
{
    auto store = storage::RunStore::open(m_project.toStdString());
    QVERIFY(store);
    storage::QueueStore queue(store->database());
    QVERIFY(queue.add({.experimentFile = path(QStringLiteral("titanic.cannery")).toStdString()}));
    m_session->runs().refresh();
    QTRY_COMPARE_WITH_TIMEOUT(m_session->runs().snapshot()->queue,
                              QStringList(QStringLiteral("titanic")), kPatience);
    std::optional<QString> error;
    m_session->experiments().rename(QStringLiteral("Deep"), QStringLiteral("deep"),
                                    [&](const QString& why) { error = why; });
    QTRY_VERIFY_WITH_TIMEOUT(error.has_value(), kPatience);
    QCOMPARE(*error, QString());
    QVERIFY(waitForOpen(QStringLiteral("deep.cannery")));
    QTRY_COMPARE_WITH_TIMEOUT(m_session->project().name(), QStringLiteral("Deep"), kPatience);
    QCOMPARE(m_session->settings().value(QStringLiteral("session/last")).toString(),
             path(QStringLiteral("deep.cannery")));
    QVERIFY(m_session->starter().commands().train().arguments.contains(
        path(QStringLiteral("deep.cannery"))));
    QTRY_COMPARE_WITH_TIMEOUT(m_session->experiments().files(),
                              QStringList{path(QStringLiteral("deep.cannery"))}, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(m_session->runs().snapshot()->queue,
                              QStringList(QStringLiteral("deep")), kPatience);
    QCOMPARE(queue.list()->front().experimentFile,
             path(QStringLiteral("deep.cannery")).toStdString());
}

void TstExperiments::wrongFileNamesAreRefused_data()
{
    QTest::addColumn<QString>("name");
    QTest::newRow("nothing") << QString();
    QTest::newRow("blanks") << QStringLiteral("  ");
    QTest::newRow("a slash") << QStringLiteral("../other");
    QTest::newRow("hidden") << QStringLiteral(".hidden");
    QTest::newRow("two lines") << QStringLiteral("a\nb");
    QTest::newRow("too long") << QString(300, u'a');
    QTest::newRow("taken") << QStringLiteral("taken");
}

void TstExperiments::wrongFileNamesAreRefused()
{
    QFETCH(QString, name);
    QVERIFY(QFile::copy(path(QStringLiteral("titanic.cannery")),
                        path(QStringLiteral("taken.cannery"))));
    QString error;
    m_session->experiments().rename(QStringLiteral("New"), name,
                                    [&](const QString& why) { error = why; });
    QTRY_VERIFY_WITH_TIMEOUT(!error.isEmpty(), kPatience);
    QCOMPARE(m_session->document().file(), path(QStringLiteral("titanic.cannery")));
    QCOMPARE(m_session->document().name(), QStringLiteral("Titanic, wide and deep"));
    QVERIFY(QFile::exists(path(QStringLiteral("titanic.cannery"))));
}

void TstExperiments::aNameWithSlashesIsFineInTheExperiment()
{
    QCOMPARE(fileNameFor(QStringLiteral("Wide / Deep: Tiny ☂ 2")),
             QStringLiteral("wide-deep-tiny-2"));
    QCOMPARE(fileNameFor(QStringLiteral("타이타닉")), QStringLiteral("타이타닉"));
    QCOMPARE(fileNameFor(QStringLiteral("../..")), QString());
    QVERIFY(fileNameProblem(fileNameFor(QString(500, u'é'))).isEmpty());
}

void TstExperiments::deletingOpensTheNextOne()
{
    m_session->experiments().newFromThis();
    QVERIFY(waitForOpen(QStringLiteral("titanic-2.cannery")));
    QVERIFY(m_session->document().setValue(QStringLiteral("train_spec.max_steps"),
                                           QStringLiteral("77")));
    const QByteArray text = m_session->document().text().toUtf8();
    QSignalSpy trashed(&m_session->experiments(), &ExperimentLibrary::trashed);
    m_session->experiments().trash();
    QTRY_COMPARE_WITH_TIMEOUT(trashed.size(), 1, kPatience);
    QVERIFY(waitForOpen(QStringLiteral("titanic.cannery")));
    QVERIFY(!QFile::exists(path(QStringLiteral("titanic-2.cannery"))));
    const auto experiment = trashed.first().first().value<TrashedExperiment>();
    QCOMPARE(contentOfFile(experiment.inTrash), text);
    QCOMPARE(experiment.name, QStringLiteral("Titanic, wide and deep 2"));
    m_session->experiments().restore(experiment);
    QVERIFY(waitForOpen(QStringLiteral("titanic-2.cannery")));
    QCOMPARE(contentOfFile(path(QStringLiteral("titanic-2.cannery"))), text);
    QVERIFY(!QFile::exists(experiment.inTrash));
}

void TstExperiments::theLastOneCanBeDeletedAndRestored()
{
    QSignalSpy trashed(&m_session->experiments(), &ExperimentLibrary::trashed);
    m_session->experiments().trash();
    QTRY_COMPARE_WITH_TIMEOUT(trashed.size(), 1, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!m_session->project().isOpening() && !m_session->document().isOpen(),
                             kPatience);
    QCOMPARE(m_session->project().folder(), m_project);
    QVERIFY(!m_session->starter().hindrance().isEmpty());
    QVERIFY(!m_session->experiments().hindrance().isEmpty());
    m_session->experiments().restore(trashed.first().first().value<TrashedExperiment>());
    QVERIFY(waitForOpen(QStringLiteral("titanic.cannery")));
}

void TstExperiments::restoringReplacesNothing()
{
    QSignalSpy trashed(&m_session->experiments(), &ExperimentLibrary::trashed);
    QSignalSpy failed(m_session.get(), &ProjectSession::failed);
    m_session->experiments().trash();
    QTRY_COMPARE_WITH_TIMEOUT(trashed.size(), 1, kPatience);
    const auto experiment = trashed.first().first().value<TrashedExperiment>();
    QFile other(path(QStringLiteral("titanic.cannery")));
    QVERIFY(other.open(QIODevice::WriteOnly) && other.write("name: \"Other\"\n") > 0);
    other.close();
    m_session->experiments().restore(experiment);
    QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, kPatience);
    QVERIFY(failed.first().first().toString().contains(QLatin1String("titanic.cannery")));
    QCOMPARE(contentOfFile(other.fileName()), QByteArray("name: \"Other\"\n"));
    QVERIFY(QFile::exists(experiment.inTrash));
}

void TstExperiments::aFileDeletedByOthersIsNotDeletedTwice()
{
    m_session->experiments().newFromThis();
    QVERIFY(waitForOpen(QStringLiteral("titanic-2.cannery")));
    QVERIFY(QFile::remove(path(QStringLiteral("titanic-2.cannery"))));
    QSignalSpy failed(m_session.get(), &ProjectSession::failed);
    m_session->experiments().trash();
    QVERIFY(waitForOpen(QStringLiteral("titanic.cannery")));
    QCOMPARE(failed.size(), 1);
    QVERIFY(failed.first().first().toString().contains(QLatin1String("titanic-2.cannery")));
}

void TstExperiments::aReadOnlyProjectRefuses()
{
    m_session->project().close();
    QFile::setPermissions(m_project, QFile::ReadOwner | QFile::ExeOwner);
    m_session->project().open(path(QStringLiteral("titanic.cannery")));
    QVERIFY(waitForOpen(QStringLiteral("titanic.cannery")));
    QTRY_VERIFY_WITH_TIMEOUT(!m_session->project().changeHindrance().isEmpty(), kPatience);
    QSignalSpy failed(m_session.get(), &ProjectSession::failed);
    m_session->experiments().newFromThis();
    m_session->experiments().trash();
    QString error;
    m_session->experiments().rename(QStringLiteral("New"), QStringLiteral("new"),
                                    [&](const QString& why) { error = why; });
    QCOMPARE(error, m_session->project().changeHindrance());
    QCOMPARE(failed.size(), 2);
    QCOMPARE(failed.last().first().toString(), m_session->project().changeHindrance());
    QCOMPARE(m_session->document().file(), path(QStringLiteral("titanic.cannery")));
}

void TstExperiments::trainingWaitsForTheChoice()
{
    ExperimentDocument& document = m_session->document();
    QTRY_COMPARE_WITH_TIMEOUT(m_session->starter().hindrance(), QString(), kPatience);
    QByteArray theirs = document.text().toUtf8();
    theirs.replace("Titanic, wide and deep", "From git");
    QVERIFY(document.setValue(QStringLiteral("train_spec.max_steps"), QStringLiteral("77")));
    QTRY_VERIFY_WITH_TIMEOUT(!document.storage().isSaving(), kPatience);
    QFile file(document.file());
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(theirs) == theirs.size());
    file.close();
    QTRY_COMPARE_WITH_TIMEOUT(document.storage().standing(), Standing::BothChanged, kPatience);
    QVERIFY(m_session->starter().hindrance().contains(QLatin1String("titanic.cannery")));
    QVERIFY(!m_session->experiments().hindrance().isEmpty());
    document.storage().keepMine();
    QTRY_COMPARE_WITH_TIMEOUT(m_session->starter().hindrance(), QString(), kPatience);
}

CANNERY_TEST(TstExperiments)
#include "tst_experiments.moc"
