// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>

namespace cannery {

/// "1 run", "3 runs".
inline std::string counted(std::int64_t number, std::string_view noun)
{
    return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

} // namespace cannery
