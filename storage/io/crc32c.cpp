// SPDX-License-Identifier: Apache-2.0
#include "storage/io/crc32c.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#define CANNERY_CRC_INSTRUCTION __attribute__((target("sse4.2")))
#elif defined(__aarch64__)
#include <arm_acle.h>
#include <sys/auxv.h>
#define CANNERY_CRC_INSTRUCTION __attribute__((target("+crc")))
#endif

namespace cannery::storage {

namespace {

/// The reflected polynomial.
constexpr std::uint32_t kPolynomial = 0x82f63b78U;
constexpr std::size_t kSlices = 8;

using Tables = std::array<std::array<std::uint32_t, 256>, kSlices>;

/// tables[k][b]: the contribution of byte b if k more bytes follow it.
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

#if defined(CANNERY_CRC_INSTRUCTION)

#if defined(__x86_64__)

bool hasInstruction()
{
    return __builtin_cpu_supports("sse4.2") != 0;
}

CANNERY_CRC_INSTRUCTION inline std::uint64_t extended(std::uint64_t state, std::uint64_t word)
{
    return _mm_crc32_u64(state, word);
}

CANNERY_CRC_INSTRUCTION inline std::uint32_t extended(std::uint32_t state, std::byte byte)
{
    return _mm_crc32_u8(state, static_cast<unsigned char>(byte));
}

#else

bool hasInstruction()
{
    return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0;
}

CANNERY_CRC_INSTRUCTION inline std::uint64_t extended(std::uint64_t state, std::uint64_t word)
{
    return __crc32cd(static_cast<std::uint32_t>(state), word);
}

CANNERY_CRC_INSTRUCTION inline std::uint32_t extended(std::uint32_t state, std::byte byte)
{
    return __crc32cb(state, static_cast<std::uint8_t>(byte));
}

#endif

/// The effect of n zero bytes on a state, as a matrix over bits: column i is the state that bit i
/// becomes. It is linear in the state's bits, so tables can be built from it.
using Operator = std::array<std::uint32_t, 32>;

constexpr std::uint32_t applyMatrix(const Operator& columns, std::uint32_t state)
{
    std::uint32_t result = 0;
    for (std::size_t bit = 0; bit < columns.size(); ++bit) {
        if ((state >> bit & 1U) != 0) {
            result ^= columns[bit];
        }
    }
    return result;
}

/// For 2^doublings zero bytes.
constexpr Operator zeroBytes(int doublings)
{
    Operator columns{};
    for (std::size_t bit = 0; bit < columns.size(); ++bit) {
        const std::uint32_t state = std::uint32_t{1} << bit;
        columns[bit] = (state >> 8U) ^ kTables[0][state & 0xffU];
    }
    for (int i = 0; i < doublings; ++i) {
        Operator doubled{};
        for (std::size_t bit = 0; bit < columns.size(); ++bit) {
            doubled[bit] = applyMatrix(columns, columns[bit]);
        }
        columns = doubled;
    }
    return columns;
}

/// shift[k][b]: what byte k of a state, if it is b, becomes after a lane of zeros.
using ShiftTable = std::array<std::array<std::uint32_t, 256>, 4>;

constexpr ShiftTable makeShift(int doublings)
{
    const Operator columns = zeroBytes(doublings);
    ShiftTable table{};
    for (std::uint32_t byte = 0; byte < 4; ++byte) {
        for (std::uint32_t value = 0; value < 256; ++value) {
            table[byte][value] = applyMatrix(columns, value << (8 * byte));
        }
    }
    return table;
}

constexpr int kLongLane = 12; ///< 4 KiB
constexpr int kShortLane = 8; ///< 256 bytes
constexpr ShiftTable kLongShift = makeShift(kLongLane);
constexpr ShiftTable kShortShift = makeShift(kShortLane);

std::uint64_t shifted(const ShiftTable& table, std::uint64_t state)
{
    return table[0][state & 0xffU] ^ table[1][state >> 8U & 0xffU] ^
           table[2][state >> 16U & 0xffU] ^ table[3][state >> 24U & 0xffU];
}

std::uint64_t wordAt(const std::byte* place)
{
    std::uint64_t word = 0;
    std::memcpy(&word, place, sizeof(word));
    return word;
}

/// The instruction has a latency of about three cycles but a throughput of one per cycle: three
/// interleaved lanes, whose states are combined as if zeros had followed each.
template <int kDoublings>
CANNERY_CRC_INSTRUCTION std::uint64_t threeLanes(std::span<const std::byte>& bytes,
                                                 std::uint64_t state, const ShiftTable& shift)
{
    constexpr std::size_t kLane = std::size_t{1} << kDoublings;
    while (bytes.size() >= 3 * kLane) {
        const std::byte* place = bytes.data();
        std::uint64_t second = 0;
        std::uint64_t third = 0;
        for (const std::byte* end = place + kLane; place < end; place += sizeof(std::uint64_t)) {
            state = extended(state, wordAt(place));
            second = extended(second, wordAt(place + kLane));
            third = extended(third, wordAt(place + 2 * kLane));
        }
        state = shifted(shift, state) ^ second;
        state = shifted(shift, state) ^ third;
        bytes = bytes.subspan(3 * kLane);
    }
    return state;
}

CANNERY_CRC_INSTRUCTION std::uint32_t crc32cHardware(std::span<const std::byte> bytes,
                                                     std::uint32_t crc)
{
    std::uint64_t state = ~crc;
    state = threeLanes<kLongLane>(bytes, state, kLongShift);
    state = threeLanes<kShortLane>(bytes, state, kShortShift);
    while (bytes.size() >= sizeof(std::uint64_t)) {
        state = extended(state, wordAt(bytes.data()));
        bytes = bytes.subspan(sizeof(std::uint64_t));
    }
    auto rest = static_cast<std::uint32_t>(state);
    for (const std::byte byte : bytes) {
        rest = extended(rest, byte);
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
#if defined(CANNERY_CRC_INSTRUCTION)
    static const bool isFast = hasInstruction();
    if (isFast) {
        return crc32cHardware(bytes, crc);
    }
#endif
    return crc32cPortable(bytes, crc);
}

} // namespace cannery::storage
