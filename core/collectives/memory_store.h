// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/collectives/key_value_store.h"

#include <condition_variable>
#include <map>
#include <mutex>

namespace cannery::collectives {

/// A store for threads of one process.
class MemoryStore : public KeyValueStore
{
public:
    Result<void> set(const std::string& key, std::span<const std::byte> value) override;
    Result<std::vector<std::byte>> get(const std::string& key,
                                       std::chrono::milliseconds timeout) override;

private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::map<std::string, std::vector<std::byte>, std::less<>> m_values;
};

} // namespace cannery::collectives
