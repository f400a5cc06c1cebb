// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

/// Numbers as TensorFlow's containers store them: little-endian, or base-128 with the low group
/// first. The get functions remove what they read from the front of the text; nothing if the text
/// is too short or not a number.
namespace cannery::storage {

static_assert(std::endian::native == std::endian::little, "files are written from memory");

template <typename T>
void putFixed(std::string& text, T value)
{
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    text.append(bytes, sizeof(T));
}

template <typename T>
std::optional<T> getFixed(std::string_view& text)
{
    if (text.size() < sizeof(T)) {
        return std::nullopt;
    }
    T value{};
    std::memcpy(&value, text.data(), sizeof(T));
    text.remove_prefix(sizeof(T));
    return value;
}

inline void putVarint(std::string& text, std::uint64_t value)
{
    while (value >= 0x80U) {
        text.push_back(static_cast<char>(value | 0x80U));
        value >>= 7U;
    }
    text.push_back(static_cast<char>(value));
}

inline std::optional<std::uint64_t> getVarint(std::string_view& text)
{
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !text.empty(); shift += 7) {
        const auto byte = static_cast<std::uint8_t>(text.front());
        text.remove_prefix(1);
        if (shift == 63 && byte > 1) {
            return std::nullopt;
        }
        value |= std::uint64_t{byte & 0x7fU} << shift;
        if (byte < 0x80U) {
            return value;
        }
    }
    return std::nullopt;
}

} // namespace cannery::storage
