// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/matmul.h"

#include "kernels/device/instructions.h"

#include <array>

namespace cannery::kernels {

namespace {

#if CANNERY_X86_64_V3
std::string_view needsAvx512(const MatmulProblem& problem)
{
    return problem.level < CpuLevel::X86_64_v4
               ? std::string_view("it needs the level x86-64-v4 (AVX-512)")
               : std::string_view();
}

/// Of oneDNN 2.6, shapes for which the three products together take less processor time than those
/// of the AVX-512 row: 0.93 to 1.01 of it. `cannery_benchmark products ROWS DEPTH COLS SECONDS`
/// measures it; see tests/benchmarks/README.md.
std::string_view isWorthOnednn(const MatmulProblem& problem)
{
    const std::string_view level = needsAvx512(problem);
    if (!level.empty()) {
        return level;
    }
    if (problem.rows < 64) {
        return "it is slower for batches of less than 64 rows";
    }
    if (problem.depth < 128 || problem.cols < 64) {
        return "it is slower for less than 128 inputs or 64 units";
    }
    if (problem.depth > 256 || problem.cols > 256) {
        return "it has other bits for more than 256 inputs or units";
    }
    return {};
}

#else

std::string_view isLeftOut(const MatmulProblem&)
{
    return "it is left out of engines for other processors than x86-64-v3";
}

#endif

constexpr auto kImplementations = std::to_array<MatmulImplementation>({
#if CANNERY_X86_64_V3
    {"onednn", isWorthOnednn, &onednn::kMatmul},
        {"packed avx512", needsAvx512, &cpu::kMatmulAvx512},
        {"packed avx2", acceptsAll<MatmulProblem>, &cpu::kMatmul},
#else
    {"onednn", isLeftOut, nullptr},
#endif
        {"eigen", acceptsAll<MatmulProblem>, &cpu::kMatmulEigen},
        {"reference", acceptsAll<MatmulProblem>, &reference::kMatmul},
});

} // namespace

std::span<const MatmulImplementation> matmulImplementations()
{
    return kImplementations;
}

Matmul::Matmul(const MatmulImplementation& implementation, const MatmulProblem& problem)
{
    // A library plans for one shape, and may refuse.
    if (implementation.kernels->plan != nullptr) {
        m_plan = implementation.kernels->plan(problem);
        if (m_plan == nullptr) {
            return;
        }
    }
    m_implementation = &implementation;
}

Matmul::Matmul(const MatmulProblem& problem, std::vector<Refusal>* refusals)
{
    std::span<const MatmulImplementation> rest = matmulImplementations();
    // The last row accepts everything.
    while (m_implementation == nullptr) {
        const MatmulImplementation& row = choose(rest, problem, refusals);
        *this = Matmul(row, problem);
        if (m_implementation == nullptr && refusals != nullptr) {
            refusals->push_back({row.name, "the library has no product with our bits here"});
        }
        rest = rest.subspan(static_cast<std::size_t>(&row - rest.data()) + 1);
    }
}

} // namespace cannery::kernels
