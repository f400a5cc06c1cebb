// SPDX-License-Identifier: Apache-2.0
#include "core/collectives/gloo_store.h"

#include <cstring>

namespace cannery::collectives {

void GlooStore::set(const std::string& key, const std::vector<char>& data)
{
    const auto bytes = std::as_bytes(std::span(data));
    if (Result<void> done = m_options.store->set(named(key), bytes); !done) {
        throw StoreFailure(std::move(done).error());
    }
}

std::vector<char> GlooStore::get(const std::string& key)
{
    return value(key, m_options.connectTimeout);
}

void GlooStore::wait(const std::vector<std::string>& keys)
{
    wait(keys, m_options.connectTimeout);
}

void GlooStore::wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& timeout)
{
    for (const std::string& key : keys) {
        value(key, timeout);
    }
}

std::vector<char> GlooStore::value(const std::string& key, std::chrono::milliseconds timeout)
{
    Result<std::vector<std::byte>> bytes = m_options.store->get(named(key), timeout);
    if (!bytes) {
        throw StoreFailure(std::move(bytes).error());
    }
    std::vector<char> chars(bytes->size());
    std::memcpy(chars.data(), bytes->data(), bytes->size());
    return chars;
}

} // namespace cannery::collectives
