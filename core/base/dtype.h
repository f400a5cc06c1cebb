// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace cannery {

/// TensorFlow's data types, with the numbers of its DataType enum, so a cast converts.
enum class DType
{
    Invalid = 0,
    Float32 = 1,
    Float64 = 2,
    Int32 = 3,
    UInt8 = 4,
    Int16 = 5,
    Int8 = 6,
    String = 7,
    Complex64 = 8,
    Int64 = 9,
    Bool = 10,
    BFloat16 = 14,
    UInt16 = 17,
    Complex128 = 18,
    Float16 = 19,
    UInt32 = 22,
    UInt64 = 23,
};

/// TensorFlow's Python name: "float32", "string".
std::string_view name(DType dtype);
std::optional<DType> dtypeFromName(std::string_view name);

/// Bytes of one element; 0 for String and Invalid.
std::size_t byteSize(DType dtype);

bool isFloating(DType dtype);
bool isInteger(DType dtype);

} // namespace cannery
