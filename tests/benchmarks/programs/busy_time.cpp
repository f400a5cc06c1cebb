// SPDX-License-Identifier: Apache-2.0
#include "tests/benchmarks/programs/busy_time.h"

#include <fmt/core.h>

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QKeyEvent>
#include <QThread>
#include <QWidget>

#include <algorithm>

namespace cannery::benchmarks {

double busiest(qint64 milliseconds)
{
    double longest = 0;
    QElapsedTimer all;
    all.start();
    while (all.elapsed() < milliseconds) {
        QElapsedTimer clock;
        clock.start();
        QCoreApplication::processEvents();
        longest = std::max(longest, static_cast<double>(clock.nsecsElapsed()) / 1e6);
        QThread::usleep(200);
    }
    return longest;
}

double busyWithKey(QWidget& widget, int key, const QString& text, qint64 after)
{
    QElapsedTimer clock;
    clock.start();
    QKeyEvent press(QEvent::KeyPress, key, {}, text);
    QKeyEvent release(QEvent::KeyRelease, key, {}, text);
    QCoreApplication::sendEvent(&widget, &press);
    QCoreApplication::sendEvent(&widget, &release);
    const double own = static_cast<double>(clock.nsecsElapsed()) / 1e6;
    return std::max(own, busiest(after));
}

std::string timesInWords(std::vector<double> times)
{
    std::sort(times.begin(), times.end());
    return fmt::format("median {:.1f} ms, 95th percentile {:.1f} ms, longest {:.1f} ms",
                       times[times.size() / 2], times[times.size() * 95 / 100], times.back());
}

} // namespace cannery::benchmarks
