// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/spaced_floats.h"

#include "kernels/device/instructions.h"

#include <cstring>
#include <utility>

#if CANNERY_X86_64_V3
#include <immintrin.h>
#endif

namespace cannery::kernels {

#if CANNERY_X86_64_V3

namespace {

constexpr std::size_t kFloatsOfVector = 8;

/// The bits of those of eight spaced floats that are in one of the vectors they are spread over.
template <std::size_t Stride>
constexpr int lanesIn(std::size_t vector)
{
    int lanes = 0;
    for (std::size_t i = 0; i < kFloatsOfVector; ++i) {
        lanes |= (i * Stride / kFloatsOfVector == vector ? 1 : 0) << i;
    }
    return lanes;
}

/// Eight spaced floats; reads Stride x 8.
template <std::size_t Stride, std::size_t... Vector>
__m256 eightOf(const float* from, std::index_sequence<Vector...>)
{
    constexpr int kStep = Stride;
    // Places in the vectors: the permutation looks at the lowest three bits.
    const __m256i places = _mm256_setr_epi32(0, kStep, 2 * kStep, 3 * kStep, 4 * kStep, 5 * kStep,
                                             6 * kStep, 7 * kStep);
    __m256 all = _mm256_setzero_ps();
    ((all = _mm256_blend_ps(
          all, _mm256_permutevar8x32_ps(_mm256_loadu_ps(from + Vector * kFloatsOfVector), places),
          lanesIn<Stride>(Vector))),
     ...);
    return all;
}

/// As many as whole vectors, none of which ends after the last float; returns that number.
template <std::size_t Stride>
std::size_t copyEights(const float* from, std::size_t count, std::byte* to)
{
    std::size_t done = 0;
    // The last float is left to the loop below, as a whole vector would read beyond it.
    for (; done + kFloatsOfVector < count; done += kFloatsOfVector) {
        _mm256_storeu_ps(reinterpret_cast<float*>(to + done * sizeof(float)),
                         eightOf<Stride>(from + done * Stride, std::make_index_sequence<Stride>()));
    }
    return done;
}

} // namespace

#endif

void copySpaced(const float* from, std::int64_t stride, std::span<std::byte> to)
{
    const std::size_t count = to.size() / sizeof(float);
    std::size_t done = 0;
#if CANNERY_X86_64_V3
    switch (stride) {
    case 2:
        done = copyEights<2>(from, count, to.data());
        break;
    case 3:
        done = copyEights<3>(from, count, to.data());
        break;
    case 4:
        done = copyEights<4>(from, count, to.data());
        break;
    default:
        break;
    }
#endif
    for (; done < count; ++done) {
        std::memcpy(to.data() + done * sizeof(float),
                    from + static_cast<std::int64_t>(done) * stride, sizeof(float));
    }
}

} // namespace cannery::kernels
