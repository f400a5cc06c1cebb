// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/matmul.h"

#include <array>

namespace cannery::kernels {

namespace {

std::string_view needsAvx512(const MatmulProblem& problem)
{
    return problem.level < CpuLevel::X86_64_v4
               ? std::string_view("it needs the level x86-64-v4 (AVX-512)")
               : std::string_view();
}

// oneDNN 2.6 is not in this list although its forward product is faster for batches of 32 and 128:
// a single row of src gets different bits than the same row in a batch. Eigen 3.4 is slower than
// the AVX-512 row for every measured shape, and for most than the AVX2 row.
constexpr std::array<MatmulImplementation, 3> kImplementations = {{
    {"packed avx512", needsAvx512, &cpu::kMatmulAvx512},
    {"packed avx2", acceptsAll<MatmulProblem>, &cpu::kMatmul},
    {"reference", acceptsAll<MatmulProblem>, &reference::kMatmul},
}};

} // namespace

std::span<const MatmulImplementation> matmulImplementations()
{
    return kImplementations;
}

const MatmulKernels& matmulKernels(const MatmulProblem& problem)
{
    return *choose(matmulImplementations(), problem).kernels;
}

} // namespace cannery::kernels
