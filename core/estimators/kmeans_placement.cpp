// SPDX-License-Identifier: Apache-2.0
// The operations of a step on an accelerator, in order.
#include "core/estimators/kmeans_step.h"

#include "core/layers/inputs/points_layer.h"

#include <cstring>
#include <string_view>

namespace cannery::estimators {

namespace {

constexpr std::string_view kLabel = "kmeans";

template <typename T>
T* roomFor(kernels::AcceleratorProgram& program, std::int64_t count)
{
    return reinterpret_cast<T*>(program.scratch(count * std::int64_t{sizeof(T)}));
}

} // namespace

std::vector<std::span<std::byte>> KMeansStep::memory()
{
    return {std::as_writable_bytes(std::span(m_counts)),
            std::as_writable_bytes(std::span(m_updated))};
}

Result<void> KMeansStep::place(const plan::OwnStepPlacement& placement)
{
    layers::Placement labelled = placement.placed;
    labelled.label = kLabel;
    CANNERY_TRY(
        placement.network.placement().placeForward(labelled, nodesToRun(placement.network)));
    kernels::AcceleratorProgram& program = labelled.program;
    const kernels::MatrixView centers = program.at(placement.variables.values(m_options.centers));
    Placed placed{.points = program.at(pointsIn(placement.network, labelled.rows)),
                  .centers = centers,
                  .moved = centers};
    if (m_options.miniBatch) {
        placed.counts = program.at(m_counts.data());
    }
    if (hasCopy()) {
        placed.moved = program.at(
            kernels::matrixView(std::span<float>(m_updated), centers.rows, centers.cols));
        placeBeginning(program, placed);
    }
    placeMove(program, placed, placeNearest(labelled, placed, placement.loss));
    return {};
}

/// The host counts the steps.
void KMeansStep::placeBeginning(kernels::AcceleratorProgram& program, const Placed& placed)
{
    // Written before each launch: whether this step begins an iteration.
    const auto write = [this](std::int64_t, std::byte* destination) {
        const std::int64_t begins = countStep() ? 1 : 0;
        std::memcpy(destination, &begins, sizeof(begins));
    };
    program.add(kernels::BeginIteration{.begins = program.perStep(sizeof(std::int64_t), write),
                                        .updated = placed.moved,
                                        .centers = placed.centers,
                                        .ofUnitLength =
                                            m_options.distance == kernels::CenterDistance::Cosine,
                                        .counts = placed.counts},
                kLabel);
}

/// The nearest center of each row.
const std::int32_t* KMeansStep::placeNearest(const layers::Placement& placement,
                                             const Placed& placed, double* loss) const
{
    kernels::AcceleratorProgram& program = placement.program;
    kernels::ConstMatrixView centers = placed.centers;
    if (m_options.dividesCenters()) {
        // Cosine distances to centers that are not of unit length yet.
        centers = layers::placeUnitLength(placement, centers);
    }
    const std::int64_t rows = placed.points.rows;
    auto* const nearest = roomFor<std::int32_t>(program, rows);
    const kernels::MatrixView least = program.scratchMatrix(rows, 1);
    program.add(kernels::NearestCenters{.distance = m_options.distance,
                                        .points = placed.points,
                                        .centers = centers,
                                        .squares = program.scratchFloats(rows + centers.rows),
                                        .index = nearest,
                                        .least = least.data},
                kLabel);
    program.add(kernels::SumLosses{.losses = least, .weights = {}, .sum = loss, .meanOf = {}},
                kLabel);
    return nearest;
}

void KMeansStep::placeMove(kernels::AcceleratorProgram& program, const Placed& placed,
                           const std::int32_t* nearest) const
{
    const kernels::MatrixView& centers = placed.moved;
    auto* const sums = roomFor<double>(program, centers.rows * centers.cols);
    auto* const rowsOf = roomFor<std::int64_t>(program, centers.rows);
    const std::int64_t bytes = kernels::centerScratchBytes(placed.points.rows, centers.rows);
    program.add(kernels::SumByCenter{.points = placed.points,
                                     .index = nearest,
                                     .centers = centers.rows,
                                     .sums = sums,
                                     .rowsOf = rowsOf,
                                     .scratch = program.scratch(bytes)},
                kLabel);
    program.add(
        kernels::MoveCenters{
            .sums = sums, .rowsOf = rowsOf, .centers = centers, .counts = placed.counts},
        kLabel);
    // A mean of unit vectors is shorter than 1; mini-batch training divides at the beginning of an
    // iteration.
    if (!m_options.miniBatch && m_options.distance == kernels::CenterDistance::Cosine) {
        program.add(kernels::DivideByLength{.src = centers, .dst = centers}, kLabel);
    }
}

} // namespace cannery::estimators
