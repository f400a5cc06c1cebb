// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/pooling.h"

#include <array>

namespace cannery::kernels {

namespace {

constexpr auto kImplementations = std::to_array<PoolingImplementation>({
    {"avx2", acceptsAll<PoolingProblem>, &cpu::kPooling},
    {"reference", acceptsAll<PoolingProblem>, &reference::kPooling},
});

} // namespace

std::span<const PoolingImplementation> poolingImplementations()
{
    return kImplementations;
}

} // namespace cannery::kernels
