// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/raw_schema.h"
#include "core/features/raw_use.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::features {

/// What all columns together make of one raw feature.
struct RawPlan
{
    RawFeature feature;
    bool isNumber = false;
    bool isCategory = false; ///< looked up or crossed
    bool isWeight = false;
    /// Of categories: String or Int64, as columns ask for them, else as the data has them.
    DType categoryType = DType::Invalid;
    DType numberType = DType::Float32;
    DType weightType = DType::Invalid; ///< of weights: Float32 or Int64
    /// Of numbers: what a missing one is, one an element; unset: it must be there.
    std::optional<std::vector<double>> numberDefaults;

    /// Elements of a row of a dense feature.
    std::int64_t width() const { return feature.shape.elementCount(); }
    /// What stands for a feature whose type the experiment does not say.
    DType rawType() const;
};

/// A default value as a number; blanks around it.
std::optional<double> numberFromText(std::string_view text);
/// The same as an integer, which may be written with a point.
std::optional<std::int64_t> wholeNumberFromText(std::string_view text);

/// One plan a feature, by name. Error: "features.cannot_emit" where columns contradict each other.
Result<std::map<std::string, RawPlan>> planRawFeatures(const spec::Experiment& experiment,
                                                       std::span<const RawUse> uses,
                                                       const std::map<std::string, DType>& dtypes);

} // namespace cannery::features
