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

/// What an experiment says of a raw feature, without looking at the data.
struct RawFeature
{
    std::string name;
    DType dtype = DType::Invalid; ///< Invalid: the experiment leaves it to inference
    bool sparse = false;          ///< cells cut at a separator
    Shape shape{1};               ///< of a row, dense features
    /// What an empty cell means, one text an element, as the table would have it; empty: missing.
    std::vector<std::optional<std::string>> defaults;
    /// Texts besides "" that mean a missing cell; of a plain column.
    std::vector<std::string> missingTokens;

    /// What an empty cell of a one-element feature means.
    std::optional<std::string> onlyDefault() const
    {
        return defaults.size() == 1 ? defaults.front() : std::nullopt;
    }
};

/// A feature made in `data`, or a column of the table under its own name. `dtypes` are asked where
/// the experiment is silent.
RawFeature rawFeature(const spec::Experiment& experiment, const std::string& name,
                      const std::map<std::string, DType>& dtypes);

} // namespace cannery::features
