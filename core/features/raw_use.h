// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/dtype.h"
#include "core/base/shape.h"

#include <string>
#include <vector>

namespace cannery::features {

/// What a column makes of a raw feature; decides how a tf.Example is parsed.
enum class RawRole
{
    Number,   ///< dense floats of a shape
    Category, ///< texts or integers to be looked up
    CrossKey, ///< texts or integers to be crossed as they are
    Weight,   ///< floats beside the ids of a categorical feature
};

struct RawUse
{
    std::string feature;
    RawRole role = RawRole::Number;
    /// Of a number, a category and a weight as the column asks for it; Invalid: as the data has it.
    DType dtype = DType::Invalid;
    Shape shape{1};               ///< of a number
    std::vector<double> defaults; ///< of a number, one an element; empty: it must be there
};

} // namespace cannery::features
