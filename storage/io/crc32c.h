// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace cannery::storage {

/// Extends the CRC-32C (Castagnoli) `crc` by these bytes. Uses the processor's instruction if it
/// has one.
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t crc = 0);
inline std::uint32_t crc32c(std::string_view text, std::uint32_t crc = 0)
{
    return crc32c(std::as_bytes(std::span(text)), crc);
}

/// The same by tables, for any processor.
std::uint32_t crc32cPortable(std::span<const std::byte> bytes, std::uint32_t crc = 0);

/// The form in which checksums are stored, so that checksums of data containing checksums remain
/// reliable: rotated right by 15, plus a constant.
constexpr std::uint32_t maskCrc(std::uint32_t crc)
{
    return ((crc >> 15U) | (crc << 17U)) + 0xa282ead8U;
}

constexpr std::uint32_t unmaskCrc(std::uint32_t masked)
{
    const std::uint32_t rotated = masked - 0xa282ead8U;
    return (rotated >> 17U) | (rotated << 15U);
}

} // namespace cannery::storage
