// SPDX-License-Identifier: Apache-2.0
// event_load_benchmark write FOLDER RUNS TAGS STEPS: event files of RUNS runs, one record for each
//   value as TensorFlow 2 and PyTorch write them.
// event_load_benchmark load FOLDER [WATCHED]: seconds from the start of a SeriesStore until every
//   point of the first WATCHED runs (of all) is in its series and the tags of the others are known,
//   decoded anew and then from the column cache, and what the process keeps resident.

#include "storage/io/files.h"
#include "storage/tf/events/event_writer.h"
#include "ui/services/runs/event_folders.h"
#include "ui/services/runs/series_store.h"

#include <fmt/core.h>

#include <QCoreApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QTemporaryDir>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>

using namespace cannery;

namespace {

int writeRuns(const std::string& folder, int runs, int tags, int steps)
{
    for (int run = 0; run < runs; ++run) {
        auto writer = storage::EventWriter::create(fmt::format("{}/run{}", folder, run));
        if (!writer) {
            fmt::print(stderr, "{}\n", writer.error().message());
            return 1;
        }
        storage::SummaryBuilder summary;
        for (int step = 0; step < steps; ++step) {
            for (int tag = 0; tag < tags; ++tag) {
                summary.clear();
                summary.scalar(fmt::format("layer_{}/loss", tag),
                               std::sin(static_cast<float>(step) * 0.001F));
                static_cast<void>(writer->writeSummary(step, summary));
            }
        }
        if (const auto closed = writer->close(); !closed) {
            fmt::print(stderr, "{}\n", closed.error().message());
            return 1;
        }
    }
    return 0;
}

/// Megabytes of the process that lie in memory, and how many of them are its own.
std::pair<double, double> residentMegabytes()
{
    std::ifstream status("/proc/self/status");
    double all = 0;
    double own = 0;
    for (std::string line; std::getline(status, line);) {
        if (line.rfind("VmRSS:", 0) == 0) {
            all = std::strtod(line.c_str() + 6, nullptr) / 1024;
        } else if (line.rfind("RssAnon:", 0) == 0) {
            own = std::strtod(line.c_str() + 8, nullptr) / 1024;
        }
    }
    return {all, own};
}

struct Load
{
    double seconds = 0;
    double cpuSeconds = 0;
    qint64 points = 0;
    double longestTurn = 0; ///< milliseconds of one turn of the event loop
};

Load load(const QList<ui::EventRun>& runs, qsizetype watched)
{
    Load result;
    ui::SeriesStore store;
    QElapsedTimer clock;
    clock.start();
    const std::clock_t cpu = std::clock();
    for (qsizetype i = 0; i < runs.size(); ++i) {
        store.addRun(runs[i].name, runs[i].folder);
        store.setWatched(runs[i].name, i < watched);
    }
    const auto isLoaded = [&](const ui::EventRun& run) {
        return store.loadedFraction(run.name) == 1 && !store.keys(run.name).isEmpty();
    };
    while (!std::all_of(runs.begin(), runs.end(), isLoaded)) {
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
        QElapsedTimer turn;
        turn.start();
        QCoreApplication::processEvents();
        result.longestTurn =
            std::max(result.longestTurn, static_cast<double>(turn.nsecsElapsed()) / 1e6);
    }
    result.seconds = static_cast<double>(clock.nsecsElapsed()) / 1e9;
    result.cpuSeconds = static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
    for (const ui::EventRun& run : runs) {
        for (const ui::SeriesKey& key : store.keys(run.name)) {
            const ui::Series* series = store.series(key);
            result.points += series ? series->size() : 0;
        }
    }
    const auto [all, own] = residentMegabytes();
    fmt::print("{:.3f} s ({:.3f} s of processors), {} points, longest turn {:.1f} ms, {:.0f} MB "
               "resident ({:.0f} MB of them "
               "the process's own, the rest mapped)\n",
               result.seconds, result.cpuSeconds, result.points, result.longestTurn, all, own);
    return result;
}

} // namespace

int main(int argc, char** argv)
{
    QCoreApplication application(argc, argv);
    const std::string verb = argc > 2 ? argv[1] : "";
    if (verb == "write" && argc == 6) {
        return writeRuns(argv[2], std::atoi(argv[3]), std::atoi(argv[4]), std::atoi(argv[5]));
    }
    if (verb != "load") {
        fmt::print(stderr, "usage: event_load_benchmark write FOLDER RUNS TAGS STEPS\n"
                           "       event_load_benchmark load FOLDER [WATCHED]\n");
        return 2;
    }
    const QTemporaryDir caches(QDir::tempPath() + "/cannery-benchmark-XXXXXX");
    qputenv("XDG_CACHE_HOME", caches.path().toUtf8());
    const QList<ui::EventRun> runs = ui::listEventRuns(QString::fromLocal8Bit(argv[2]));
    const qsizetype watched = argc > 3 ? std::atoi(argv[3]) : runs.size();
    load(runs, watched);
    load(runs, watched);
    return 0;
}
