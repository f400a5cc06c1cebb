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

// oneDNN 2.6 is no row of this list although its forward product is faster for batches of 32 and
// 128: a row of src that is alone gets other bits there than among others. Eigen 3.4 is slower than
// the AVX-512 row on every shape that was measured, and on most than the AVX2 row.
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
