// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace cannery::collectives {

/// Where the processes of a group leave their addresses for each other. Any thread.
class KeyValueStore
{
public:
    virtual ~KeyValueStore() = default;

    virtual Result<void> set(const std::string& key, std::span<const std::byte> value) = 0;
    /// Waits until somebody sets the key. Errors: "collectives.no_value" after the timeout, and
    /// those of the store.
    virtual Result<std::vector<std::byte>> get(const std::string& key,
                                               std::chrono::milliseconds timeout) = 0;
};

} // namespace cannery::collectives
