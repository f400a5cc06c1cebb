// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/dtype.h"
#include "core/base/shape.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cannery::spec {
class Experiment;
} // namespace cannery::spec

namespace cannery::features {

/// What an experiment says about a raw feature, without reading the data.
struct RawFeature
{
    std::string name;
    DType dtype = DType::Invalid; ///< Invalid: the experiment leaves it to inference
    bool sparse = false;          ///< cells split at a separator
    Shape shape{1};               ///< of a row, dense features
    /// The value of an empty cell, one text per element, as the table would store it; empty:
    /// missing.
    std::vector<std::optional<std::string>> defaults;
    /// Texts besides "" that mean a missing cell; for a plain column.
    std::vector<std::string> missingTokens;

    /// The value of an empty cell of a one-element feature.
    std::optional<std::string> onlyDefault() const
    {
        return defaults.size() == 1 ? defaults.front() : std::nullopt;
    }
};

/// A feature defined in `data`, or a column of the table under its own name. `dtypes` supplies
/// types that the experiment leaves unset.
RawFeature rawFeature(const spec::Experiment& experiment, const std::string& name,
                      const std::map<std::string, DType>& dtypes);

} // namespace cannery::features
