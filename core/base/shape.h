// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace cannery {

/// Dimensions of a tensor, outermost first. -1 is an unknown dimension (the batch of a signature).
struct Shape
{
    std::vector<std::int64_t> dims;

    Shape() = default;
    Shape(std::initializer_list<std::int64_t> list) : dims(list) {}
    explicit Shape(std::vector<std::int64_t> list) : dims(std::move(list)) {}

    int rank() const { return static_cast<int>(dims.size()); }
    /// Product of the dimensions; 1 for a scalar. All dimensions must be known.
    std::int64_t elementCount() const;
    /// "[32, 4]"; "[]" for a scalar; "?" for an unknown dimension.
    std::string toString() const;

    bool operator==(const Shape&) const = default;
};

} // namespace cannery
