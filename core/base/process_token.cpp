// SPDX-License-Identifier: Apache-2.0
#include "core/base/process_token.h"

#include <random>

namespace cannery {

std::uint64_t newProcessToken()
{
    std::random_device device;
    return (static_cast<std::uint64_t>(device()) << 32U | device()) | 1U;
}

} // namespace cannery
