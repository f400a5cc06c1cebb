// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/random.h"

#include <cmath>
#include <numbers>

namespace cannery::kernels {

RandomStream::RandomStream(std::uint64_t seed, std::uint64_t stream)
    : m_key{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
      m_stream(stream)
{}

std::uint32_t RandomStream::nextBits()
{
    // A block of four numbers at a time.
    if (m_used == 4) {
        m_block = philox(
            {static_cast<std::uint32_t>(m_position), static_cast<std::uint32_t>(m_position >> 32),
             static_cast<std::uint32_t>(m_stream), static_cast<std::uint32_t>(m_stream >> 32)},
            m_key);
        ++m_position;
        m_used = 0;
    }
    return m_block[static_cast<std::size_t>(m_used++)];
}

std::uint64_t RandomStream::nextBits64()
{
    // The lower half first, on every machine.
    const std::uint64_t low = nextBits();
    return std::uint64_t{nextBits()} << 32 | low;
}

float RandomStream::nextUniform(float minimum, float maximum)
{
    const float value = minimum + (maximum - minimum) * nextUniform();
    // Rounding may reach the excluded upper bound.
    return value < maximum ? value : std::nextafter(maximum, minimum);
}

std::uint64_t RandomStream::nextBelow(std::uint64_t bound)
{
    // The lowest values of a draw would be slightly more frequent: they are redrawn.
    const std::uint64_t excess = (0 - bound) % bound;
    std::uint64_t bits = nextBits64();
    while (bits < excess) {
        bits = nextBits64();
    }
    return bits % bound;
}

double RandomStream::nextNormal()
{
    // In (0, 1], so that the logarithm is finite.
    // Box and Muller's method.
    const double radius = (static_cast<double>(nextBits64() >> 11) + 1) * 0x1p-53;
    const double turn = static_cast<double>(nextBits64() >> 11) * 0x1p-53;
    return std::sqrt(-2 * std::log(radius)) * std::cos(2 * std::numbers::pi * turn);
}

double RandomStream::nextTruncatedNormal()
{
    double value = nextNormal();
    // Drawn again, as in TensorFlow.
    while (std::abs(value) > 2) {
        value = nextNormal();
    }
    return value;
}

} // namespace cannery::kernels
