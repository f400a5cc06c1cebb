// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/raw_schema.h"
#include "core/features/raw_use.h"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::features {

/// The requirements of all columns on one raw feature.
struct RawPlan
{
    RawFeature feature;
    bool isNumber = false;
    bool isCategory = false; ///< looked up or crossed
    bool isWeight = false;
    bool isSteps = false; ///< a numeric sequence
    /// For categories: String or Int64, as the columns want them, else as in the data.
    DType categoryType = DType::Invalid;
    DType numberType = DType::Float32;
    DType weightType = DType::Invalid; ///< of weights: Float32 or Int64
    DType stepType = DType::Invalid;   ///< of a numeric sequence: Float32 or Int64
    /// For numbers: the value of a missing one, one per element; unset if some column requires it.
    /// NaN: it stays missing for each column to deal with, because columns differ in what it means
    /// or keep it.
    std::optional<std::vector<double>> numberDefaults;

    /// Elements per row of a dense feature.
    std::int64_t width() const { return feature.shape.elementCount(); }
    /// The type assumed for a feature whose type the experiment leaves unset.
    DType rawType() const;
    /// Whether a missing number may stay one.
    bool keepsMissing() const;
};

/// Where integers stand for numbers that may be missing, as NaN does among floats.
inline constexpr std::int64_t kNoNumber = std::numeric_limits<std::int64_t>::min();

/// A default value as a number; surrounding blanks are allowed.
std::optional<double> numberFromText(std::string_view text);
/// The same as an integer, which may be written with a decimal point.
std::optional<std::int64_t> wholeNumberFromText(std::string_view text);

/// One plan per feature, by name. Error: "features.cannot_emit" if columns contradict each other.
Result<std::map<std::string, RawPlan>> planRawFeatures(const spec::Experiment& experiment,
                                                       std::span<const RawUse> uses,
                                                       const std::map<std::string, DType>& dtypes);

} // namespace cannery::features
