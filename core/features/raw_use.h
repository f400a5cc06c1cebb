// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/dtype.h"
#include "core/base/shape.h"

#include <string>
#include <vector>

namespace cannery::features {

/// How a column uses a raw feature; decides how a tf.Example is parsed.
enum class RawRole
{
    Number,   ///< dense floats of a shape
    Steps,    ///< a list of floats
    Category, ///< texts or integers to be looked up
    CrossKey, ///< texts or integers to be crossed unchanged
    Weight,   ///< floats that accompany the ids of a categorical feature
};

struct RawUse
{
    std::string feature;
    RawRole role = RawRole::Number;
    /// Of a number, category or weight as the column wants it; Invalid: as in the data.
    DType dtype = DType::Invalid;
    Shape shape{1};               ///< of a number
    std::vector<double> defaults; ///< of a number, one per element; empty if it is required
};

} // namespace cannery::features
