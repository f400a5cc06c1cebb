// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "ui/document/experiment_document.h"
#include "ui/frame/main_window.h"
#include "ui/frame/theme_control.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/projects/settings.h"
#include "ui/services/runs/run_catalog.h"

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <malloc.h>

using namespace cannery::ui;
using cannery::tests::kPatience;

/// A window that has opened many projects holds no more than one that has opened a few.
class TstWindowMemory : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void projectsThatAreClosedAreForgotten();
};

namespace {

/// Bytes that the program has allocated and not freed.
qint64 heapInUse()
{
    const struct mallinfo2 info = mallinfo2();
    return static_cast<qint64>(info.uordblks + info.hblkhd);
}

struct Held
{
    qint64 heap = 0;
    qsizetype widgets = 0;
    qsizetype objects = 0; ///< of the session
};

/// After everything that was put off.
Held heldBy(const ProjectSession& session)
{
    QTest::qWait(50);
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    return {.heap = heapInUse(),
            .widgets = QApplication::allWidgets().size(),
            .objects = session.findChildren<QObject*>().size()};
}

} // namespace

void TstWindowMemory::projectsThatAreClosedAreForgotten()
{
    constexpr int kWarm = 10;
    constexpr int kProjects = 50;
    constexpr qint64 kPerProject = 16 << 10;
    const QTemporaryDir folder;
    const auto put = [&](int number) {
        const QString place = folder.filePath(QString("p%1").arg(number));
        const QString file = place + "/titanic.cannery";
        const bool isPut =
            QDir().mkpath(place) &&
            QFile::copy(CANNERY_SOURCE_DIR "/resources/examples/titanic/titanic.cannery", file);
        return isPut ? file : QString();
    };
    ProjectSession session(nullptr, folder.filePath("settings.ini"));
    session.settings().setReducesMotion(true);
    ThemeControl theme(*qobject_cast<QApplication*>(qApp), session.settings());
    MainWindow window(session, theme);
    window.resize(1280, 800);
    window.show();
    Held warm;
    for (int number = 0; number < kProjects; ++number) {
        const QString file = put(number);
        session.project().open(file);
        QTRY_VERIFY_WITH_TIMEOUT(session.document().isOpen() && session.document().isSettled() &&
                                     session.runs().isLoaded(),
                                 kPatience);
        for (const char* page : {"data", "features", "model", "train", "runs", "home"}) {
            window.navigate(page);
            QTest::qWait(0);
        }
        QVERIFY(session.document().setValue("train_spec.max_steps", QString::number(number + 2)));
        QTRY_VERIFY_WITH_TIMEOUT(session.document().isSettled(), kPatience);
        session.project().close();
        if (number + 1 == kWarm) {
            warm = heldBy(session);
        }
    }
    const Held last = heldBy(session);
    const qint64 growth = last.heap - warm.heap;
    qInfo("%d projects: %lld bytes, %lld widgets and %lld objects more than after %d", kProjects,
          static_cast<long long>(growth), static_cast<long long>(last.widgets - warm.widgets),
          static_cast<long long>(last.objects - warm.objects), kWarm);
    QCOMPARE(last.widgets, warm.widgets);
    QCOMPARE(last.objects, warm.objects);
    QVERIFY2(growth < (kProjects - kWarm) * kPerProject, qPrintable(QString::number(growth)));
}

CANNERY_TEST(TstWindowMemory)
#include "tst_window_memory.moc"
