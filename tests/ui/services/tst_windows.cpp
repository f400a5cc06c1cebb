// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "ui/services/projects/sample_library.h"
#include "ui/services/projects/single_instance.h"
#include "ui/services/projects/window_session.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <optional>

using namespace cannery::ui;
using cannery::tests::kPatience;

/// What several windows know about each other, and what each of them loads.
class TstWindows : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();

    void aSecondWindowOfAProjectGivesWay();
    void otherProjectsDoNotMeet();
    void aReleasedProjectIsFree();
    void aWindowThatDiedLeavesItsPlace();
    void aWindowThatEndsProperlyIsNotLost();
    void aWindowThatDiedIsFoundWithItsEdits();
    void aLivingWindowIsNotLost();
    void whatIsForgottenIsGone();
    void everySampleIsListedWithItsFacts();

private:
    bool claim(SingleInstance& instance, const QString& request);
    void leaveMark(const QByteArray& json);

    std::unique_ptr<QTemporaryDir> m_folder;
};

void TstWindows::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    qputenv("XDG_RUNTIME_DIR", m_folder->path().toUtf8());
}

bool TstWindows::claim(SingleInstance& instance, const QString& request)
{
    std::optional<bool> answer;
    instance.claim(m_folder->path(), request, [&](bool isOurs) { answer = isOurs; });
    return QTest::qWaitFor([&] { return answer.has_value(); }, kPatience) && *answer;
}

void TstWindows::aSecondWindowOfAProjectGivesWay()
{
    SingleInstance first;
    SingleInstance second;
    QVERIFY(claim(first, {}));
    QVERIFY(claim(first, {})); // again: still ours
    QSignalSpy raised(&first, &SingleInstance::raiseRequested);
    const QString request = QStringLiteral("/home/ann/größe %41\n.cannery");
    QVERIFY(!claim(second, request));
    QTRY_COMPARE_WITH_TIMEOUT(raised.size(), 1, kPatience);
    QCOMPARE(raised.first().first().toString(), request);
}

void TstWindows::otherProjectsDoNotMeet()
{
    SingleInstance first;
    QVERIFY(claim(first, {}));
    const QTemporaryDir other;
    std::optional<bool> answer;
    SingleInstance second;
    second.claim(other.path(), {}, [&](bool isOurs) { answer = isOurs; });
    QTRY_VERIFY_WITH_TIMEOUT(answer, kPatience);
    QVERIFY(*answer);
}

void TstWindows::aReleasedProjectIsFree()
{
    SingleInstance first;
    QVERIFY(claim(first, {}));
    first.release();
    SingleInstance second;
    QVERIFY(claim(second, {}));
}

void TstWindows::aWindowThatDiedLeavesItsPlace()
{
    {
        SingleInstance first;
        QVERIFY(claim(first, {}));
    }
    // The socket of a killed program remains.
    QDirIterator files(m_folder->path(), {QStringLiteral("window-*")}, QDir::System,
                       QDirIterator::Subdirectories);
    QVERIFY(!files.hasNext() || !files.next().isEmpty());
    SingleInstance second;
    QVERIFY(claim(second, {}));
}

void TstWindows::leaveMark(const QByteArray& json)
{
    const QString mark = m_folder->filePath(QStringLiteral("windows/dead"));
    QDir().mkpath(mark);
    QFile file(mark + QStringLiteral("/window.json"));
    if (!file.open(QIODevice::WriteOnly) || file.write(json) != json.size()) {
        qFatal("cannot write a test file");
    }
}

void TstWindows::aWindowThatEndsProperlyIsNotLost()
{
    const QString windows = m_folder->filePath(QStringLiteral("windows"));
    {
        WindowSession session(windows);
        session.noteOpening(QStringLiteral("/p"), QStringLiteral("/p/a.cannery"), false);
        session.noteOpened();
    }
    QVERIFY(QDir(windows).entryList(QDir::Dirs | QDir::NoDotAndDotDot).isEmpty());
}

void TstWindows::aWindowThatDiedIsFoundWithItsEdits()
{
    const QString experiment = m_folder->filePath(QStringLiteral("a.cannery"));
    QFile file(experiment);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("name: \"b\"\n") > 0);
    file.close();
    QFile journal(m_folder->filePath(QStringLiteral(".a.cannery.edits")));
    QVERIFY(journal.open(QIODevice::WriteOnly));
    const QByteArray after = QByteArray("name: \"b\"\n").toBase64();
    journal.write("{\"base\":\"YQ==\",\"previous\":\"YQ==\",\"text\":\"" + after +
                  "\",\"changes\":3}");
    journal.close();
    leaveMark("{\"project\":\"/p\",\"experiment_file\":\"" + experiment.toUtf8() +
              "\",\"opening\":true}");
    WindowSession session(m_folder->filePath(QStringLiteral("windows")));
    QSignalSpy found(&session, &WindowSession::found);
    session.findLost();
    QTRY_COMPARE_WITH_TIMEOUT(found.size(), 1, kPatience);
    QCOMPARE(session.lost().size(), 1);
    QCOMPARE(session.lost().first().project, QStringLiteral("/p"));
    QVERIFY(session.lost().first().wasOpening);
    QCOMPARE(session.lost().first().changes, 3);
}

void TstWindows::aLivingWindowIsNotLost()
{
    const QString windows = m_folder->filePath(QStringLiteral("windows"));
    WindowSession living(windows);
    living.noteOpening(QStringLiteral("/p"), {}, true);
    QTRY_VERIFY_WITH_TIMEOUT(!QDir(windows).isEmpty(), kPatience);
    WindowSession session(windows);
    QSignalSpy found(&session, &WindowSession::found);
    session.findLost();
    QTRY_COMPARE_WITH_TIMEOUT(found.size(), 1, kPatience);
    QVERIFY(session.lost().isEmpty());
}

void TstWindows::whatIsForgottenIsGone()
{
    leaveMark("{\"project\":\"/p\",\"experiment_file\":\"\"}");
    const QString windows = m_folder->filePath(QStringLiteral("windows"));
    WindowSession session(windows);
    QSignalSpy found(&session, &WindowSession::found);
    session.findLost();
    QTRY_COMPARE_WITH_TIMEOUT(found.size(), 1, kPatience);
    session.forget(QStringLiteral("/p"));
    QVERIFY(session.lost().isEmpty());
    QTRY_VERIFY_WITH_TIMEOUT(QDir(windows).isEmpty(), kPatience);
}

void TstWindows::everySampleIsListedWithItsFacts()
{
    SampleLibrary library;
    QTRY_VERIFY_WITH_TIMEOUT(library.samples().size() >= 5, kPatience);
    const Sample titanic = library.samples().first();
    QCOMPARE(titanic.id, QStringLiteral("titanic"));
    QCOMPARE(titanic.title, QStringLiteral("Titanic, wide and deep"));
    QCOMPARE(titanic.estimator, QStringLiteral("wide & deep"));
    QCOMPARE(titanic.rows, 627);
    QCOMPARE(titanic.columns, 10);
    for (const Sample& sample : library.samples()) {
        QVERIFY2(!sample.title.isEmpty() && !sample.sentence.isEmpty() &&
                     !sample.estimator.isEmpty() &&
                     (sample.pictures > 1 || (sample.rows > 0 && sample.columns > 1)),
                 qPrintable(sample.id));
    }
}

CANNERY_TEST(TstWindows)
#include "tst_windows.moc"
