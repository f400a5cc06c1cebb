// SPDX-License-Identifier: Apache-2.0
#include "core/export/graph_runner/op_call.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <type_traits>

namespace cannery::exporting {

using storage::HostTensor;

namespace {

/// How many boundaries are at or below each number.
Result<void> bucketize(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const auto values, call.values<float>(0));
    CANNERY_TRY_ASSIGN(const std::vector<float> boundaries,
                       call.attr<std::vector<float>>("boundaries"));
    std::vector<std::int32_t> result;
    for (const float value : values) {
        // TensorFlow's Bucketize counts boundaries <= value, hence upper_bound and not lower_bound.
        const auto above = std::upper_bound(boundaries.begin(), boundaries.end(), value);
        result.push_back(static_cast<std::int32_t>(above - boundaries.begin()));
    }
    call.give(HostTensor::of(result, call.inputs[0]->tensor.shape));
    return {};
}

/// The bits of floats.
Result<void> bitcast(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const auto values, call.values<float>(0));
    CANNERY_TRY_ASSIGN(const DType to, call.attr<DType>("type"));
    if (to != DType::Int32) {
        return call.invalid(fmt::format("takes the bits of floats for {}", name(to)));
    }
    std::vector<std::int32_t> bits;
    for (const float value : values) {
        bits.push_back(std::bit_cast<std::int32_t>(value));
    }
    call.give(HostTensor::of(bits, call.inputs[0]->tensor.shape));
    return {};
}

/// How many of a sorted list, [1, any], are at or below each number of another, [1, any].
Result<void> upperBound(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const auto sorted, call.values<std::int32_t>(0));
    CANNERY_TRY_ASSIGN(const auto values, call.values<std::int32_t>(1));
    const Shape& shape = call.inputs[1]->tensor.shape;
    if (call.inputs[0]->tensor.shape.rank() != 2 || call.inputs[0]->tensor.shape.dims[0] != 1 ||
        shape.rank() != 2 || shape.dims[0] != 1) {
        return call.invalid("searches other shapes than single rows");
    }
    std::vector<std::int32_t> result;
    for (const std::int32_t value : values) {
        const auto above = std::upper_bound(sorted.begin(), sorted.end(), value);
        result.push_back(static_cast<std::int32_t>(above - sorted.begin()));
    }
    call.give(HostTensor::of(result, shape));
    return {};
}

/// Values that no integer can represent become the smallest one, as on x86.
template <typename To, typename From>
To numberOf(From value)
{
    if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
        // The limits are compared as doubles: the largest int64 is not a double, its successor is.
        const auto low = static_cast<double>(std::numeric_limits<To>::min());
        const auto wide = static_cast<double>(value);
        return wide >= low && wide < -low ? static_cast<To>(value) : std::numeric_limits<To>::min();
    } else {
        return static_cast<To>(value);
    }
}

template <typename From, typename To>
HostTensor converted(const HostTensor& tensor)
{
    std::vector<To> values;
    for (const From value : tensor.values<From>()) {
        values.push_back(numberOf<To>(value));
    }
    return HostTensor::of(values, tensor.shape);
}

template <typename From>
Result<HostTensor> convertedFrom(const OpCall& call, const HostTensor& tensor, DType to)
{
    switch (to) {
    case DType::Float32:
        return converted<From, float>(tensor);
    case DType::Float64:
        return converted<From, double>(tensor);
    case DType::Int32:
        return converted<From, std::int32_t>(tensor);
    case DType::Int64:
        return converted<From, std::int64_t>(tensor);
    default:
        return call.invalid(fmt::format("converts to {}", name(to)));
    }
}

Result<void> cast(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const HostTensor* tensor, call.input(0));
    CANNERY_TRY_ASSIGN(const DType to, call.attr<DType>("DstT"));
    Result<HostTensor> result = call.invalid(fmt::format("converts {}", name(tensor->dtype)));
    switch (tensor->dtype) {
    case DType::Float32:
        result = convertedFrom<float>(call, *tensor, to);
        break;
    case DType::Float64:
        result = convertedFrom<double>(call, *tensor, to);
        break;
    case DType::Int32:
        result = convertedFrom<std::int32_t>(call, *tensor, to);
        break;
    case DType::Int64:
        result = convertedFrom<std::int64_t>(call, *tensor, to);
        break;
    case DType::Bool:
        result = convertedFrom<bool>(call, *tensor, to);
        break;
    default:
        break;
    }
    if (!result) {
        return tl::make_unexpected(std::move(result).error());
    }
    call.give(std::move(*result));
    return {};
}

constexpr std::array kConversions{
    OpRow{"Bitcast", bitcast},
    OpRow{"Bucketize", bucketize},
    OpRow{"Cast", cast},
    OpRow{"UpperBound", upperBound},
};

} // namespace

std::span<const OpRow> conversionOps()
{
    return kConversions;
}

} // namespace cannery::exporting
