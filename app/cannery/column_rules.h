// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/schema.h"
#include "core/data/statistics.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cannery::app {

/// How a starting experiment takes one column of a table.
struct ColumnRule
{
    enum class Kind
    {
        LeftOut,
        Number,    ///< z-scored
        Logarithm, ///< z-scored after a logarithm: a skewed number that is never negative
        Tails,     ///< by its quantile buckets alone, which no value lies beyond
        Category,
        Code, ///< a number whose values may mean nothing but themselves: category and buckets
    };
    Kind kind = Kind::LeftOut;
    std::string remark; ///< why, where a person would ask

    // Of numbers.
    std::vector<double> boundaries; ///< of quantile buckets, rising; may be empty
    std::optional<std::string> defaultValue;
    double logOffset = 1;
    double logMean = 0;
    double logDeviation = 1;

    bool isScaled() const { return kind == Kind::Number || kind == Kind::Logarithm; }
    bool isCategory() const { return kind == Kind::Category || kind == Kind::Code; }
};

/// Judges a column by what is known of it, all numbers relative to its own spread:
/// - fewer than 1 % present cells, or one distinct value: left out;
/// - whole numbers, a different one in every row, too many for chance: left out as identifiers;
/// - whole numbers too close together for float32: a category when they are few, else left out;
/// - large whole numbers with gaps and few distinct values: codes;
/// - skewed and never negative, of fifty values at least: a logarithm;
/// - with tails beyond what a z-score bears: buckets.
ColumnRule ruleOf(const data::ColumnSchema& schema, const data::ColumnStatistics& column,
                  std::uint64_t rows);

/// The shortest decimal number within `tolerance` of the value.
double roundedWithin(double value, double tolerance);

} // namespace cannery::app
