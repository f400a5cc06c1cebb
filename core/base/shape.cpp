// SPDX-License-Identifier: Apache-2.0
#include "core/base/shape.h"

#include <fmt/core.h>

namespace cannery {

std::int64_t Shape::elementCount() const
{
    std::int64_t count = 1;
    bool hasZero = false;
    for (const std::int64_t dim : dims) {
        hasZero = hasZero || dim == 0;
    }
    // [2^40, 2^40, 0] is empty although the product overflows on the way.
    for (std::size_t i = 0; i < dims.size() && !hasZero; ++i) {
        count *= dims[i];
    }
    return hasZero ? 0 : count;
}

std::string Shape::toString() const
{
    std::string text = "[";
    for (std::size_t i = 0; i < dims.size(); ++i) {
        text += i == 0 ? "" : ", ";
        text += dims[i] < 0 ? "?" : fmt::format("{}", dims[i]);
    }
    return text + "]";
}

} // namespace cannery
