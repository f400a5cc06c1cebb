// SPDX-License-Identifier: Apache-2.0
#include "core/collectives/memory_store.h"

namespace cannery::collectives {

namespace {

constexpr ErrorKind kNoValue{"collectives.no_value",
                             "Another worker did not say in time where it can be reached."};

} // namespace

Result<void> MemoryStore::set(const std::string& key, std::span<const std::byte> value)
{
    const std::lock_guard lock(m_mutex);
    m_values[key].assign(value.begin(), value.end());
    m_changed.notify_all();
    return {};
}

Result<std::vector<std::byte>> MemoryStore::get(const std::string& key,
                                                std::chrono::milliseconds timeout)
{
    std::unique_lock lock(m_mutex);
    if (!m_changed.wait_for(lock, timeout, [&] { return m_values.contains(key); })) {
        return fail(ErrorCode::DeadlineExceeded, kNoValue);
    }
    return m_values[key];
}

} // namespace cannery::collectives
