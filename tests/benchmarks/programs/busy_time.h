// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <Qt>

#include <string>
#include <vector>

class QWidget;

namespace cannery::benchmarks {

/// Handles what is due for some milliseconds; the longest time in one go, in milliseconds.
double busiest(qint64 milliseconds);

/// Presses and releases a key in a widget; how long the window's thread is busy with it in one go,
/// in milliseconds: in the key itself, or in what follows within `after` milliseconds.
double busyWithKey(QWidget& widget, int key, const QString& text, qint64 after);

/// "median 0.4 ms, 95th percentile 1.2 ms, longest 2.5 ms"; there is at least one.
std::string timesInWords(std::vector<double> times);

} // namespace cannery::benchmarks
