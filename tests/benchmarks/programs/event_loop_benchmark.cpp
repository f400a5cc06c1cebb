// SPDX-License-Identifier: Apache-2.0
// event_loop_benchmark [SECONDS]: how long the window's event loop stalls while an engine trains on
// every core. A timer of 5 ms tells its delays on the Train page; the sample logs, saves and
// evaluates as it is shipped.

#include "tests/workbench/workbench_fixture.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QTimer>

#include <algorithm>
#include <cstdio>
#include <vector>

using cannery::tests::WorkbenchFixture;

namespace {

constexpr int kPeriod = 5;

double percentile(const std::vector<double>& sorted, double share)
{
    return sorted.empty() ? 0 : sorted[std::size_t(share * double(sorted.size() - 1))];
}

/// Delays of the timer beyond its period, in milliseconds, sorted.
std::vector<double> delays(int seconds)
{
    std::vector<double> result;
    QElapsedTimer clock;
    clock.start();
    qint64 last = clock.nsecsElapsed();
    QTimer timer;
    timer.setTimerType(Qt::PreciseTimer);
    QObject::connect(&timer, &QTimer::timeout, &timer, [&] {
        const qint64 now = clock.nsecsElapsed();
        result.push_back(std::max(0.0, double(now - last) / 1e6 - kPeriod));
        last = now;
    });
    timer.start(kPeriod);
    QTest::qWait(seconds * 1000);
    std::sort(result.begin(), result.end());
    return result;
}

} // namespace

int main(int argc, char** argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    const int seconds = argc > 1 ? std::atoi(argv[1]) : 20;
    WorkbenchFixture bench;
    bench.open();
    if (!bench.openSample("titanic") || !bench.setField("train_spec.max_steps", "1000000000") ||
        !bench.waitFor([&] { return bench.trigger("action.train"); }) ||
        !bench.waitForState(cannery::ui::RunState::Running)) {
        std::fprintf(stderr, "The sample could not be trained.\n");
        return 1;
    }
    bench.window().navigate("train");
    const std::vector<double> stalls = delays(seconds);
    std::printf("event loop while training   median %.2f ms  p99 %.2f ms  greatest %.2f ms\n",
                percentile(stalls, 0.5), percentile(stalls, 0.99), percentile(stalls, 1));
    return 0;
}
