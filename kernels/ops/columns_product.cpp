// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/columns_product.h"

#include "kernels/device/instructions.h"

#include <array>

namespace cannery::kernels {

namespace {

#if CANNERY_X86_64_V3
std::string_view needsAvx512(const ColumnsProblem& problem)
{
    return problem.level < CpuLevel::X86_64_v4
               ? std::string_view("it needs the level x86-64-v4 (AVX-512)")
               : std::string_view();
}
#endif

constexpr auto kImplementations = std::to_array<ColumnsProductImplementation>({
#if CANNERY_X86_64_V3
    {"avx512", needsAvx512, &cpu::kColumnsProductAvx512},
        {"avx2", acceptsAll<ColumnsProblem>, &cpu::kColumnsProduct},
#endif
        {"eigen", acceptsAll<ColumnsProblem>, &cpu::kColumnsProductEigen},
        {"reference", acceptsAll<ColumnsProblem>, &reference::kColumnsProduct},
});

} // namespace

std::span<const ColumnsProductImplementation> columnsProductImplementations()
{
    return kImplementations;
}

const ColumnsProductKernels& columnsProductKernels(const ColumnsProblem& problem)
{
    return *choose(columnsProductImplementations(), problem).kernels;
}

} // namespace cannery::kernels
