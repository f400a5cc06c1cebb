// SPDX-License-Identifier: Apache-2.0
// The operations of a step, in order.
#include "core/plan/device/device_program.h"
#include "core/plan/device/device_sums.h"

#include <cstring>

namespace cannery::plan {

namespace {

/// From the forward pass to the optimizers.
constexpr int kGradientPhases = 5;

double* doublesAt(std::byte* memory)
{
    return reinterpret_cast<double*>(memory);
}

} // namespace

void DeviceProgram::placeMeasure(double* squares)
{
    bool isFirst = true;
    for (std::size_t id = 0; id < m_plan.lowered.graph.variables.size(); ++id) {
        VariableGradient* gradient =
            m_plan.network.gradients().of(static_cast<graph::VariableId>(id));
        if (gradient == nullptr) {
            continue;
        }
        for (const layers::GradientSegment& segment : gradient->segments()) {
            kernels::GradientValues values;
            if (segment.sparse) {
                values.sparse = segment.placed;
            } else {
                values.dense = m_program.at(segment.dense);
            }
            m_program.add(
                kernels::SumOfSquares{.gradient = values, .sum = squares, .addTo = !isFirst},
                m_plan.lowered.graph.variables[id].name);
            isFirst = false;
        }
    }
}

void DeviceProgram::bindInputs()
{
    for (std::size_t index = 0; index < m_plan.lowered.graph.inputs.size(); ++index) {
        const graph::Input& input = m_plan.lowered.graph.inputs[index];
        const graph::ValueKind kind = m_plan.lowered.graph.value(input.value).kind;
        if (kind == graph::ValueKind::Dense) {
            m_plan.network.placement().bind(index,
                                            m_staged.dense(input.block, m_inputs.data()).data, {});
        }
    }
}

/// That is told of each step.
kernels::StepData DeviceProgram::placeNumber(const std::function<std::int64_t()>& number)
{
    const auto write = [number](std::int64_t, std::byte* destination) {
        const std::int64_t value = number();
        std::memcpy(destination, &value, sizeof(value));
    };
    return m_program.perStep(sizeof(std::int64_t), write);
}

/// `rows`: of a table, if the program has one.
PlacedSequences DeviceProgram::placeSequences(std::byte* batch, const kernels::StepData& rows)
{
    if (m_staged.shape().longest == 0) {
        return {};
    }
    m_stepCount = placeNumber([this] { return m_stepsOfGroup; });
    const kernels::StepData inUse =
        placeNumber([this] { return m_staged.shape().rows * m_longest; });
    return gathers() ? m_table->placeSequences(m_program, m_staged, rows, inUse)
                     : m_staged.placeSequences(m_program, m_staged, batch, {}, inUse);
}

void DeviceProgram::bindPlaced(std::byte* batch, const PlacedSequences& sequences)
{
    const graph::LayerGraph& graph = m_plan.lowered.graph;
    for (std::size_t index = 0; index < graph.inputs.size(); ++index) {
        const graph::Input& input = graph.inputs[index];
        const graph::Value& value = graph.value(input.value);
        const auto block = static_cast<std::size_t>(input.block);
        if (value.kind == graph::ValueKind::Sequence) {
            m_plan.network.placement().bind(index, sequences.values[block]);
        } else if (value.kind != graph::ValueKind::Dense) {
            m_plan.network.placement().bind(index, nullptr,
                                            value.isSequence ? sequences.ids[block]
                                                             : m_staged.ids(input.block, batch));
        }
    }
}

/// After the forward pass. Each member's mean over its rows counts alike; one over labelled steps
/// is over those of all members.
heads::PlacedHeadBatch DeviceProgram::headBatch(std::byte* batch,
                                                const PlacedSequences& sequences) const
{
    const graph::ValueId logits = m_plan.lowered.graph.logits;
    const std::int64_t rows = m_staged.shape().rows;
    if (m_staged.shape().stepsAreLabelled) {
        const layers::ValueBuffer& steps = m_plan.network.buffer(logits);
        return {.logits = steps.placedSteps,
                .labels = sequences.labels,
                .weights = sequences.weights,
                .logitsGrad = steps.placedStepGrads,
                .rowCount = m_stepCount};
    }
    return {.logits = m_program.at(m_plan.network.valuesOf(logits, rows)),
            .labels = m_staged.labels(batch),
            .weights = m_staged.weights(batch),
            .logitsGrad = m_program.at(m_plan.network.gradientOf(logits, rows)),
            .parts = static_cast<double>(m_plan.member.size)};
}

layers::Placement DeviceProgram::placement(const PlacedSequences& sequences)
{
    const kernels::GroupRank member = m_plan.member;
    return {.program = m_program,
            .rows = m_staged.shape().rows,
            .mode = m_kind.evaluates ? layers::Mode::Evaluate : layers::Mode::Train,
            .seed = m_plan.seed,
            .precision = m_plan.precision,
            .firstRow = static_cast<std::uint64_t>(member.rank * m_plan.batchRows),
            .shards = member.size,
            .across = m_plan.isAcross ? member : kernels::GroupRank{},
            .steps = sequences.steps};
}

Result<void> DeviceProgram::placeEvaluation(std::byte* device, const PlacedSequences& sequences)
{
    CANNERY_TRY(m_plan.network.placement().placeForward(placement(sequences)));
    const auto* const cursor = reinterpret_cast<const std::int64_t*>(device + m_layout.cursor);
    const graph::ValueId id = m_plan.lowered.graph.logits;
    const BatchShape& shape = m_staged.shape();
    const kernels::ConstMatrixView logits =
        shape.stepsAreLabelled ? m_plan.network.buffer(id).placedSteps
                               : m_program.at(m_plan.network.valuesOf(id, shape.rows));
    m_program.add(kernels::KeepValues{.src = logits,
                                      .step = {.cursor = cursor},
                                      .dst = reinterpret_cast<float*>(device + m_layout.kept)});
    endPhase();
    return {};
}

Result<void> DeviceProgram::placeTraining(std::byte* device, std::byte* batch,
                                          const PlacedSequences& sequences)
{
    const layers::Placement placed = placement(sequences);
    CANNERY_TRY(m_plan.network.placement().placeForward(placed));
    endPhase();
    double* const results = doublesAt(device + m_layout.results);
    heads::PlacedHeadBatch forHead = headBatch(batch, sequences);
    forHead.loss = results;
    CANNERY_TRY(m_plan.head.placeLoss(m_program, forHead));
    endPhase();
    CANNERY_TRY(m_plan.network.placement().placeBackward(placed));
    endPhase();
    placeSums(m_program, m_plan.network, m_plan.lowered.graph, m_plan.member, m_plan.packSizes);
    endPhase();
    if (m_kind.measures) {
        placeMeasure(results + m_plan.head.lossCount());
    }
    placeKeeping(device);
    if (m_kind.updates) {
        m_plan.network.placement().placeStatistics(placed);
        for (const auto& optimizer : m_plan.optimizers) {
            optimizer->place(m_program, m_plan.leads);
        }
    }
    endPhase();
    return {};
}

/// All of it is one phase, after those of a training that it has not.
Result<void> DeviceProgram::placeOwnStep(std::byte* device, const PlacedSequences& sequences)
{
    for (int phase = 0; phase < kGradientPhases; ++phase) {
        endPhase();
    }
    const layers::Placement placed = placement(sequences);
    CANNERY_TRY(m_plan.ownStep->place({.placed = placed,
                                       .variables = m_plan.variables,
                                       .network = m_plan.network,
                                       .loss = doublesAt(device + m_layout.results)}));
    placeKeeping(device);
    return {};
}

void DeviceProgram::placeKeeping(std::byte* device)
{
    const auto* const cursor = reinterpret_cast<const std::int64_t*>(device + m_layout.cursor);
    const std::int64_t count = m_plan.head.lossCount() + (m_kind.measures ? 1 : 0);
    for (std::int64_t result = 0; result < count; ++result) {
        m_program.add(
            kernels::KeepLoss{.src = doublesAt(device + m_layout.results) + result,
                              .step = {.cursor = cursor},
                              .dst = doublesAt(device + m_layout.kept) + result * m_most});
    }
}

Result<void> DeviceProgram::place(std::byte* device, std::int64_t side)
{
    auto* const cursor = reinterpret_cast<std::int64_t*>(device + m_layout.cursor);
    std::byte* const batch = device + batchOffset(side);
    m_ends.clear();
    m_program.begin(device + m_layout.scratch, device + m_layout.slots + side * m_layout.slotBytes,
                    gathers() ? m_layout.slotBytes : 0, cursor);
    for (const DeviceMirror& mirror : m_plan.mirrors) {
        m_program.mirror(mirror.host, mirror.bytes, mirror.device);
    }
    m_program.add(kernels::AdvanceStep{.cursor = cursor, .count = m_most});
    kernels::StepData rows;
    if (gathers()) {
        const auto write = [this](std::int64_t, std::byte* destination) {
            std::memcpy(destination, m_rows.data(), m_rows.size_bytes());
        };
        rows = m_program.perStep(m_staged.shape().rows * std::int64_t{sizeof(std::int64_t)}, write);
        m_table->placeGather(m_program, m_staged, rows, batch);
    }
    const PlacedSequences sequences = placeSequences(batch, rows);
    m_lengths = sequences.steps.lengths;
    endPhase();
    m_program.mirror(m_inputs.data(), m_staged.bytes(), batch);
    bindInputs();
    bindPlaced(batch, sequences);
    if (m_kind.evaluates) {
        return placeEvaluation(device, sequences);
    }
    return m_plan.ownStep != nullptr ? placeOwnStep(device, sequences)
                                     : placeTraining(device, batch, sequences);
}

} // namespace cannery::plan
