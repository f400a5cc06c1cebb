// SPDX-License-Identifier: Apache-2.0
// window_benchmark pages [COLUMNS] [RUNS]: how long the window keeps its event loop while a project
//   with that many feature columns (300) and runs (100) is opened, its pages are shown twice, and
//   fields are edited: the longest wait of an event that another thread posts every 2 ms, the most
//   processor time that the window's thread took before such an event, and the longest of one event
//   with its receiver, in milliseconds.
// window_benchmark table FILE: seconds until a window shows the first rows of a table, after the
//   file was opened and after a project that uses it was opened.

#include "tests/workbench/workbench_fixture.h"
#include "ui/document/experiment_document.h"

#include <fmt/core.h>

#include <QAbstractItemView>
#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QTableView>
#include <QTextStream>
#include <QUndoStack>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <pthread.h>
#include <thread>

using cannery::tests::WorkbenchFixture;

namespace {

double processorMilliseconds()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

/// Keeps posting events to the window's thread and measures how late each is handled.
class Heart : public QObject
{
public:
    Heart()
    {
        pthread_getcpuclockid(pthread_self(), &m_window);
        m_clock.start();
        m_thread = std::jthread([this](const std::stop_token& stop) {
            while (!stop.stop_requested()) {
                std::this_thread::sleep_for(std::chrono::milliseconds(2));
                if (!m_isUnderWay.exchange(true)) {
                    m_posted = m_clock.nsecsElapsed();
                    m_workedAtPost = worked();
                    QCoreApplication::postEvent(this, new QEvent(QEvent::User),
                                                Qt::HighEventPriority);
                }
            }
        });
    }
    /// The longest wait since the last call, and the most processor time in one.
    std::pair<double, double> takeLongest()
    {
        return {std::exchange(m_longest, 0), std::exchange(m_mostWork, 0)};
    }

protected:
    bool event(QEvent* event) override
    {
        if (event->type() != QEvent::User) {
            return QObject::event(event);
        }
        m_longest = std::max(m_longest, double(m_clock.nsecsElapsed() - m_posted) / 1e6);
        m_mostWork = std::max(m_mostWork, worked() - m_workedAtPost);
        m_isUnderWay = false;
        return true;
    }

private:
    /// Processor time of the window's thread, in milliseconds.
    double worked() const
    {
        timespec now{};
        clock_gettime(m_window, &now);
        return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
    }

    clockid_t m_window{};
    QElapsedTimer m_clock;
    std::atomic<bool> m_isUnderWay = false;
    std::atomic<qint64> m_posted = 0;
    std::atomic<double> m_workedAtPost = 0;
    double m_longest = 0;
    double m_mostWork = 0;
    std::jthread m_thread;
};

/// Remembers the event that took the most processor time.
class WatchedApplication : public QApplication
{
public:
    using QApplication::QApplication;

    bool notify(QObject* receiver, QEvent* event) override
    {
        if (m_depth > 0) {
            return QApplication::notify(receiver, event);
        }
        const QString words = QString("%1 %2, event %3")
                                  .arg(receiver->metaObject()->className(), receiver->objectName())
                                  .arg(int(event->type()));
        const double begun = processorMilliseconds();
        ++m_depth;
        const bool handled = QApplication::notify(receiver, event);
        --m_depth;
        const double time = processorMilliseconds() - begun;
        if (time > m_longest) {
            m_longest = time;
            m_culprit = words;
        }
        return handled;
    }
    std::pair<double, QString> takeLongest()
    {
        return {std::exchange(m_longest, 0), std::exchange(m_culprit, {})};
    }

private:
    int m_depth = 0;
    double m_longest = 0;
    QString m_culprit;
};

/// Lets the window work for a while and prints its longest event.
class Stopwatch
{
public:
    explicit Stopwatch(WatchedApplication& application) : m_application(application) {}

    void settle(int milliseconds = 1200) { QTest::qWait(milliseconds); }
    void tell(const QString& what)
    {
        settle();
        const auto [time, culprit] = m_application.takeLongest();
        const auto [wait, work] = m_heart.takeLongest();
        fmt::print("{:<34} wait {:6.1f}   processor {:6.1f}   one event {:6.1f}   {}\n",
                   what.toStdString(), wait, work, time, culprit.toStdString());
    }
    void forget()
    {
        settle();
        m_application.takeLongest();
        m_heart.takeLongest();
    }

private:
    WatchedApplication& m_application;
    Heart m_heart;
};

bool writeProject(const QString& folder, int columns)
{
    QDir().mkpath(folder);
    QFile table(folder + "/wide.csv");
    QFile experiment(folder + "/wide.cannery");
    if (!table.open(QIODevice::WriteOnly) || !experiment.open(QIODevice::WriteOnly)) {
        return false;
    }
    constexpr int kRows = 500;
    QTextStream rows(&table);
    QTextStream text(&experiment);
    QStringList names;
    text << "name: \"Wide\"\ndata { train { csv { files: \"wide.csv\" } } split { fraction { "
            "eval_fraction: 0.25 seed: 7 } } label { column: \"y\" } }\n";
    for (int column = 0; column < columns; ++column) {
        const QString name = QString("measurement_%1").arg(column);
        rows << name << ',';
        names << '"' + name + '"';
        text << QString("feature_column { name: \"%1\" numeric_column { key: \"%1\" normalizer { "
                        "z_score { } } } }\n")
                    .arg(name);
    }
    rows << "y\n";
    for (int row = 0; row < kRows; ++row) {
        for (int column = 0; column < columns; ++column) {
            rows << (row * 7 + column * 13) % 97 / 97.0 << ',';
        }
        rows << row % 2 << '\n';
    }
    text << "estimator { dnn_classifier { hidden_units: [32, 16] feature_columns: ["
         << names.join(", ") << "] } }\ntrain_spec { max_steps: 200 input { batch_size: 32 } }\n"
         << "run_config { save_summary_steps: 10 save_checkpoints_steps: 100 }\n";
    return true;
}

bool train(const QString& folder)
{
    QProcess engine;
    engine.setWorkingDirectory(folder);
    engine.start(CANNERY_PROGRAM, {"train", "wide.cannery"});
    return engine.waitForFinished(60000) && engine.exitCode() == 0;
}

int showPages(WatchedApplication& application, int columns, int runs)
{
    WorkbenchFixture bench;
    const QString folder = bench.path("wide");
    if (!writeProject(folder, columns)) {
        return 1;
    }
    for (int run = 0; run < runs; ++run) {
        if (!train(folder)) {
            fmt::print(stderr, "The project could not be trained.\n");
            return 1;
        }
    }
    bench.open();
    Stopwatch watch(application);
    watch.forget();
    bench.session().project().open(folder);
    watch.settle(4000);
    watch.tell("open the project");
    for (const char* round : {"first", "again"}) {
        for (const char* page : {"home", "data", "features", "model", "train", "runs", "export"}) {
            bench.window().navigate(page);
            watch.tell(QString("%1, %2").arg(page, round));
        }
    }
    auto& document = bench.session().document();
    for (const char* page : {"data", "features", "model", "train", "runs"}) {
        bench.window().navigate(page);
        watch.forget();
        document.setValue("train_spec.max_steps", QString::number(300 + int(page[0])));
        watch.tell(QString("a field is edited, on %1").arg(page));
        document.apply("Remove", {cannery::ui::FieldEdit::remove("feature_column[7]")});
        watch.tell(QString("a column is removed, on %1").arg(page));
        document.undoStack()->undo();
        watch.tell(QString("that is undone, on %1").arg(page));
    }
    bench.window().navigate("features");
    watch.forget();
    if (auto* table = bench.find<QTableView>("table.features")) {
        for (int row = 10; row < 20; ++row) {
            table->selectRow(row);
            watch.settle(50);
        }
    }
    watch.tell("ten feature columns are selected");
    bench.window().navigate("train");
    bench.trigger("action.train");
    watch.settle(4000);
    watch.tell("a run is trained");
    return 0;
}

double secondsUntilRows(WorkbenchFixture& bench, const QString& table, const QElapsedTimer& clock)
{
    const auto hasRows = [&] {
        const auto* view = bench.find<QAbstractItemView>(table);
        return view != nullptr && view->model()->rowCount() > 0;
    };
    return bench.waitFor(hasRows) ? double(clock.elapsed()) / 1e3 : -1;
}

int openTable(const QString& file)
{
    WorkbenchFixture bench;
    bench.open();
    QElapsedTimer clock;
    clock.start();
    bench.window().openPath(file);
    fmt::print("rows in the dialog after {:.2f} s\n",
               secondsUntilRows(bench, "table.first_rows", clock));
    bench.close();
    QFile experiment(bench.path("big.cannery"));
    if (!experiment.open(QIODevice::WriteOnly)) {
        return 1;
    }
    experiment.write("data { train { csv { files: \"" + file.toUtf8() +
                     "\" } } label { column: \"label\" } }\n"
                     "estimator { baseline_classifier { } }\n");
    experiment.close();
    bench.open();
    clock.start();
    bench.session().project().open(experiment.fileName());
    bench.window().navigate("data");
    fmt::print("rows on the Data page after {:.2f} s\n",
               secondsUntilRows(bench, "table.rows", clock));
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    WatchedApplication application(argc, argv);
    const QString what = argc > 1 ? argv[1] : "";
    if (what == "pages") {
        return showPages(application, argc > 2 ? std::atoi(argv[2]) : 300,
                         argc > 3 ? std::atoi(argv[3]) : 100);
    }
    if (what == "table" && argc == 3) {
        return openTable(argv[2]);
    }
    fmt::print(stderr, "usage: window_benchmark pages [COLUMNS] [RUNS] | table FILE\n");
    return 2;
}
