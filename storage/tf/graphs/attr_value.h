// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tf/tensor.h"

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace cannery::storage {

/// The value of a node's attribute: converts implicitly from its content, so that a list of
/// attributes reads as in TensorFlow: `{{"T", DType::Float32}, {"axis", 0}, {"N", 2}}`.
class AttrValue
{
public:
    struct UnknownShape
    {};
    using Value = std::variant<bool, std::int64_t, float, std::string, DType, Shape, UnknownShape,
                               HostTensor, std::vector<std::int64_t>, std::vector<float>,
                               std::vector<std::string>, std::vector<DType>, std::vector<Shape>>;

    AttrValue(bool value) : m_value(value) {}
    AttrValue(int value) : m_value(std::int64_t{value}) {}
    AttrValue(std::int64_t value) : m_value(value) {}
    AttrValue(float value) : m_value(value) {}
    AttrValue(const char* value) : m_value(std::string(value)) {}
    AttrValue(std::string value) : m_value(std::move(value)) {}
    AttrValue(DType value) : m_value(value) {}
    /// Dimension -1 is unknown.
    AttrValue(Shape value) : m_value(std::move(value)) {}
    AttrValue(HostTensor value) : m_value(std::move(value)) {}
    /// An empty list of any type is written as a present, empty list.
    AttrValue(std::vector<std::int64_t> value) : m_value(std::move(value)) {}
    AttrValue(std::vector<float> value) : m_value(std::move(value)) {}
    AttrValue(std::vector<std::string> value) : m_value(std::move(value)) {}
    AttrValue(std::vector<DType> value) : m_value(std::move(value)) {}
    AttrValue(std::vector<Shape> value) : m_value(std::move(value)) {}

    /// A shape whose rank is unknown.
    static AttrValue unknownShape() { return AttrValue(UnknownShape{}); }

    const Value& value() const { return m_value; }

private:
    explicit AttrValue(UnknownShape value) : m_value(value) {}

    Value m_value;
};

using Attrs = std::vector<std::pair<std::string, AttrValue>>;

} // namespace cannery::storage
