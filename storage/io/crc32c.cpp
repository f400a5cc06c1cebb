#include "storage/io/crc32c.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace cannery::storage {

namespace {

/// The reflected polynomial.
constexpr std::uint32_t kPolynomial = 0x82f63b78U;
constexpr std::size_t kSlices = 8;

using Tables = std::array<std::array<std::uint32_t, 256>, kSlices>;

/// tables[k][b]: what byte b contributes when k more bytes follow it.
constexpr Tables makeTables()
{
    Tables tables{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t crc = byte;
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? kPolynomial : 0U);
        }
        tables[0][byte] = crc;
    }
    for (std::size_t slice = 1; slice < kSlices; ++slice) {
        for (std::size_t byte = 0; byte < 256; ++byte) {
            const std::uint32_t previous = tables[slice - 1][byte];
            tables[slice][byte] = (previous >> 8U) ^ tables[0][previous & 0xffU];
        }
    }
    return tables;
}

constexpr Tables kTables = makeTables();

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t crc32cHardware(std::span<const std::byte> bytes,
                                                               std::uint32_t crc)
{
    std::uint64_t state = ~crc;
    while (bytes.size() >= sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data(), sizeof(word));
        state = _mm_crc32_u64(state, word);
        bytes = bytes.subspan(sizeof(word));
    }
    auto rest = static_cast<std::uint32_t>(state);
    for (const std::byte byte : bytes) {
        rest = _mm_crc32_u8(rest, static_cast<unsigned char>(byte));
    }
    return ~rest;
}
#endif

} // namespace

std::uint32_t crc32cPortable(std::span<const std::byte> bytes, std::uint32_t crc)
{
    std::uint32_t state = ~crc;
    while (bytes.size() >= kSlices) {
        std::array<std::uint8_t, kSlices> chunk{};
        std::memcpy(chunk.data(), bytes.data(), kSlices);
        for (std::size_t i = 0; i < 4; ++i) {
            chunk[i] ^= static_cast<std::uint8_t>(state >> (8 * i));
        }
        state = 0;
        for (std::size_t i = 0; i < kSlices; ++i) {
            state ^= kTables[kSlices - 1 - i][chunk[i]];
        }
        bytes = bytes.subspan(kSlices);
    }
    for (const std::byte byte : bytes) {
        state = (state >> 8U) ^ kTables[0][(state ^ static_cast<std::uint32_t>(byte)) & 0xffU];
    }
    return ~state;
}

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t crc)
{
#if defined(__x86_64__)
    static const bool hasInstruction = __builtin_cpu_supports("sse4.2") != 0;
    if (hasInstruction) {
        return crc32cHardware(bytes, crc);
    }
#endif
    return crc32cPortable(bytes, crc);
}

} // namespace cannery::storage
