// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QDateTime>
#include <QString>
#include <QtGlobal>

namespace cannery::ui {

// How numbers, times and sizes are shown everywhere: in the default locale, four significant
// digits, a true minus, thin spaces before units. Copies and exports use full precision instead.

/// 0.8388, 1,204, 5.741G from a million on, 1.2e-7 as 1.2×10⁻⁷; NaN and ∞ as symbols.
QString formatNumber(double value, int significantDigits = 4);
/// With the shortest digits that read back as the same double (float); for copies.
QString formatExact(double value);
QString formatExact(float value);
/// 12,000.
QString formatCount(qint64 count);
/// A value as a file has it, for sentences and tables: 3,000,000 of "3000000", all digits kept;
/// what is not a plain number stays as it is.
QString formatWritten(const QString& value);
/// 1.2M, 48.8k; below 10,000 like formatCount.
QString formatShortCount(double count);
/// 212 kB, 1.1 GB (powers of 1000).
QString formatBytes(qint64 bytes);
/// 19.9 % of 0.199.
QString formatPercent(double share, int decimals = 1);
/// "0.4 s", "39 s", "4 min 10 s", "2 h 5 min", "3 days 4 h".
QString formatDuration(double seconds);
/// "just now", "2 minutes ago", "3 hours ago", "Yesterday", "12 November", "12 November 2025".
QString formatAgo(const QDateTime& then, const QDateTime& now);
/// Relative to the current time.
QString formatAgo(const QDateTime& then);
/// 14:31:05.
QString formatClock(const QDateTime& time);
/// Date and time to the second, for tooltips.
QString formatMoment(const QDateTime& time);
/// The locale's digits with a true minus.
QString withTrueMinus(QString text);
/// -7 as ⁻⁷.
QString superscript(int value);
/// number, thin space, unit.
QString withUnit(const QString& number, const QString& unit);
/// The path with ~ for the home folder.
QString formatPath(const QString& path);

/// `one`, or `many` with the number as %1.
QString counted(qint64 number, const QString& one, const QString& many);

} // namespace cannery::ui
