// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/formats.h"

#include <QCoreApplication>
#include <QDir>
#include <QLocale>
#include <QRegularExpression>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace cannery::ui {
namespace {

constexpr QChar kMinus(0x2212);
constexpr QChar kThinSpace(0x2009);
constexpr QChar kTimes(0x00D7);
constexpr QChar kInfinitySign(0x221E);

QString tr(const char* text, int n = -1)
{
    return QCoreApplication::translate("Formats", text, nullptr, n);
}

QString scientific(double value, int significantDigits)
{
    // Rounded in this form, so that the exponent is that of the rounded number.
    const QString text = QString::number(value, 'e', std::max(0, significantDigits - 2));
    const auto at = text.indexOf('e');
    const QLocale locale;
    QString mantissa = locale.toString(text.left(at).toDouble(), 'g', significantDigits);
    return withTrueMinus(mantissa) + kTimes + "10" + superscript(text.mid(at + 1).toInt());
}

struct Scale
{
    double factor;
    const char* unit;
};

/// The first scale whose factor is reached, or the last.
template <size_t N>
const Scale& scaleFor(const std::array<Scale, N>& scales, double value)
{
    const auto found = std::find_if(scales.begin(), scales.end(), [value](const Scale& scale) {
        return std::abs(value) >= scale.factor;
    });
    return found == scales.end() ? scales.back() : *found;
}

/// 5.741G, 2M, 48.8k: as on axes.
QString shortened(double value, int significantDigits)
{
    static constexpr std::array<Scale, 3> kScales{{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}}};
    const Scale& scale = scaleFor(kScales, value);
    return formatNumber(value / scale.factor, significantDigits) + QLatin1String(scale.unit);
}

} // namespace

QString withTrueMinus(QString text)
{
    return text.replace('-', kMinus);
}

QString superscript(int value)
{
    static constexpr std::array<char16_t, 10> kDigits{0x2070, 0x00B9, 0x00B2, 0x00B3, 0x2074,
                                                      0x2075, 0x2076, 0x2077, 0x2078, 0x2079};
    QString result = value < 0 ? QString(QChar(0x207B)) : QString();
    for (const QChar digit : QString::number(std::abs(value))) {
        result += QChar(kDigits[static_cast<size_t>(digit.digitValue())]);
    }
    return result;
}

QString formatNumber(double value, int significantDigits)
{
    if (std::isnan(value)) {
        return tr("NaN");
    }
    if (std::isinf(value)) {
        return value < 0 ? QString(kMinus) + kInfinitySign : QString(kInfinitySign);
    }
    if (value == 0) {
        return QLocale().toString(0);
    }
    constexpr double kTiny = 1e-4;
    constexpr double kMillions = 1e6;
    constexpr double kHuge = 1e12;
    const double size = std::abs(value);
    if (size < kTiny || size >= kHuge) {
        return scientific(value, significantDigits);
    }
    if (size >= kMillions) {
        return shortened(value, significantDigits);
    }
    const int magnitude = static_cast<int>(std::floor(std::log10(size)));
    const int decimals = std::max(0, significantDigits - 1 - magnitude);
    const double rounded = std::round(value);
    // Whole numbers get no decimals: "42" and not "42.00".
    const bool isWhole = value == rounded;
    return withTrueMinus(QLocale().toString(value, 'f', isWhole ? 0 : decimals));
}

QString formatExact(double value)
{
    return QString::number(value, 'g', QLocale::FloatingPointShortest);
}

QString formatExact(float value)
{
    // The shortest text that reads back as the same float.
    constexpr int kEnough = 9;
    for (int digits = 6; digits < kEnough; ++digits) {
        const QString text = QString::number(static_cast<double>(value), 'g', digits);
        if (text.toFloat() == value) {
            return text;
        }
    }
    return QString::number(static_cast<double>(value), 'g', kEnough);
}

QString formatCount(qint64 count)
{
    return withTrueMinus(QLocale().toString(count));
}

QString formatWritten(const QString& value)
{
    // At most 18 digits, which fit a qint64. Anything else, such as 1e-3, stays as the file has it.
    static const QRegularExpression kPlain(QStringLiteral(R"(^(-?)(\d{1,18})(\.\d+)?$)"));
    const QRegularExpressionMatch match = kPlain.match(value);
    if (!match.hasMatch()) {
        return value;
    }
    const QString sign = match.captured(1).isEmpty() ? QString() : QString(kMinus);
    QString fraction = match.captured(3);
    return sign + formatCount(match.captured(2).toLongLong()) +
           fraction.replace(u'.', QLocale().decimalPoint());
}

QString formatShortCount(double count)
{
    constexpr double kShort = 10000;
    if (std::abs(count) < kShort) {
        return formatNumber(std::round(count), 4);
    }
    return shortened(count, 3);
}

QString formatBytes(qint64 bytes)
{
    static constexpr std::array<Scale, 5> kScales{
        {{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}}};
    const auto value = static_cast<double>(bytes);
    const Scale& scale = scaleFor(kScales, value);
    const double scaled = value / scale.factor;
    const int digits = scaled < 10 ? 2 : 3;
    return withUnit(formatNumber(scaled, scale.factor == 1 ? 4 : digits), scale.unit);
}

QString formatPercent(double share, int decimals)
{
    if (!std::isfinite(share)) {
        return formatNumber(share);
    }
    return withUnit(withTrueMinus(QLocale().toString(share * 100, 'f', decimals)), "%");
}

QString formatDuration(double seconds)
{
    if (!std::isfinite(seconds)) {
        return formatNumber(seconds);
    }
    constexpr double kFine = 10;
    constexpr qint64 kMinute = 60;
    constexpr qint64 kHour = 60 * kMinute;
    constexpr qint64 kDay = 24 * kHour;
    if (seconds < kFine) {
        return withUnit(QLocale().toString(std::max(0.0, seconds), 'f', 1), tr("s"));
    }
    // Rounded once, before it is split: 59.7 s is one minute, not "60 s".
    const auto whole = static_cast<qint64>(std::llround(seconds));
    const auto pair = [](qint64 large, const QString& largeUnit, qint64 small,
                         const QString& smallUnit) {
        const QString first = withUnit(formatCount(large), largeUnit);
        return small == 0 ? first : first + ' ' + withUnit(formatCount(small), smallUnit);
    };
    if (whole < kMinute) {
        return withUnit(formatCount(whole), tr("s"));
    }
    if (whole < kHour) {
        return pair(whole / kMinute, tr("min"), whole % kMinute, tr("s"));
    }
    if (whole < kDay) {
        return pair(whole / kHour, tr("h"), whole % kHour / kMinute, tr("min"));
    }
    const qint64 days = whole / kDay;
    return pair(days, days == 1 ? tr("day") : tr("days"), whole % kDay / kHour, tr("h"));
}

QString formatAgo(const QDateTime& then, const QDateTime& now)
{
    if (!then.isValid()) {
        return {};
    }
    // A clock that was set back makes the future "just now".
    const qint64 seconds = then.secsTo(now);
    const QDate day = then.toLocalTime().date();
    const QDate today = now.toLocalTime().date();
    if (seconds < 60) {
        return tr("just now");
    }
    if (seconds < 3600) {
        const auto minutes = static_cast<int>(seconds / 60);
        return minutes == 1 ? tr("1 minute ago") : tr("%1 minutes ago").arg(minutes);
    }
    // By calendar days, not by 24 hours, as the word "yesterday" is used.
    if (day == today) {
        const auto hours = static_cast<int>(seconds / 3600);
        return hours == 1 ? tr("1 hour ago") : tr("%1 hours ago").arg(hours);
    }
    if (day == today.addDays(-1)) {
        return tr("Yesterday");
    }
    const QLocale locale;
    return day.year() == today.year() ? locale.toString(day, tr("d MMMM"))
                                      : locale.toString(day, tr("d MMMM yyyy"));
}

QString formatAgo(const QDateTime& then)
{
    return formatAgo(then, QDateTime::currentDateTime());
}

QString formatClock(const QDateTime& time)
{
    return time.toLocalTime().toString("HH:mm:ss");
}

QString formatMoment(const QDateTime& time)
{
    if (!time.isValid()) {
        return {};
    }
    return QLocale().toString(time.toLocalTime().date(), QLocale::LongFormat) + ", " +
           formatClock(time);
}

QString withUnit(const QString& number, const QString& unit)
{
    return number + kThinSpace + unit;
}

QString formatPath(const QString& path)
{
    const QString home = QDir::homePath();
    if (path == home || path.startsWith(home + '/')) {
        return '~' + path.mid(home.size());
    }
    return path;
}

QString counted(qint64 number, const QString& one, const QString& many)
{
    return number == 1 ? one : many.arg(formatCount(number));
}

} // namespace cannery::ui
