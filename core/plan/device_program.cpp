// SPDX-License-Identifier: Apache-2.0
#include "core/plan/device_program.h"

#include <array>
#include <cmath>
#include <cstring>

namespace cannery::plan {

namespace {

constexpr std::int64_t kPlaceAlignment = 256;
/// The cursor of step blocks, at the beginning.
constexpr std::int64_t kCursorBytes = kPlaceAlignment;
constexpr std::array kPhases{TracePhase::Input, TracePhase::Forward, TracePhase::Loss,
                             TracePhase::Backward, TracePhase::Optimizer};

std::int64_t aligned(std::int64_t bytes)
{
    return (bytes + kPlaceAlignment - 1) / kPlaceAlignment * kPlaceAlignment;
}

/// Not the address of anything: a plan is made before there is memory.
std::byte* noAddress()
{
    return reinterpret_cast<std::byte*>(kPlaceAlignment);
}

} // namespace

DeviceProgram::DeviceProgram(const DevicePlan& plan, const BatchShape& shape, DeviceStepKind kind)
    : m_plan(plan), m_kind(kind), m_staged(plan.lowered.graph, plan.head, shape)
{}

std::int64_t DeviceProgram::batchOffset(std::int64_t stepBytes) const
{
    return kCursorBytes + aligned(stepBytes);
}

std::int64_t DeviceProgram::resultsOffset(std::int64_t stepBytes) const
{
    return batchOffset(stepBytes) + aligned(m_staged.bytes());
}

/// Losses, then the sum of squares of the gradients.
std::int64_t DeviceProgram::resultCount() const
{
    return m_plan.head.lossCount() + 1;
}

std::int64_t DeviceProgram::scratchOffset(std::int64_t stepBytes) const
{
    return resultsOffset(stepBytes) + aligned(resultCount() * std::int64_t{sizeof(double)});
}

std::int64_t DeviceProgram::totalBytes() const
{
    return scratchOffset(m_program.stepBytes()) + m_program.scratchBytes();
}

void DeviceProgram::placeMeasure(double* squares)
{
    bool isFirst = true;
    for (std::size_t id = 0; id < m_plan.lowered.graph.variables.size(); ++id) {
        VariableGradient* gradient = m_plan.network.gradient(static_cast<graph::VariableId>(id));
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

Result<void> DeviceProgram::placePasses(const Places& places)
{
    const graph::LayerGraph& graph = m_plan.lowered.graph;
    std::byte* const batch = places.device + batchOffset(places.stepBytes);
    m_program.mirror(places.staged, m_staged.bytes(), batch);
    for (std::size_t index = 0; index < graph.inputs.size(); ++index) {
        const graph::Input& input = graph.inputs[index];
        if (graph.value(input.value).kind == graph::ValueKind::Dense) {
            m_plan.network.bindPlaced(index, m_staged.dense(input.block, places.staged), {});
        } else if (graph.value(input.value).kind != graph::ValueKind::Sequence) {
            m_plan.network.bindPlaced(index, nullptr, m_staged.ids(input.block, batch));
        }
    }
    const std::int64_t rows = m_staged.shape().rows;
    const layers::Placement placement{
        .program = m_program, .rows = rows, .seed = m_plan.seed, .precision = m_plan.precision};
    const auto endPhase = [this] { m_ends.push_back(m_program.operations().size()); };
    CANNERY_TRY(m_plan.network.placeForward(placement));
    endPhase();
    auto* const results =
        reinterpret_cast<double*>(places.device + resultsOffset(places.stepBytes));
    CANNERY_TRY(m_plan.head.placeLoss(
        m_program, {.logits = m_program.at(m_plan.network.valuesOf(graph.logits, rows)),
                    .labels = m_staged.labels(batch),
                    .weights = m_staged.weights(batch),
                    .logitsGrad = m_program.at(m_plan.network.gradientOf(graph.logits, rows)),
                    .loss = results}));
    endPhase();
    CANNERY_TRY(m_plan.network.placeBackward(placement));
    if (m_kind.measures) {
        placeMeasure(results + m_plan.head.lossCount());
    }
    endPhase();
    if (m_kind.updates) {
        m_plan.network.placeStatistics(placement);
        for (const auto& optimizer : m_plan.optimizers) {
            optimizer->place(m_program);
        }
    }
    endPhase();
    return {};
}

Result<void> DeviceProgram::place(const Places& places)
{
    auto* const cursor = reinterpret_cast<std::int64_t*>(places.device);
    m_ends.clear();
    m_program.begin(places.device + scratchOffset(places.stepBytes), places.device + kCursorBytes,
                    places.stepBytes, cursor);
    for (const DeviceMirror& mirror : m_plan.mirrors) {
        m_program.mirror(mirror.host, mirror.bytes, mirror.device);
    }
    m_program.add(kernels::AdvanceStep{.cursor = cursor, .count = 1});
    m_ends.push_back(m_program.operations().size());
    return placePasses(places);
}

Result<std::int64_t> DeviceProgram::bytesOf(const DevicePlan& plan, const BatchShape& shape)
{
    DeviceProgram program(plan, shape, {.measures = true});
    CANNERY_TRY(program.place({.device = noAddress(), .staged = noAddress()}));
    return program.totalBytes();
}

Result<std::unique_ptr<DeviceProgram>> DeviceProgram::create(kernels::Accelerator& accelerator,
                                                             const DevicePlan& plan,
                                                             const BatchShape& shape,
                                                             DeviceStepKind kind)
{
    auto program = std::unique_ptr<DeviceProgram>(new DeviceProgram(plan, shape, kind));
    program->m_accelerator = &accelerator;
    CANNERY_TRY(program->place({.device = noAddress(), .staged = noAddress()}));
    const std::int64_t stepBytes = aligned(program->m_program.stepBytes());
    CANNERY_TRY_ASSIGN(program->m_memory, accelerator.allocate(program->scratchOffset(stepBytes) +
                                                               program->m_program.scratchBytes()));
    CANNERY_TRY_ASSIGN(program->m_pinned,
                       accelerator.allocatePinned(program->scratchOffset(stepBytes)));
    CANNERY_TRY(
        program->place({.device = program->m_memory->data(),
                        .staged = program->m_pinned->data() + program->batchOffset(stepBytes),
                        .stepBytes = stepBytes}));
    CANNERY_TRY_ASSIGN(program->m_graph, accelerator.prepare(program->m_program.operations()));
    program->findSparsePlaces();
    program->m_losses.resize(static_cast<std::size_t>(plan.head.lossCount()));
    return program;
}

void DeviceProgram::findSparsePlaces()
{
    for (std::size_t id = 0; id < m_plan.lowered.graph.variables.size(); ++id) {
        VariableGradient* gradient = m_plan.network.gradient(static_cast<graph::VariableId>(id));
        if (gradient == nullptr) {
            continue;
        }
        for (layers::GradientSegment& segment : gradient->segments()) {
            if (segment.sparse) {
                m_sparse.push_back({&segment, segment.placed});
            }
        }
    }
}

Result<void> DeviceProgram::run(const features::EncodedRows& batch,
                                std::span<const float> rowWeights, std::int64_t globalStep,
                                StepTrace* trace)
{
    const std::int64_t stepBytes = aligned(m_program.stepBytes());
    std::byte* const pinned = m_pinned->data();
    std::memset(pinned, 0, kCursorBytes);
    m_program.writeStep(globalStep, pinned + kCursorBytes);
    m_staged.write(batch, rowWeights, pinned + batchOffset(stepBytes));
    m_accelerator->upload(kernels::Queue::Copy, m_memory->data(), pinned, resultsOffset(stepBytes));
    m_accelerator->wait(kernels::Queue::Compute, m_accelerator->mark(kernels::Queue::Copy));
    CANNERY_TRY(launch(trace));
    auto* const results = reinterpret_cast<double*>(pinned + resultsOffset(stepBytes));
    m_accelerator->download(kernels::Queue::Compute, results,
                            m_memory->data() + resultsOffset(stepBytes),
                            resultCount() * std::int64_t{sizeof(double)});
    CANNERY_TRY(m_accelerator->synchronize());
    std::copy_n(results, m_losses.size(), m_losses.begin());
    m_gradientNorm.reset();
    if (m_kind.measures) {
        m_gradientNorm = std::sqrt(results[m_losses.size()]);
    }
    return {};
}

Result<void> DeviceProgram::launch(StepTrace* trace)
{
    if (trace == nullptr) {
        m_accelerator->launch(*m_graph);
        return {};
    }
    std::int64_t begin = StepTrace::now();
    CANNERY_TRY_ASSIGN(const auto times, m_accelerator->launchTimed(*m_graph));
    std::size_t phase = 0;
    for (const kernels::OperationTime& time : times) {
        while (phase + 1 < kPhases.size() && time.operation >= m_ends[phase]) {
            ++phase;
        }
        trace->add(kPhases[phase], m_program.labels()[time.operation],
                   kernels::nameOf(m_program.operations()[time.operation]), begin,
                   time.nanoseconds);
        begin += time.nanoseconds;
    }
    return {};
}

Result<void> DeviceProgram::bringSparseGradients()
{
    std::vector<std::int64_t> counts(m_sparse.size());
    for (std::size_t index = 0; index < m_sparse.size(); ++index) {
        m_accelerator->download(kernels::Queue::Compute, &counts[index],
                                reinterpret_cast<const std::byte*>(m_sparse[index].placed.count),
                                sizeof(std::int64_t));
    }
    CANNERY_TRY(m_accelerator->synchronize());
    for (std::size_t index = 0; index < m_sparse.size(); ++index) {
        const kernels::DeviceSparse& placed = m_sparse[index].placed;
        kernels::SparseGradient& gradient = m_sparse[index].segment->rows;
        gradient.clear(counts[index], placed.cols);
        gradient.rows.resize(static_cast<std::size_t>(counts[index]));
        m_accelerator->download(kernels::Queue::Compute, gradient.rows.data(),
                                reinterpret_cast<const std::byte*>(placed.rows),
                                counts[index] * std::int64_t{sizeof(std::int32_t)});
        m_accelerator->download(kernels::Queue::Compute, gradient.values.data(),
                                reinterpret_cast<const std::byte*>(placed.values),
                                counts[index] * placed.cols * std::int64_t{sizeof(float)});
    }
    return m_accelerator->synchronize();
}

} // namespace cannery::plan
