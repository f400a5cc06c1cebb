// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

// Sums over numbers in four lanes, with the same bits on every processor. A class of lanes has:
// at(values) and all(value); sums, differences and products lane by lane; lesser(a, b) and
// greater(a, b), b where they are equal; values(); Count, which counts zeros.

namespace cannery::data::detail {

using FourDoubles = std::array<double, 4>;

/// On any processor.
class ArrayLanes
{
public:
    static ArrayLanes at(const double* values)
    {
        return ArrayLanes({values[0], values[1], values[2], values[3]});
    }
    static ArrayLanes all(double value) { return ArrayLanes({value, value, value, value}); }

    friend ArrayLanes operator+(const ArrayLanes& a, const ArrayLanes& b)
    {
        return each(a, b, [](double x, double y) { return x + y; });
    }
    friend ArrayLanes operator-(const ArrayLanes& a, const ArrayLanes& b)
    {
        return each(a, b, [](double x, double y) { return x - y; });
    }
    friend ArrayLanes operator*(const ArrayLanes& a, const ArrayLanes& b)
    {
        return each(a, b, [](double x, double y) { return x * y; });
    }
    static ArrayLanes lesser(const ArrayLanes& a, const ArrayLanes& b)
    {
        return each(a, b, [](double x, double y) { return x < y ? x : y; });
    }
    static ArrayLanes greater(const ArrayLanes& a, const ArrayLanes& b)
    {
        return each(a, b, [](double x, double y) { return x > y ? x : y; });
    }
    FourDoubles values() const { return m_lanes; }

    class Count
    {
    public:
        void addZeros(const ArrayLanes& lanes)
        {
            for (const double lane : lanes.m_lanes) {
                m_count += lane == 0 ? 1 : 0;
            }
        }
        std::uint64_t total() const { return m_count; }

    private:
        std::uint64_t m_count = 0;
    };

private:
    explicit ArrayLanes(const FourDoubles& lanes) : m_lanes(lanes) {}

    template <typename Function>
    static ArrayLanes each(const ArrayLanes& a, const ArrayLanes& b, Function function)
    {
        FourDoubles made;
        for (std::size_t i = 0; i < made.size(); ++i) {
            made[i] = function(a.m_lanes[i], b.m_lanes[i]);
        }
        return ArrayLanes(made);
    }

    FourDoubles m_lanes;
};

#if defined(__AVX2__)

class Avx2Lanes
{
public:
    static Avx2Lanes at(const double* values) { return Avx2Lanes(_mm256_loadu_pd(values)); }
    static Avx2Lanes all(double value) { return Avx2Lanes(_mm256_set1_pd(value)); }

    friend Avx2Lanes operator+(Avx2Lanes a, Avx2Lanes b)
    {
        return Avx2Lanes(_mm256_add_pd(a.m_lanes, b.m_lanes));
    }
    friend Avx2Lanes operator-(Avx2Lanes a, Avx2Lanes b)
    {
        return Avx2Lanes(_mm256_sub_pd(a.m_lanes, b.m_lanes));
    }
    friend Avx2Lanes operator*(Avx2Lanes a, Avx2Lanes b)
    {
        return Avx2Lanes(_mm256_mul_pd(a.m_lanes, b.m_lanes));
    }
    static Avx2Lanes lesser(Avx2Lanes a, Avx2Lanes b)
    {
        return Avx2Lanes(_mm256_min_pd(a.m_lanes, b.m_lanes));
    }
    static Avx2Lanes greater(Avx2Lanes a, Avx2Lanes b)
    {
        return Avx2Lanes(_mm256_max_pd(a.m_lanes, b.m_lanes));
    }
    FourDoubles values() const
    {
        FourDoubles values;
        _mm256_storeu_pd(values.data(), m_lanes);
        return values;
    }

    class Count
    {
    public:
        void addZeros(Avx2Lanes lanes)
        {
            // A true comparison is -1 as an integer.
            const __m256d equal = _mm256_cmp_pd(lanes.m_lanes, _mm256_setzero_pd(), _CMP_EQ_OQ);
            m_counts = _mm256_sub_epi64(m_counts, _mm256_castpd_si256(equal));
        }
        std::uint64_t total() const
        {
            std::array<std::uint64_t, 4> counts;
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(counts.data()), m_counts);
            return counts[0] + counts[1] + counts[2] + counts[3];
        }

    private:
        __m256i m_counts = _mm256_setzero_si256();
    };

private:
    explicit Avx2Lanes(__m256d lanes) : m_lanes(lanes) {}

    __m256d m_lanes;
};

using DoubleLanes = Avx2Lanes;

#else

using DoubleLanes = ArrayLanes;

#endif

inline double sumOf(const FourDoubles& lanes)
{
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

/// What one pass over a group computes.
struct FirstPass
{
    double sum = 0;
    std::uint64_t zeros = 0;
    double min = 0;
    double max = 0;
};

/// At least one value.
template <typename Lanes>
inline FirstPass firstPass(std::span<const double> values)
{
    const std::size_t whole = values.size() / 8 * 8;
    Lanes sumA = Lanes::all(0);
    Lanes sumB = sumA;
    Lanes least = Lanes::all(values[0]);
    Lanes most = least;
    typename Lanes::Count zeros;
    for (std::size_t i = 0; i < whole; i += 8) {
        const Lanes a = Lanes::at(values.data() + i);
        const Lanes b = Lanes::at(values.data() + i + 4);
        sumA = sumA + a;
        sumB = sumB + b;
        least = Lanes::lesser(least, Lanes::lesser(a, b));
        most = Lanes::greater(most, Lanes::greater(a, b));
        zeros.addZeros(a);
        zeros.addZeros(b);
    }
    const FourDoubles lows = least.values();
    const FourDoubles highs = most.values();
    FirstPass found{.sum = sumOf((sumA + sumB).values()),
                    .zeros = zeros.total(),
                    .min = *std::min_element(lows.begin(), lows.end()),
                    .max = *std::max_element(highs.begin(), highs.end())};
    for (std::size_t i = whole; i < values.size(); ++i) {
        found.sum += values[i];
        found.zeros += values[i] == 0 ? 1 : 0;
        found.min = std::min(found.min, values[i]);
        found.max = std::max(found.max, values[i]);
    }
    return found;
}

/// The sum of (x - mean)².
template <typename Lanes>
inline double squaresAround(std::span<const double> values, double mean)
{
    const std::size_t whole = values.size() / 4 * 4;
    const Lanes means = Lanes::all(mean);
    Lanes squares = Lanes::all(0);
    for (std::size_t i = 0; i < whole; i += 4) {
        const Lanes difference = Lanes::at(values.data() + i) - means;
        squares = squares + difference * difference;
    }
    double sum = sumOf(squares.values());
    for (std::size_t i = whole; i < values.size(); ++i) {
        sum += (values[i] - mean) * (values[i] - mean);
    }
    return sum;
}

} // namespace cannery::data::detail
