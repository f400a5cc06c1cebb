// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/dtype.h"
#include "core/base/string_column.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cannery::heads {

/// One named output of predict() for some rows: [rows, width], row-major, in the container of its
/// dtype.
struct Prediction
{
    std::string key; ///< TensorFlow's: "logistic", or "<head>/logistic" in a multi_head
    DType dtype = DType::Float32;
    std::int64_t width = 1;
    std::vector<float> floats;          ///< Float32
    std::vector<std::int64_t> integers; ///< Int64, and Int32 of all_class_ids
    StringColumn strings;               ///< String
};

} // namespace cannery::heads
