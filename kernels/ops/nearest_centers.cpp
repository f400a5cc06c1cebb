// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/nearest_centers.h"

#include "kernels/device/instructions.h"

#include <array>

namespace cannery::kernels {

namespace {

/// A group of sixteen rows and the squares of the centers lie in a worker's scratch memory.
constexpr std::int64_t kMostDepth = 4096;
constexpr std::int64_t kMostCenters = 64 * 1024;
static_assert(16 * kMostDepth + kMostCenters <= ThreadPool::kScratchFloats);

std::string_view fitsScratch(const CentersProblem& problem)
{
    return problem.depth > kMostDepth || problem.centers > kMostCenters
               ? std::string_view("it takes at most 4096 columns and 65536 centers")
               : std::string_view();
}

#if CANNERY_X86_64_V3
/// Its groups have 32 rows.
constexpr std::int64_t kMostDepthOfWide = 2048;
static_assert(32 * kMostDepthOfWide + kMostCenters <= ThreadPool::kScratchFloats);

std::string_view fitsScratchAndIsWide(const CentersProblem& problem)
{
    if (problem.level < CpuLevel::X86_64_v4) {
        return "it needs the level x86-64-v4 (AVX-512)";
    }
    return problem.depth > kMostDepthOfWide ? std::string_view("it takes at most 2048 columns")
                                            : fitsScratch(problem);
}
#endif

std::string_view fitsScratchAndFuses(const CentersProblem& problem)
{
    return eigen::kFusesProducts ? fitsScratch(problem)
                                 : std::string_view("it needs a fused multiply-add");
}

constexpr auto kImplementations = std::to_array<NearestCentersImplementation>({
#if CANNERY_X86_64_V3
    {"avx512", fitsScratchAndIsWide, &cpu::kNearestCentersAvx512},
        {"avx2", fitsScratch, &cpu::kNearestCenters},
#endif
        {"eigen", fitsScratchAndFuses, &eigen::kNearestCenters},
        {"reference", acceptsAll<CentersProblem>, &reference::kNearestCenters},
});

} // namespace

std::span<const NearestCentersImplementation> nearestCentersImplementations()
{
    return kImplementations;
}

const NearestCentersKernels& nearestCentersKernels(const CentersProblem& problem)
{
    return *choose(nearestCentersImplementations(), problem).kernels;
}

} // namespace cannery::kernels
