// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/dtype.h"
#include "core/base/string_column.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cannery::heads {

/// One named output of predict() for some rows: [rows, width], row-major, in the container of its
/// dtype. Of an output for each step: [steps of all rows, width].
struct Prediction
{
    std::string key; ///< TensorFlow's: "logistic", or "<head>/logistic" in a multi_head
    DType dtype = DType::Float32;
    std::int64_t width = 1;
    bool isConstant = false;            ///< the same in every row
    std::vector<float> floats;          ///< Float32
    std::vector<std::int64_t> integers; ///< Int64, Int32 of all_class_ids, Bool of a mask
    StringColumn strings;               ///< String
    /// Of an output for each step: row r has the steps [stepOffsets[r], stepOffsets[r + 1]);
    /// otherwise empty.
    std::vector<std::int64_t> stepOffsets;

    /// The elements of a row: [first, first + count), `count` a multiple of the width.
    struct Range
    {
        std::int64_t first = 0;
        std::int64_t count = 0;
    };
    Range elementsOf(std::int64_t row) const
    {
        if (stepOffsets.empty()) {
            return {row * width, width};
        }
        const std::int64_t first = stepOffsets[static_cast<std::size_t>(row)];
        return {first * width, (stepOffsets[static_cast<std::size_t>(row) + 1] - first) * width};
    }
};

} // namespace cannery::heads
