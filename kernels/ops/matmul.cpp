#include "kernels/ops/matmul.h"

#include <array>

namespace cannery::kernels {

namespace {

constexpr std::array<MatmulImplementation, 2> kImplementations = {{
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
