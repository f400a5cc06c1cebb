// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <span>
#include <vector>

namespace cannery::parameters {

/// Bytes of a message: the size at which loopback and networks carry most.
inline constexpr std::size_t kMessageBytes = std::size_t{1} << 20U;
/// The longest message in either direction: a payload, and descriptions of many parts.
inline constexpr int kLongestMessage = 64 << 20;

/// Sends a message, followed by its payload in as many messages as it needs. A mutex is locked
/// while the pieces are read. False if the stream has ended.
template <typename Stream, typename Message>
bool sendWithPayload(Stream& stream, Message& message,
                     std::span<const std::span<const std::byte>> pieces,
                     std::mutex* mutex = nullptr)
{
    std::size_t left = 0;
    for (const auto& piece : pieces) {
        left += piece.size();
    }
    std::size_t piece = 0;
    std::size_t offset = 0;
    do {
        std::size_t size = std::min(left, kMessageBytes);
        left -= size;
        auto& payload = *message.mutable_payload();
        payload.resize(size);
        char* target = payload.data();
        std::unique_lock<std::mutex> lock;
        if (mutex != nullptr) {
            lock = std::unique_lock(*mutex);
        }
        while (size > 0) {
            const std::size_t count = std::min(size, pieces[piece].size() - offset);
            std::memcpy(target, pieces[piece].data() + offset, count);
            target += count;
            size -= count;
            offset += count;
            if (offset == pieces[piece].size()) {
                ++piece;
                offset = 0;
            }
        }
        if (lock) {
            lock.unlock();
        }
        message.set_has_more(left > 0);
        if (!stream.Write(message)) {
            return false;
        }
        message.clear_kind();
    } while (left > 0);
    return true;
}

/// Reads the payload that belongs to a received message, whose first part that has. False if the
/// stream has ended, or the payload has another size.
template <typename Stream, typename Message>
bool receivePayload(Stream& stream, Message& message, std::span<const std::span<std::byte>> targets)
{
    std::size_t target = 0;
    std::size_t offset = 0;
    for (;;) {
        std::span<const std::byte> rest = std::as_bytes(std::span(message.payload()));
        while (!rest.empty()) {
            if (target == targets.size()) {
                return false;
            }
            const std::size_t count = std::min(rest.size(), targets[target].size() - offset);
            if (count > 0) { // a target may be empty
                std::memcpy(targets[target].data() + offset, rest.data(), count);
            }
            rest = rest.subspan(count);
            offset += count;
            if (offset == targets[target].size()) {
                ++target;
                offset = 0;
            }
        }
        if (!message.has_more()) {
            break;
        }
        if (!stream.Read(&message)) {
            return false;
        }
    }
    while (target < targets.size() && targets[target].empty()) {
        ++target;
    }
    return target == targets.size();
}

} // namespace cannery::parameters
