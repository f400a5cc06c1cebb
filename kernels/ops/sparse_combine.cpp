// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/sparse_combine.h"

#include <array>

namespace cannery::kernels {

namespace {

constexpr std::array<SparseCombineImplementation, 2> kImplementations = {{
    {"avx2", acceptsAll<SparseCombineProblem>, &cpu::kSparseCombine},
    {"reference", acceptsAll<SparseCombineProblem>, &reference::kSparseCombine},
}};

} // namespace

std::span<const SparseCombineImplementation> sparseCombineImplementations()
{
    return kImplementations;
}

const SparseCombineKernels& sparseCombineKernels(const SparseCombineProblem& problem)
{
    return *choose(sparseCombineImplementations(), problem).kernels;
}

} // namespace cannery::kernels
