// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/statistics.h"
#include "core/data/typing/schema.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cannery::advice {

/// How a starting experiment uses one column of a table.
struct ColumnRule
{
    enum class Kind
    {
        LeftOut,
        Number,    ///< z-scored
        Logarithm, ///< z-scored after a logarithm: a skewed number that is never negative
        Tails,     ///< quantile buckets only, which contain every value
        Category,
        Code, ///< a number that may be a code: category and buckets
        Flag, ///< one number or nothing: as it is, and the default where it is missing
    };
    Kind kind = Kind::LeftOut;
    std::string remark;        ///< why, if a user would ask
    bool isIdentifier = false; ///< left out as one

    // Numbers only.
    std::vector<double> boundaries; ///< of quantile buckets, ascending; may be empty
    std::optional<std::string> defaultValue;
    double logOffset = 1;
    double logMean = 0;
    double logDeviation = 1;

    bool isScaled() const
    {
        return kind == Kind::Number || kind == Kind::Logarithm || kind == Kind::Flag;
    }
    bool isCategory() const { return kind == Kind::Category || kind == Kind::Code; }
};

/// Decides by a column's statistics; thresholds for numbers are relative to their spread:
/// - one distinct value, missing in some rows and present in others: a flag, or a category;
/// - fewer than 1 % present cells, or one distinct value: left out;
/// - whole numbers, a different one in every row, too many to be chance: left out as identifiers;
/// - whole numbers too close together for float32: a category if they are few, else left out;
/// - large whole numbers with gaps and few distinct values: codes;
/// - skewed, never negative, at least fifty values: a logarithm;
/// - tails too long for a z-score: buckets.
ColumnRule ruleOf(const data::ColumnSchema& schema, const data::ColumnStatistics& column,
                  std::uint64_t rows);

/// The shortest decimal number within `tolerance` of the value.
double roundedWithin(double value, double tolerance);

} // namespace cannery::advice
