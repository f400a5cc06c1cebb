// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>

/// Loops over neighbouring channels. The sums of a block of channels stay in registers, which
/// arrays of floats do not: hence vectors of the compiler, which it makes of whatever the processor
/// has.
namespace cannery::kernels::cpu {

inline constexpr std::int64_t kLanes = 32;

/// Values of kLanes channels.
class WholeLanes
{
public:
    static constexpr std::int64_t count() { return kLanes; }

    void load(const float* from)
    {
#pragma GCC unroll 4
        for (int i = 0; i < kVectors; ++i) {
            m_values[i] = at(from, i);
        }
    }
    void store(float* to) const
    {
#pragma GCC unroll 4
        for (int i = 0; i < kVectors; ++i) {
            *reinterpret_cast<Vector*>(to + i * kWidth) = m_values[i];
        }
    }
    void add(const float* term)
    {
#pragma GCC unroll 4
        for (int i = 0; i < kVectors; ++i) {
            m_values[i] += at(term, i);
        }
    }
    void addProduct(const float* one, const float* other)
    {
#pragma GCC unroll 4
        for (int i = 0; i < kVectors; ++i) {
            m_values[i] += at(one, i) * at(other, i);
        }
    }
    void divide(float divisor)
    {
#pragma GCC unroll 4
        for (Vector& values : m_values) {
            values /= divisor;
        }
    }
    /// The first of equal ones; NaN stays.
    void keepLarger(const float* next)
    {
#pragma GCC unroll 4
        for (int i = 0; i < kVectors; ++i) {
            const auto keeps = (m_values[i] >= at(next, i)) | (m_values[i] != m_values[i]);
            m_values[i] = keeps ? m_values[i] : at(next, i);
        }
    }
    /// Adds each value of this to `sums` if that of `values` is the wanted one, which becomes NaN:
    /// it is found once.
    void giveTo(const float* values, WholeLanes& wanted, float* sums) const
    {
#pragma GCC unroll 4
        for (int i = 0; i < kVectors; ++i) {
            const auto isFound = at(values, i) == wanted.m_values[i];
            Vector& sum = *reinterpret_cast<Vector*>(sums + i * kWidth);
            sum = isFound ? sum + m_values[i] : sum;
            wanted.m_values[i] = isFound ? Vector{} + kNaN : wanted.m_values[i];
        }
    }

private:
    static constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
    static constexpr int kWidth = 8;
    static constexpr int kVectors = kLanes / kWidth;
    /// Of floats anywhere in memory.
    using Vector [[gnu::vector_size(kWidth * sizeof(float)), gnu::aligned(alignof(float))]] = float;

    static const Vector& at(const float* from, int i)
    {
        return *reinterpret_cast<const Vector*>(from + i * kWidth);
    }

    Vector m_values[kVectors] = {};
};

/// The same of fewer channels.
class SomeLanes
{
public:
    explicit SomeLanes(std::int64_t count) : m_count(count) {}
    std::int64_t count() const { return m_count; }

    void load(const float* from)
    {
        forEach([&](std::int64_t i) { m_values[i] = from[i]; });
    }
    void store(float* to) const
    {
        forEach([&](std::int64_t i) { to[i] = m_values[i]; });
    }
    void add(const float* term)
    {
        forEach([&](std::int64_t i) { m_values[i] += term[i]; });
    }
    void addProduct(const float* one, const float* other)
    {
        forEach([&](std::int64_t i) { m_values[i] += one[i] * other[i]; });
    }
    void divide(float divisor)
    {
        forEach([&](std::int64_t i) { m_values[i] /= divisor; });
    }
    void keepLarger(const float* next)
    {
        forEach([&](std::int64_t i) {
            const bool keeps = m_values[i] >= next[i] || m_values[i] != m_values[i];
            m_values[i] = keeps ? m_values[i] : next[i];
        });
    }
    void giveTo(const float* values, SomeLanes& wanted, float* sums) const
    {
        forEach([&](std::int64_t i) {
            const bool isFound = values[i] == wanted.m_values[i];
            sums[i] = isFound ? sums[i] + m_values[i] : sums[i];
            wanted.m_values[i] = isFound ? kNaN : wanted.m_values[i];
        });
    }

private:
    static constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

    template <typename Function>
    void forEach(const Function& function) const
    {
        for (std::int64_t i = 0; i < m_count; ++i) {
            function(i);
        }
    }

    std::int64_t m_count;
    std::array<float, kLanes> m_values{};
};

/// Calls function(first channel, lanes of zeros) for the channels [first, end).
template <typename Function>
void forEachLaneBlock(std::int64_t first, std::int64_t end, const Function& function)
{
    for (; first + kLanes <= end; first += kLanes) {
        function(first, WholeLanes());
    }
    if (first < end) {
        function(first, SomeLanes(end - first));
    }
}

} // namespace cannery::kernels::cpu
