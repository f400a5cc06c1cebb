// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/check.h"
#include "core/base/dtype.h"
#include "core/base/shape.h"

#include <complex>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace cannery::storage {

/// The DType of a C++ element type.
template <typename T>
constexpr DType dtypeOf()
{
    if constexpr (std::is_same_v<T, float>) {
        return DType::Float32;
    } else if constexpr (std::is_same_v<T, double>) {
        return DType::Float64;
    } else if constexpr (std::is_same_v<T, bool>) {
        return DType::Bool;
    } else if constexpr (std::is_same_v<T, std::complex<float>>) {
        return DType::Complex64;
    } else if constexpr (std::is_same_v<T, std::complex<double>>) {
        return DType::Complex128;
    } else {
        static_assert(std::is_integral_v<T>, "an element type of a tensor");
        constexpr bool isSigned = std::is_signed_v<T>;
        switch (sizeof(T)) {
        case 1:
            return isSigned ? DType::Int8 : DType::UInt8;
        case 2:
            return isSigned ? DType::Int16 : DType::UInt16;
        case 4:
            return isSigned ? DType::Int32 : DType::UInt32;
        default:
            return isSigned ? DType::Int64 : DType::UInt64;
        }
    }
}

/// A tensor in main memory that owns its values: the content of checkpoints and of constants in
/// graphs. Half and bfloat16 are two raw bytes per element, bool one byte.
struct HostTensor
{
    DType dtype = DType::Invalid;
    Shape shape;
    std::vector<std::byte> bytes;     ///< row-major, little-endian; empty for strings
    std::vector<std::string> strings; ///< row-major; only for DType::String

    static HostTensor zeros(DType dtype, Shape shape);
    /// The shape must have as many elements as there are strings.
    static HostTensor ofStrings(std::vector<std::string> strings, Shape shape);
    static HostTensor ofStrings(std::vector<std::string> strings);
    static HostTensor scalarString(std::string value) { return ofStrings({std::move(value)}, {}); }

    template <typename T>
    static HostTensor of(std::span<const T> values, Shape shape)
    {
        CANNERY_CHECK(shape.elementCount() == static_cast<std::int64_t>(values.size()));
        HostTensor tensor;
        tensor.dtype = dtypeOf<T>();
        tensor.shape = std::move(shape);
        tensor.bytes.resize(values.size_bytes());
        if (!values.empty()) {
            std::memcpy(tensor.bytes.data(), values.data(), values.size_bytes());
        }
        return tensor;
    }
    template <typename T>
    static HostTensor of(const std::vector<T>& values, Shape shape)
    {
        return of(std::span<const T>(values), std::move(shape));
    }
    template <typename T>
    static HostTensor of(const std::vector<T>& values)
    {
        return of(std::span<const T>(values), Shape{static_cast<std::int64_t>(values.size())});
    }
    template <typename T>
    static HostTensor scalar(T value)
    {
        return of(std::span<const T>(&value, 1), Shape{});
    }

    /// The elements; T must be the tensor's element type.
    template <typename T>
    std::span<const T> values() const
    {
        CANNERY_CHECK(dtype == dtypeOf<T>());
        return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
    }
    template <typename T>
    std::span<T> values()
    {
        CANNERY_CHECK(dtype == dtypeOf<T>());
        return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
    }

    bool operator==(const HostTensor&) const = default;
};

/// Values owned by someone else, with a shape, for writing without a copy. Valid while they exist.
struct TensorView
{
    DType dtype = DType::Invalid;
    Shape shape;
    std::span<const std::byte> bytes;
    std::span<const std::string> strings;

    TensorView() = default;
    TensorView(const HostTensor& tensor)
        : dtype(tensor.dtype), shape(tensor.shape), bytes(tensor.bytes), strings(tensor.strings)
    {}
    template <typename T>
    static TensorView of(std::span<const T> values, Shape shape)
    {
        TensorView view;
        view.dtype = dtypeOf<T>();
        view.shape = std::move(shape);
        view.bytes = std::as_bytes(values);
        return view;
    }
};

/// A view with the name of its variable.
struct NamedTensor
{
    std::string name;
    TensorView tensor;
};

} // namespace cannery::storage
