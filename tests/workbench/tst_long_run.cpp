// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "tests/workbench/synthetic_run.h"
#include "tests/workbench/workbench_fixture.h"
#include "ui/frame/drawer/drawer.h"
#include "ui/frame/drawer/log_model.h"
#include "ui/pages/page.h"
#include "ui/pages/runs/log_lines.h"
#include "ui/pages/runs/run_page.h"
#include "ui/services/engine_service.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/services/runs/series_store.h"
#include "ui/widgets/segmented.h"

#include <QElapsedTimer>
#include <QTimer>

#include <malloc.h>
#include <time.h>

#include <algorithm>

using namespace cannery;
using namespace cannery::ui;
using cannery::tests::kPatience;
using cannery::tests::SyntheticRun;

namespace {

constexpr std::int64_t kMillion = 1'000'000;
constexpr const char* kRun = "run-001";

#if defined(__SANITIZE_ADDRESS__) || defined(CANNERY_SANITIZES_THREADS)
constexpr double kMachineFactor = 10; ///< the limit is for release builds
#else
constexpr double kMachineFactor = 1;
#endif
constexpr double kLongestStall = 0.050 * kMachineFactor;

/// Processor time of the calling thread, so that other programs do not count.
double threadSeconds()
{
    struct timespec time = {};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// The longest time that the GUI thread computed without processing events.
class StallMeter
{
public:
    StallMeter()
    {
        m_timer.setTimerType(Qt::PreciseTimer);
        QObject::connect(&m_timer, &QTimer::timeout, &m_timer, [this] {
            const double now = threadSeconds();
            longest = std::max(longest, now - m_last);
            m_last = now;
        });
        m_timer.start(2);
        reset();
    }
    void reset()
    {
        m_last = threadSeconds();
        longest = 0;
    }

    double longest = 0;

private:
    QTimer m_timer;
    double m_last = 0;
};

/// The cost of a million steps for the window.
struct Bill
{
    double longestStall = 0;
    double processorShare = 0;
    qint64 heapBytes = 0;
    qsizetype objects = 0;
};

qint64 heapBytes()
{
    const struct mallinfo2 info = ::mallinfo2();
    return static_cast<qint64>(info.uordblks + info.hblkhd);
}

} // namespace

/// A run of ten million steps, watched from every page.
class TstLongRun : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();

    void everyPageWatchesTenMillionSteps();
    void nobodyLooksNothingIsDone();
    void whatHappenedStaysBesideTheLines();

private:
    void show(const QString& target);
    Bill watchAMillion();

    std::unique_ptr<tests::WorkbenchFixture> m_bench;
    std::unique_ptr<SyntheticRun> m_run;
};

void TstLongRun::init()
{
    m_bench = std::make_unique<tests::WorkbenchFixture>();
    m_bench->open();
    QVERIFY(m_bench->openSample("titanic"));
    m_run = std::make_unique<SyntheticRun>(m_bench->session().project().folder().toStdString(),
                                           kRun, 12 * kMillion);
    QVERIFY(m_bench->waitFor([this] {
        return m_bench->session().engines().status(kRun).has_value() &&
               m_bench->session().runs().snapshot()->find(kRun) != nullptr;
    }));
}

void TstLongRun::cleanup()
{
    m_run.reset();
    m_bench.reset();
}

/// Shows a page and waits until the window is idle.
void TstLongRun::show(const QString& target)
{
    m_bench->window().navigate(target);
    for (int quiet = 0; quiet < 10;) {
        const double before = threadSeconds();
        QTest::qWait(20);
        quiet = threadSeconds() - before < 0.004 * kMachineFactor ? quiet + 1 : 0;
    }
}

Bill TstLongRun::watchAMillion()
{
    StallMeter meter;
    QElapsedTimer wall;
    wall.start();
    const double begun = threadSeconds();
    const std::int64_t end = m_run->step() + kMillion;
    m_run->begin(kMillion);
    const bool arrived = m_bench->waitFor([this, end] {
        const auto status = m_bench->session().engines().status(kRun);
        return m_run->isAtRest() && status && status->globalStep == end &&
               m_bench->session().series().loadedFraction(kRun) == 1.0;
    });
    Bill bill;
    bill.longestStall = arrived ? meter.longest : 1e9;
    bill.processorShare = (threadSeconds() - begun) / (static_cast<double>(wall.elapsed()) / 1000);
    bill.heapBytes = heapBytes();
    bill.objects = m_bench->window().findChildren<QObject*>().size();
    return bill;
}

void TstLongRun::everyPageWatchesTenMillionSteps()
{
    const QStringList places{"train", "run:run-001", "home",  "data",   "features",
                             "model", "runs",        "train", "export", "run:run-001"};
    QHash<QString, Bill> first;
    for (const QString& place : places) {
        show(place);
        if (place.startsWith("run:")) {
            m_bench->window().findChild<RunPage*>()->setView(RunPage::Log);
        }
        const Bill bill = watchAMillion();
        QVERIFY2(bill.longestStall <= kLongestStall,
                 qPrintable(QString("%1 stalls for %2 s at step %3")
                                .arg(place)
                                .arg(bill.longestStall)
                                .arg(m_run->step())));
        if (!first.contains(place)) {
            first.insert(place, bill);
            continue;
        }
        // The same page, millions of steps later.
        const Bill& then = first[place];
        QVERIFY2(
            bill.heapBytes - then.heapBytes < 24 << 20,
            qPrintable(
                QString("%1 grew by %2 bytes").arg(place).arg(bill.heapBytes - then.heapBytes)));
        QVERIFY2(bill.processorShare < 2 * then.processorShare + 0.1,
                 qPrintable(QString("%1: %2 of a processor, at first %3")
                                .arg(place)
                                .arg(bill.processorShare)
                                .arg(then.processorShare)));
    }
    QCOMPARE(m_run->step(), 10 * kMillion);
    // Every byte is read once; the shown part of the log is limited.
    QVERIFY(m_bench->session().series().bytesRead() <=
            static_cast<qint64>(m_run->eventBytes() + m_run->eventBytes() / 10));
    QVERIFY(m_bench->session().engines().log(kRun).size() <= EngineService::kLogLimit);
}

void TstLongRun::nobodyLooksNothingIsDone()
{
    show("run:run-001");
    m_bench->window().findChild<RunPage*>()->setView(RunPage::Log);
    watchAMillion();
    auto* log = m_bench->window().findChild<LogLines*>();
    show("data");
    const qint64 written = log->linesWritten();
    watchAMillion();
    QCOMPARE(log->linesWritten(), written);
    m_bench->window().showMinimized();
    QVERIFY(m_bench->waitFor([this] { return m_bench->window().isMinimized(); }));
    const qint64 read = m_bench->session().series().bytesRead();
    m_run->begin(kMillion);
    QVERIFY(m_bench->waitFor([this] { return m_run->isAtRest(); }));
    QVERIFY(m_bench->session().series().bytesRead() - read < 1 << 20);
    m_bench->window().showNormal();
    show("run:run-001");
    // One screenful is laid out, whatever was logged meanwhile.
    QVERIFY(log->linesWritten() - written <= 3 * LogLines::kShown);
    QVERIFY(log->text().contains(QString("step = %1").arg(m_run->step())));
    QTRY_COMPARE_WITH_TIMEOUT(m_bench->session().series().loadedFraction(kRun), 1.0, kPatience);
}

void TstLongRun::whatHappenedStaysBesideTheLines()
{
    show("train");
    m_run->say(reports::LogLine::WARNING, "health.rising_eval_loss",
               "The evaluation loss has risen in 3 evaluations in a row.");
    watchAMillion();
    const QList<LogEntry> events = m_bench->session().engines().events(kRun);
    QVERIFY(std::any_of(events.begin(), events.end(), [](const LogEntry& entry) {
        return entry.id == "health.rising_eval_loss";
    }));
    QVERIFY(std::none_of(events.begin(), events.end(), [](const LogEntry& entry) {
        return entry.sentence.startsWith("loss = ");
    }));
    for (const LogEntry& entry : m_bench->window().drawer().log().entries()) {
        QVERIFY2(!entry.sentence.startsWith("loss = "), qPrintable(entry.sentence));
    }
    show("run:run-001");
    m_bench->window().findChild<RunPage*>()->setView(RunPage::Log);
    m_bench->window().findChild<LogLines*>()->findChild<Segmented*>()->setCurrentIndex(1);
    QTRY_VERIFY_WITH_TIMEOUT(m_bench->window().findChild<LogLines*>()->text().contains(
                                 "The evaluation loss has risen in 3 evaluations in a row."),
                             kPatience);
}

CANNERY_TEST(TstLongRun)
#include "tst_long_run.moc"
