// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/shape.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace cannery::exporting {

/// Visits all positions of a shape, last dimension fastest, and returns the offset of each in a
/// tensor with its own strides (0 where it repeats).
class Walk
{
public:
    Walk(const Shape& shape, std::vector<std::int64_t> strides)
        : m_dims(shape.dims), m_strides(std::move(strides)), m_place(m_dims.size())
    {}

    std::int64_t offset() const { return m_offset; }
    void next()
    {
        for (std::size_t i = m_dims.size(); i-- > 0;) {
            m_offset += m_strides[i];
            if (++m_place[i] < m_dims[i]) {
                return;
            }
            m_offset -= m_strides[i] * m_dims[i];
            m_place[i] = 0;
        }
    }

private:
    std::vector<std::int64_t> m_dims;
    std::vector<std::int64_t> m_strides;
    std::vector<std::int64_t> m_place;
    std::int64_t m_offset = 0;
};

inline std::vector<std::int64_t> rowMajorStrides(const Shape& shape)
{
    std::vector<std::int64_t> strides(shape.dims.size());
    // Unsigned: for an empty tensor they may be any number, and are not used.
    std::uint64_t stride = 1;
    for (std::size_t i = strides.size(); i-- > 0;) {
        strides[i] = static_cast<std::int64_t>(stride);
        stride *= static_cast<std::uint64_t>(shape.dims[i]);
    }
    return strides;
}

/// The shape that both are broadcast to, by numpy's rules; nothing if they are incompatible.
inline std::optional<Shape> broadcast(const Shape& left, const Shape& right)
{
    Shape result;
    result.dims.resize(std::max(left.dims.size(), right.dims.size()), 1);
    for (const Shape* shape : {&left, &right}) {
        const std::size_t offset = result.dims.size() - shape->dims.size();
        for (std::size_t i = 0; i < shape->dims.size(); ++i) {
            std::int64_t& dimension = result.dims[offset + i];
            if (shape->dims[i] == dimension || shape->dims[i] == 1) {
                continue;
            }
            if (dimension != 1) {
                return std::nullopt;
            }
            dimension = shape->dims[i];
        }
    }
    return result;
}

/// Strides of a tensor that is broadcast to a larger shape.
inline std::vector<std::int64_t> broadcastStrides(const Shape& shape, const Shape& target)
{
    const std::vector<std::int64_t> own = rowMajorStrides(shape);
    std::vector<std::int64_t> strides(target.dims.size(), 0);
    const std::size_t offset = target.dims.size() - shape.dims.size();
    for (std::size_t i = 0; i < own.size(); ++i) {
        strides[offset + i] = shape.dims[i] == 1 ? 0 : own[i];
    }
    return strides;
}

} // namespace cannery::exporting
