// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/bucket_boundaries.h"

#include "ui/models/tables/column_facts.h"
#include "ui/models/typed_number.h"

#include <QLocale>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cannery::ui {

namespace {

constexpr qsizetype kQuantiles = 101;
constexpr double kStepsInRange = 200;

QString numberText(double value)
{
    return QString::number(value, 'g', QLocale::FloatingPointShortest);
}

/// 1, 2 or 5 times a power of ten, at least this.
double roundStep(double least)
{
    if (!(least > 0) || !std::isfinite(least)) {
        return 1;
    }
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= least) {
            return factor * power;
        }
    }
    return 10 * power;
}

bool areEven(const QList<double>& edges)
{
    const double width = (edges.last() - edges.first()) / double(edges.size() - 1);
    for (qsizetype i = 0; i + 1 < edges.size(); ++i) {
        if (std::abs(edges[i + 1] - edges[i] - width) > 0.01 * width) {
            return false;
        }
    }
    return true;
}

void appendIncreasing(QList<double>& boundaries, double value, double smallest)
{
    if (std::isfinite(value) && value > smallest &&
        (boundaries.isEmpty() || value > boundaries.last())) {
        boundaries.append(value);
    }
}

} // namespace

double NumberDistribution::smallest() const
{
    return !quantiles.isEmpty() ? quantiles.first() : edges.value(0);
}

double NumberDistribution::largest() const
{
    return !quantiles.isEmpty() ? quantiles.last() : edges.isEmpty() ? 0 : edges.last();
}

NumberDistribution NumberDistribution::mapped(const std::function<double(double)>& function) const
{
    NumberDistribution result = *this;
    std::transform(quantiles.begin(), quantiles.end(), result.quantiles.begin(), function);
    std::transform(edges.begin(), edges.end(), result.edges.begin(), function);
    const auto isNumber = [](double value) { return std::isfinite(value); };
    // A logarithm of 0, say. Half a distribution would be taken for a whole one, so none is shown.
    if (!std::all_of(result.quantiles.begin(), result.quantiles.end(), isNumber)) {
        result.quantiles.clear();
    }
    if (!std::all_of(result.edges.begin(), result.edges.end(), isNumber)) {
        result.edges.clear();
        result.counts.clear();
    }
    // A decreasing function turns the order around.
    if (!result.edges.isEmpty() && result.edges.first() > result.edges.last()) {
        std::reverse(result.edges.begin(), result.edges.end());
        std::reverse(result.counts.begin(), result.counts.end());
        std::reverse(result.quantiles.begin(), result.quantiles.end());
    }
    result.isWhole = false;
    return result;
}

/// Each hundredth of the values is spread evenly between its two quantiles, or stands where these
/// are equal.
NumberDistribution NumberDistribution::evened(int bins) const
{
    if (isEmpty() || areEven(edges) || quantiles.size() != kQuantiles || bins < 1) {
        return *this;
    }
    NumberDistribution result = *this;
    const double begin = quantiles.first();
    const double width = (quantiles.last() - begin) / bins;
    if (!(width > 0)) {
        return *this;
    }
    // The counts of uneven bins are not used one by one: the quantiles have the finer shape.
    const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
    const double part = total / double(kQuantiles - 1);
    result.counts = QList<double>(bins, 0.0);
    result.edges.clear();
    for (int i = 0; i <= bins; ++i) {
        result.edges.append(begin + i * width);
    }
    for (qsizetype i = 0; i + 1 < kQuantiles; ++i) {
        const double from = (quantiles[i] - begin) / width;
        const double to = (quantiles[i + 1] - begin) / width;
        const int first = std::clamp(int(from), 0, bins - 1);
        const int last = std::clamp(int(to), 0, bins - 1);
        for (int bin = first; bin <= last; ++bin) {
            const double covered = std::min(to, bin + 1.0) - std::max(from, double(bin));
            result.counts[bin] += to > from ? part * std::max(0.0, covered) / (to - from) : part;
        }
    }
    return result;
}

NumberDistribution NumberDistribution::of(const ColumnFacts& column)
{
    NumberDistribution numbers;
    if (column.quantiles.size() == kQuantiles) {
        numbers.quantiles = column.quantiles;
        numbers.isWhole = std::all_of(column.quantiles.begin(), column.quantiles.end(),
                                      [](double value) { return value == std::floor(value); });
    }
    if (!column.bins.isEmpty() && column.binsEnd > column.binsBegin) {
        const auto count = double(column.bins.size());
        const double width = column.binsEnd - column.binsBegin;
        numbers.counts = column.bins;
        for (qsizetype i = 0; i <= column.bins.size(); ++i) {
            numbers.edges.append(column.binsBegin + width * double(i) / count);
        }
    }
    return numbers;
}

QList<double> quantileBoundaries(const NumberDistribution& numbers, int buckets)
{
    QList<double> boundaries;
    if (numbers.quantiles.size() != kQuantiles) {
        return boundaries;
    }
    // Whole numbers are values of the data already; others are rounded to what a person would
    // write.
    const double step = numbers.isWhole ? 0 : boundaryStep(numbers);
    for (int i = 1; i < buckets; ++i) {
        // Between two hundredths the nearer one counts: a value of the data, or nearly one.
        const auto at = qsizetype(std::llround(100.0 * i / buckets));
        const double value = numbers.quantiles[std::clamp<qsizetype>(at, 0, kQuantiles - 1)];
        appendIncreasing(boundaries, step > 0 ? roundedToStep(value, step / 10) : value,
                         numbers.smallest());
    }
    return boundaries;
}

QList<double> equalBoundaries(const NumberDistribution& numbers, int buckets)
{
    QList<double> boundaries;
    const double low = numbers.smallest();
    const double length = numbers.largest() - low;
    if (!(length > 0) || !std::isfinite(length)) {
        return boundaries;
    }
    // To about a thousandth of a bucket: no visible change, and a short text.
    const double step = roundStep(length / buckets / 1000);
    for (int i = 1; i < buckets; ++i) {
        appendIncreasing(boundaries, roundedToStep(low + length * i / buckets, step), low);
    }
    return boundaries;
}

double boundaryStep(const NumberDistribution& numbers)
{
    const double step = roundStep((numbers.largest() - numbers.smallest()) / kStepsInRange);
    return numbers.isWhole ? std::max(step, 1.0) : step;
}

double roundedToStep(double value, double step)
{
    if (!(step > 0) || !std::isfinite(value)) {
        return value;
    }
    const double multiple = std::round(value / step);
    // A decimal fraction is not a multiple of another one in binary: through its text.
    const int decimals = std::clamp(int(-std::floor(std::log10(step) + 1e-9)), 0, 17);
    return QString::number(multiple * step, 'f', decimals).toDouble();
}

bool isIncreasing(const QList<double>& boundaries)
{
    return std::adjacent_find(boundaries.begin(), boundaries.end(),
                              [](double a, double b) { return !(a < b); }) == boundaries.end();
}

ReadBoundaries readBoundaries(const QString& text)
{
    ReadBoundaries read;
    for (const QString& word : typedPieces(text, false)) {
        const std::optional<double> value = numberTyped(word);
        if (!value) {
            read.problem = ReadBoundaries::tr("“%1” is not a number.").arg(word);
            return read;
        }
        if (!read.values.isEmpty() && *value <= read.values.last()) {
            read.problem =
                ReadBoundaries::tr("%1 is not greater than %2: boundaries must increase.")
                    .arg(asTyped(numberText(*value)), asTyped(numberText(read.values.last())));
            return read;
        }
        read.values.append(*value);
    }
    if (read.values.isEmpty()) {
        read.problem = ReadBoundaries::tr("At least one boundary is needed.");
    }
    return read;
}

QString boundariesText(const QList<double>& boundaries)
{
    QStringList words;
    for (const double boundary : boundaries) {
        words.append(asTyped(numberText(boundary)));
    }
    return words.join(pieceSeparator(false));
}

QString boundariesField(const QList<double>& boundaries)
{
    QStringList words;
    for (const double boundary : boundaries) {
        words.append(numberText(boundary));
    }
    return '[' + words.join(QLatin1String(", ")) + ']';
}

QList<double> boundariesOfField(const QString& field)
{
    static const QRegularExpression kBetween(QStringLiteral("[\\[\\],;\\s]+"));
    QList<double> boundaries;
    for (const QString& word : field.split(kBetween, Qt::SkipEmptyParts)) {
        bool isNumber = false;
        const double value = word.toDouble(&isNumber);
        if (!isNumber || !std::isfinite(value) ||
            (!boundaries.isEmpty() && value <= boundaries.last())) {
            return {};
        }
        boundaries.append(value);
    }
    return boundaries;
}

} // namespace cannery::ui
