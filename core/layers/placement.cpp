// SPDX-License-Identifier: Apache-2.0
#include "core/layers/placement.h"

#include <algorithm>

namespace cannery::layers {

void placeOwn(kernels::AcceleratorProgram& program, std::span<float> memory)
{
    const auto bytes = static_cast<std::int64_t>(memory.size_bytes());
    if (bytes > 0) {
        program.mirror(memory.data(), bytes, program.scratch(bytes));
    }
}

kernels::DeviceSparse placedRows(kernels::AcceleratorProgram& program, std::int64_t capacity,
                                 std::int64_t cols, std::int64_t tableRows)
{
    // A table without rows still needs an address.
    const std::int64_t most = std::max<std::int64_t>(1, capacity);
    const auto scratch = [&](std::int64_t count, std::size_t size) {
        return program.scratch(count * static_cast<std::int64_t>(size));
    };
    return {.rows = reinterpret_cast<std::int32_t*>(scratch(most, sizeof(std::int32_t))),
            .values = program.scratchFloats(most * cols),
            .count = reinterpret_cast<std::int64_t*>(scratch(1, sizeof(std::int64_t))),
            .capacity = most,
            .cols = cols,
            .tableRows = tableRows};
}

void placeSequence(const Placement& placement, ValueBuffer& sequence)
{
    // For the longest sequence in every row; kernels skip the steps that a row lacks.
    const auto room = [&] {
        return placement.program.scratchMatrix(placement.steps.count(), sequence.width);
    };
    sequence.placedSteps = room();
    sequence.placedStepGrads = sequence.wantsGradient ? room() : kernels::MatrixView{};
}

void placeStepProduct(const Placement& placement, const kernels::Product& product)
{
    const std::int64_t rows = kStepsOfProduct * placement.rows;
    const bool isOfWeights = product.kind == kernels::ProductKind::WeightsGradient;
    // In parts of at most kStepsOfProduct steps, whose shapes repeat, so that few plans of products
    // are needed.
    for (std::int64_t first = 0; first < placement.steps.count(); first += rows) {
        kernels::Product part = product;
        part.precision = placement.precision;
        part.a = product.a.slice(first, rows);
        if (isOfWeights) {
            part.b = product.b.slice(first, rows);
            part.accumulate = product.accumulate || first > 0;
        } else {
            part.dst = product.dst.slice(first, rows);
        }
        placement.program.add(part, placement.label);
    }
}

void placeStepSums(const Placement& placement, kernels::ConstMatrixView values, float* sums)
{
    const std::int64_t rows = kStepsOfProduct * placement.rows;
    for (std::int64_t first = 0; first < placement.steps.count(); first += rows) {
        placement.program.add(kernels::SumRows{.dstGrad = values.slice(first, rows),
                                               .biasGrad = sums,
                                               .accumulate = first > 0},
                              placement.label);
    }
}

void placeBiasGradient(const Placement& placement, const ValueBuffer& output,
                       const GradientSegment& bias)
{
    kernels::AcceleratorProgram& program = placement.program;
    program.add(kernels::SumRows{.dstGrad = program.at(output.gradient(placement.rows)),
                                 .biasGrad = program.at(bias.dense.data)},
                placement.label);
}

} // namespace cannery::layers
