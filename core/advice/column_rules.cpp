// SPDX-License-Identifier: Apache-2.0
#include "core/advice/column_rules.h"

#include "core/advice/suggested_reading.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace cannery::advice {
namespace {

/// Sums of a few such numbers are still finite in float32.
constexpr double kLargestNumber = 1e37;

constexpr double kFewestPresent = 0.01;
constexpr std::uint64_t kFewestOfFlag = 5;
/// Numbers are rounded by at most this fraction of the interquartile range.
constexpr double kRoundedPart = 0.01;
/// Bowley's skewness between the 5th and the 95th percentile from which a logarithm is tried.
constexpr double kSkewness = 0.4;
/// Fewer values may look skewed by chance.
constexpr std::uint64_t kFewestForShape = 50;
/// In standard deviations of the middle nine tenths; an exponential distribution stays below.
constexpr double kLongestTail = 12;
/// Whole numbers from here on may be codes: postcodes, tracts, shops.
constexpr double kCodesFrom = 1000;
constexpr double kMostCodesOfRows = 0.1;
constexpr std::uint64_t kMostCodes = 2000;
/// The middle half of a column must hold this many float32 numbers.
constexpr double kFloatStepsInHalf = 64;
constexpr double kFloatStep = 1.0 / (1 << 24);
/// Values drawn at random would have repeated: exp(-7) is about a thousandth.
constexpr double kIdentifierEvidence = 7;
/// The percentiles that cut off the tails, and how many standard deviations apart they are in a
/// normal distribution.
constexpr std::size_t kLow = 5;
constexpr std::size_t kHigh = 95;
constexpr double kDeviationsBetween = 3.29;

bool hasQuantiles(const data::ColumnStatistics& column)
{
    // Hundredths; fewer say too little about the shape.
    return column.quantiles.size() == 101;
}

double quartileRange(const data::ColumnStatistics& column)
{
    return column.quantiles[75] - column.quantiles[25];
}

template <typename Transform>
double skewness(const std::vector<double>& q, Transform of)
{
    const double low = of(q[kLow]);
    const double high = of(q[kHigh]);
    return high > low ? (high + low - 2 * of(q[50])) / (high - low) : 0.0;
}

/// How far the farthest value is from the median, in deviations of the middle nine tenths.
template <typename Transform>
double longestTail(const std::vector<double>& q, double deviation, Transform of)
{
    double width = (of(q[kHigh]) - of(q[kLow])) / kDeviationsBetween;
    // The middle may be a single value: then the deviation stands for the width.
    width = width > 0 ? width : deviation;
    return width > 0 ? std::max(of(q[100]) - of(q[50]), of(q[50]) - of(q[0])) / width : 0.0;
}

double plain(double value)
{
    return value;
}

/// By how much a number may be rounded: a part of the width of the column's middle half.
double tolerance(const data::ColumnStatistics& column)
{
    return kRoundedPart * quartileRange(column);
}

/// Enough for a bend, few enough that each holds at least thirty rows.
std::size_t bucketCount(std::uint64_t rows)
{
    return std::clamp<std::uint64_t>(rows / 30, 4, 16);
}

std::vector<double> bucketBoundaries(const data::ColumnStatistics& column, std::uint64_t rows)
{
    std::vector<double> boundaries;
    if (!hasQuantiles(column)) {
        return boundaries;
    }
    const std::size_t count = bucketCount(rows);
    for (std::size_t i = 1; i < count; ++i) {
        const double at = 100.0 * static_cast<double>(i) / static_cast<double>(count);
        const double value =
            roundedWithin(column.quantiles[static_cast<std::size_t>(at)], tolerance(column));
        // Rounded boundaries may coincide. One at the minimum would leave a bucket empty.
        if (value > column.min && (boundaries.empty() || value > boundaries.back())) {
            boundaries.push_back(value);
        }
    }
    return boundaries;
}

std::optional<std::string> defaultOf(const data::ColumnStatistics& column)
{
    // The median, since a mean follows outliers.
    if (column.missing == 0 || !hasQuantiles(column)) {
        // A whole number in a column of whole numbers.
        return std::nullopt;
    }
    if (isInteger(column.dtype)) {
        return fmt::format("{}", std::llround(column.median));
    }
    return column.dtype == DType::Float32 ? fmt::format("{}", static_cast<float>(column.median))
                                          : fmt::format("{}", column.median);
}

/// Whole numbers that occur once each, from a range where chance would have repeated some.
bool isIdentifier(const data::ColumnStatistics& column)
{
    // An estimate of the distinct values cannot tell them from the rows.
    if (!isInteger(column.dtype) || column.distinct != column.count || !column.distinctIsExact) {
        return false;
    }
    const auto count = static_cast<double>(column.count);
    // The birthday problem: n draws from a range of r values all differ with a probability of about
    // exp(-n^2 / 2r).
    return count * count > 2 * kIdentifierEvidence * (column.max - column.min + 1);
}

bool isTooFine(const data::ColumnStatistics& column)
{
    if (!isInteger(column.dtype) || !hasQuantiles(column)) {
        return false;
    }
    const double size = std::max(std::fabs(column.min), std::fabs(column.max));
    // A column with a narrow middle may still be spread out.
    const double half = std::max(quartileRange(column), (column.max - column.min) / 4);
    // Only for numbers whose neighbours float32 merges.
    return half < kFloatStepsInHalf * kFloatStep * size && size * kFloatStep > 0.5;
}

bool isFew(const data::ColumnStatistics& column, std::uint64_t rows)
{
    return column.distinct <= kMostCodes &&
           static_cast<double>(column.distinct) <= kMostCodesOfRows * static_cast<double>(rows);
}

/// Large numbers with most values between the smallest and the largest missing.
bool isCode(const data::ColumnStatistics& column, std::uint64_t rows)
{
    return isInteger(column.dtype) && column.min >= kCodesFrom && column.distinct > 2 &&
           isFew(column, rows) &&
           // Counts have few gaps.
           static_cast<double>(column.distinct) < 0.5 * (column.max - column.min + 1);
}

void takeLogarithm(const data::ColumnStatistics& column, ColumnRule& rule)
{
    const std::vector<double>& q = column.quantiles;
    // A tenth of the median keeps small amounts apart; for counts that are mostly 0 it is 1.
    rule.logOffset = q[50] > 0 ? roundedWithin(q[50] / 10, q[50] / 100) : 1.0;
    double sum = 0;
    double squares = 0;
    // The moments of the logarithms from the quantiles, as there is no second pass over the rows.
    for (const double quantile : q) {
        const double value = std::log(quantile + rule.logOffset);
        sum += value;
        squares += value * value;
    }
    const auto count = static_cast<double>(q.size());
    const double mean = sum / count;
    const double deviation = std::sqrt(std::max(0.0, squares / count - mean * mean));
    rule.logMean = roundedWithin(mean, kRoundedPart * deviation);
    rule.logDeviation = roundedWithin(deviation, kRoundedPart * deviation);
}

void chooseShape(const data::ColumnStatistics& column, ColumnRule& rule)
{
    if (!hasQuantiles(column)) {
        return;
    }
    const std::vector<double>& q = column.quantiles;
    double tail = longestTail(q, column.deviation, plain);
    const double skewed = skewness(q, plain);
    const bool isSkewed = skewed > kSkewness && column.count >= kFewestForShape;
    if (column.min >= 0 && column.distinct > 2 && (isSkewed || tail > kLongestTail)) {
        takeLogarithm(column, rule);
        const auto log = [&](double value) { return std::log(value + rule.logOffset); };
        const double logTail = longestTail(q, rule.logDeviation, log);
        // A logarithm can turn the tail around.
        // Only if the logarithm makes neither the skewness nor the tail worse.
        if (rule.logDeviation > 0 && std::fabs(skewness(q, log)) <= std::fabs(skewed) &&
            logTail <= tail) {
            rule.kind = ColumnRule::Kind::Logarithm;
            rule.remark = isSkewed ? fmt::format("skewed ({:.2f}): taken as a logarithm", skewed)
                                   : "a long tail: taken as a logarithm";
            tail = logTail;
        }
    }
    // Buckets have no far values: the first and the last are open.
    // A column whose tail was cured needs no buckets.
    if (tail > kLongestTail && !rule.boundaries.empty()) {
        rule.kind = ColumnRule::Kind::Tails;
        rule.remark = fmt::format(
            "its farthest value is {:.0f} deviations from the median: taken as buckets", tail);
    }
}

ColumnRule leftOut(std::string remark)
{
    return {.kind = ColumnRule::Kind::LeftOut, .remark = std::move(remark)};
}

/// One value or none, each in enough rows: whether it is there says something.
bool isFlag(const data::ColumnStatistics& column, std::uint64_t rows)
{
    // Both the rows with the value and those without must be enough.
    const std::uint64_t fewest =
        std::max(kFewestOfFlag, static_cast<std::uint64_t>(kFewestPresent * double(rows)));
    const std::uint64_t present = column.count - column.nan;
    return column.distinct == 1 && !column.top.empty() && present >= fewest &&
           rows >= present + fewest;
}

ColumnRule flagRule(const data::ColumnStatistics& column)
{
    const std::string& value = column.top.front().value;
    ColumnRule rule{.kind = ColumnRule::Kind::Category,
                    .remark = fmt::format(
                        "{} or nothing: whether it is there is a feature",
                        column.dtype == DType::String ? fmt::format("\"{}\"", value) : value)};
    if (column.dtype != DType::String) {
        rule.kind = ColumnRule::Kind::Flag;
        // Whatever the one number is, its absence must be another.
        rule.defaultValue = column.max == 0 ? "-1" : "0";
    }
    return rule;
}

/// Where neighbours in float32 are about a hundredth apart.
constexpr double kCoarse = 65536;

std::string tooClose(const data::ColumnStatistics& column)
{
    return fmt::format("its numbers are too close together for float32, between {:.0f} and {:.0f}",
                       column.min, column.max);
}

/// `schema` counts texts, `column` what is left of them in its type.
std::optional<ColumnRule> leftOutByCounts(const data::ColumnSchema& schema,
                                          const data::ColumnStatistics& column, std::uint64_t rows)
{
    const std::uint64_t present = column.count;
    if (static_cast<double>(present) < kFewestPresent * static_cast<double>(rows)) {
        return leftOut(fmt::format("only {} of {} rows {} a value", present, rows,
                                   present == 1 ? "has" : "have"));
    }
    if (column.distinct < 2) {
        // Other spellings of one number are few.
        const bool isMerged = schema.distinct > 2 && column.dtype == DType::Float32 &&
                              std::fabs(column.min) >= kCoarse;
        return leftOut(isMerged ? tooClose(column) : "every row with a value has the same one");
    }
    return std::nullopt;
}

} // namespace

double roundedWithin(double value, double tolerance)
{
    // The fewest digits, since people read these numbers in the experiment.
    for (int digits = 1; digits < 17; ++digits) {
        const double candidate = std::stod(fmt::format("{:.{}g}", value, digits));
        if (std::fabs(candidate - value) <= tolerance) {
            return candidate;
        }
    }
    return value;
}

ColumnRule ruleOf(const data::ColumnSchema& schema, const data::ColumnStatistics& column,
                  std::uint64_t rows)
{
    // What cannot be read for certain is not offered as a feature.
    if (!schema.notationDoubt.empty()) {
        return leftOut(doubtText(schema));
    }
    if (schema.kind != data::ColumnKind::Number && schema.kind != data::ColumnKind::Category) {
        return leftOut(fmt::format("{}: {}", data::name(schema.kind), schema.kindReason));
    }
    // Before the counts, which would leave a column of one value out.
    if (isFlag(column, rows)) {
        return flagRule(column);
    }
    if (std::optional<ColumnRule> rule = leftOutByCounts(schema, column, rows)) {
        return *std::move(rule);
    }
    // Texts have no shape to choose.
    if (column.dtype == DType::String) {
        return {.kind = ColumnRule::Kind::Category};
    }
    if (const double most = std::max(std::fabs(column.min), std::fabs(column.max));
        most > kLargestNumber) {
        return leftOut(fmt::format("its numbers are too large for float32, up to {:.3g}", most));
    }
    if (isIdentifier(column)) {
        ColumnRule rule = leftOut("identifier: a different whole number in every row");
        rule.isIdentifier = true;
        // Remembered, as an identifier may be wanted as the key.
        return rule;
    }
    if (isTooFine(column)) {
        // Many such numbers would be as many categories.
        if (!isFew(column, rows)) {
            return leftOut(tooClose(column));
        }
        return {.kind = ColumnRule::Kind::Category,
                .remark = "numbers too close together for float32: taken as categories"};
    }
    ColumnRule rule{.kind = ColumnRule::Kind::Number,
                    .boundaries = bucketBoundaries(column, rows),
                    .defaultValue = defaultOf(column)};
    // Before the shape: the size of a code means nothing.
    if (isCode(column, rows)) {
        rule.kind = ColumnRule::Kind::Code;
        rule.remark = fmt::format("{} different whole numbers with gaps between them: taken as "
                                  "categories as well",
                                  column.distinct);
        return rule;
    }
    chooseShape(column, rule);
    return rule;
}

} // namespace cannery::advice
