// SPDX-License-Identifier: Apache-2.0
#include "core/base/dtype.h"

#include <array>

namespace cannery {

namespace {

struct DTypeRow
{
    DType dtype;
    std::string_view name;
    std::size_t byteSize;
    bool floating;
    bool integer;
};

constexpr std::array kDTypes{
    DTypeRow{DType::Float32, "float32", 4, true, false},
    DTypeRow{DType::Float64, "float64", 8, true, false},
    DTypeRow{DType::Int32, "int32", 4, false, true},
    DTypeRow{DType::UInt8, "uint8", 1, false, true},
    DTypeRow{DType::Int16, "int16", 2, false, true},
    DTypeRow{DType::Int8, "int8", 1, false, true},
    DTypeRow{DType::String, "string", 0, false, false},
    DTypeRow{DType::Complex64, "complex64", 8, false, false},
    DTypeRow{DType::Int64, "int64", 8, false, true},
    DTypeRow{DType::Bool, "bool", 1, false, false},
    DTypeRow{DType::BFloat16, "bfloat16", 2, true, false},
    DTypeRow{DType::UInt16, "uint16", 2, false, true},
    DTypeRow{DType::Complex128, "complex128", 16, false, false},
    DTypeRow{DType::Float16, "float16", 2, true, false},
    DTypeRow{DType::UInt32, "uint32", 4, false, true},
    DTypeRow{DType::UInt64, "uint64", 8, false, true},
};

constexpr DTypeRow kInvalid{DType::Invalid, "invalid", 0, false, false};

const DTypeRow& rowOf(DType dtype)
{
    for (const DTypeRow& row : kDTypes) {
        if (row.dtype == dtype) {
            return row;
        }
    }
    return kInvalid;
}

} // namespace

std::string_view name(DType dtype)
{
    return rowOf(dtype).name;
}

std::optional<DType> dtypeFromName(std::string_view name)
{
    for (const DTypeRow& row : kDTypes) {
        if (row.name == name) {
            return row.dtype;
        }
    }
    return std::nullopt;
}

std::size_t byteSize(DType dtype)
{
    return rowOf(dtype).byteSize;
}

bool isFloating(DType dtype)
{
    return rowOf(dtype).floating;
}

bool isInteger(DType dtype)
{
    return rowOf(dtype).integer;
}

} // namespace cannery
