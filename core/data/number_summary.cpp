// SPDX-License-Identifier: Apache-2.0
#include "core/data/number_summary.h"

#include <array>

#include <immintrin.h>

#include <algorithm>

namespace cannery::data {

namespace {

double sumOf(__m256d lanes)
{
    alignas(32) std::array<double, 4> parts;
    _mm256_store_pd(parts.data(), lanes);
    return (parts[0] + parts[1]) + (parts[2] + parts[3]);
}

/// What one pass over a group computes.
struct FirstPass
{
    double sum = 0;
    std::uint64_t zeros = 0;
    double min = 0;
    double max = 0;
};

FirstPass firstPass(std::span<const double> values)
{
    const std::size_t whole = values.size() / 8 * 8;
    __m256d sumA = _mm256_setzero_pd();
    __m256d sumB = sumA;
    __m256i zeros = _mm256_setzero_si256();
    __m256d least = _mm256_set1_pd(values[0]);
    __m256d most = least;
    for (std::size_t i = 0; i < whole; i += 8) {
        const __m256d a = _mm256_loadu_pd(values.data() + i);
        const __m256d b = _mm256_loadu_pd(values.data() + i + 4);
        sumA = _mm256_add_pd(sumA, a);
        sumB = _mm256_add_pd(sumB, b);
        least = _mm256_min_pd(least, _mm256_min_pd(a, b));
        most = _mm256_max_pd(most, _mm256_max_pd(a, b));
        const __m256d none = _mm256_setzero_pd();
        // A true comparison is -1 as an integer.
        zeros = _mm256_sub_epi64(zeros, _mm256_castpd_si256(_mm256_cmp_pd(a, none, _CMP_EQ_OQ)));
        zeros = _mm256_sub_epi64(zeros, _mm256_castpd_si256(_mm256_cmp_pd(b, none, _CMP_EQ_OQ)));
    }
    alignas(32) std::array<std::uint64_t, 4> zeroParts;
    alignas(32) std::array<double, 4> lows;
    alignas(32) std::array<double, 4> highs;
    _mm256_store_si256(reinterpret_cast<__m256i*>(zeroParts.data()), zeros);
    _mm256_store_pd(lows.data(), least);
    _mm256_store_pd(highs.data(), most);
    FirstPass found{.sum = sumOf(_mm256_add_pd(sumA, sumB)),
                    .zeros = zeroParts[0] + zeroParts[1] + zeroParts[2] + zeroParts[3],
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

double squaresAround(std::span<const double> values, double mean)
{
    const std::size_t whole = values.size() / 4 * 4;
    const __m256d means = _mm256_set1_pd(mean);
    __m256d squares = _mm256_setzero_pd();
    for (std::size_t i = 0; i < whole; i += 4) {
        const __m256d difference = _mm256_sub_pd(_mm256_loadu_pd(values.data() + i), means);
        squares = _mm256_add_pd(squares, _mm256_mul_pd(difference, difference));
    }
    double sum = sumOf(squares);
    for (std::size_t i = whole; i < values.size(); ++i) {
        sum += (values[i] - mean) * (values[i] - mean);
    }
    return sum;
}

} // namespace

void NumberSummary::addGroup(std::span<const double> values)
{
    if (values.empty()) {
        return;
    }
    const FirstPass found = firstPass(values);
    const auto known = static_cast<double>(count);
    const auto added = static_cast<double>(values.size());
    const double addedMean = found.sum / added;
    const double difference = addedMean - mean;
    const double all = known + added;
    mean += difference * added / all;
    squares += squaresAround(values, addedMean) + difference * difference * known * added / all;
    count += values.size();
    zeros += found.zeros;
    min = std::min(min, found.min);
    max = std::max(max, found.max);
}

} // namespace cannery::data
