// SPDX-License-Identifier: Apache-2.0
#include "core/base/byte_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace cannery {

std::string byteText(double bytes)
{
    constexpr std::array<const char*, 7> kUnits{"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
    constexpr double kThousand = 1000;
    constexpr double kLargestShown = 999.95; // above it, one decimal would round to 1000.0
    bytes = std::max(bytes, 0.0);
    if (bytes < kThousand) {
        const auto whole = static_cast<long long>(bytes);
        return whole == 1 ? "1 byte" : fmt::format("{} bytes", whole);
    }
    std::size_t unit = 0;
    while ((unit == 0 || bytes >= kLargestShown) && unit + 1 < kUnits.size()) {
        bytes /= kThousand;
        ++unit;
    }
    return fmt::format("{:.1f} {}", bytes, kUnits[unit]);
}

} // namespace cannery
