// SPDX-License-Identifier: Apache-2.0
#include "core/plan/device/device_program.h"

#include "core/base/check.h"
#include "core/plan/device/device_memory.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

namespace cannery::plan {

namespace {

/// The cursor of step blocks.
constexpr std::int64_t kCursorBytes = kDeviceAlignment;
/// For what waits on the host for queued steps: numbers to go up, results that have come down.
constexpr std::int64_t kMostPinnedBytes = std::int64_t{32} << 20;
constexpr std::array kPhases{TracePhase::Input,    TracePhase::Forward,  TracePhase::Loss,
                             TracePhase::Backward, TracePhase::Exchange, TracePhase::Optimizer,
                             TracePhase::Step};

} // namespace

DeviceProgram::DeviceProgram(const DevicePlan& plan, const BatchShape& shape, DeviceStepKind kind,
                             const DeviceTable* table)
    : m_plan(plan), m_kind(kind), m_table(table),
      m_staged(plan.lowered.graph, kind.evaluates ? 0 : plan.head.labelWidth(), shape),
      m_inputs(static_cast<std::size_t>(m_staged.bytes()))
{}

/// Losses, then the sum of squares of the gradients.
std::int64_t DeviceProgram::resultBytes() const
{
    return (m_plan.head.lossCount() + 1) * std::int64_t{sizeof(double)};
}

std::int64_t DeviceProgram::logitsRows() const
{
    return shape().rows * (shape().stepsAreLabelled ? shape().longest : 1);
}

std::int64_t DeviceProgram::logitsCount() const
{
    return logitsRows() * m_plan.head.logitsWidth();
}

/// Of one step.
std::int64_t DeviceProgram::keptBytes() const
{
    return m_kind.evaluates ? logitsCount() * std::int64_t{sizeof(float)} : resultBytes();
}

/// With what the program has been found to need.
void DeviceProgram::layOut()
{
    Layout layout{.stepBytes = deviceAligned(m_program.stepBytes())};
    layout.slotBytes = layout.stepBytes + (gathers() ? 0 : m_staged.bytes());
    const std::int64_t ofStep = keptBytes() + (gathers() ? layout.slotBytes : 0);
    m_most = std::clamp(kMostPinnedBytes / ofStep, kSides, kMostSteps);
    layout.results = layout.kept + deviceAligned(m_most * keptBytes());
    layout.cursor = layout.results + deviceAligned(resultBytes());
    layout.slots = layout.cursor + kCursorBytes;
    layout.batch = layout.slots + (gathers() ? m_most : kSides) * layout.slotBytes;
    layout.scratch = layout.batch + (gathers() ? m_staged.bytes() : 0);
    layout.roomBytes = kCursorBytes + (gathers() ? m_most : 1) * layout.slotBytes;
    layout.keptThere = (gathers() ? 1 : kRooms) * layout.roomBytes;
    m_layout = layout;
}

std::int64_t DeviceProgram::batchOffset(std::int64_t side) const
{
    return gathers() ? m_layout.batch
                     : m_layout.slots + side * m_layout.slotBytes + m_layout.stepBytes;
}

Result<std::int64_t> DeviceProgram::bytesOf(const DevicePlan& plan, const BatchShape& shape,
                                            DeviceStepKind kind)
{
    DeviceProgram program(plan, shape, kind, nullptr);
    CANNERY_TRY(program.place(noAddress(), 0));
    program.layOut();
    return program.m_layout.scratch + program.m_program.scratchBytes();
}

Result<std::unique_ptr<DeviceProgram>>
DeviceProgram::create(kernels::Accelerator& accelerator, const DevicePlan& plan,
                      const BatchShape& shape, DeviceStepKind kind, const DeviceTable* table)
{
    auto program = std::unique_ptr<DeviceProgram>(new DeviceProgram(plan, shape, kind, table));
    program->m_accelerator = &accelerator;
    CANNERY_TRY(program->place(noAddress(), 0));
    program->layOut();
    const Layout& layout = program->m_layout;
    CANNERY_TRY_ASSIGN(program->m_memory,
                       accelerator.allocate(layout.scratch + program->m_program.scratchBytes()));
    CANNERY_TRY_ASSIGN(program->m_pinned,
                       accelerator.allocatePinned(layout.keptThere + layout.results));
    return program;
}

bool DeviceProgram::isPrepared() const
{
    return m_graphs[static_cast<std::size_t>(nextSide())] != nullptr;
}

Result<void> DeviceProgram::placeNext()
{
    CANNERY_TRY(place(m_memory->data(), nextSide()));
    findSparsePlaces();
    return {};
}

Result<void> DeviceProgram::prepareNext()
{
    CANNERY_TRY_ASSIGN(m_graphs[static_cast<std::size_t>(nextSide())],
                       m_accelerator->prepare(m_program.operations()));
    return {};
}

void DeviceProgram::findSparsePlaces()
{
    m_sparse.clear();
    for (std::size_t id = 0; id < m_plan.lowered.graph.variables.size(); ++id) {
        VariableGradient* gradient =
            m_plan.network.gradients().of(static_cast<graph::VariableId>(id));
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

/// What goes up of a step, on the host.
std::byte* DeviceProgram::slot(std::int64_t step) const
{
    return m_pinned->data() + kCursorBytes +
           (gathers() ? step * m_layout.slotBytes : step % kRooms * m_layout.roomBytes);
}

std::byte* DeviceProgram::broughtDown() const
{
    return m_pinned->data() + m_layout.keptThere;
}

/// The numbers of the next step. The first one of a launch follows the cursor's last place.
std::byte* DeviceProgram::beginSlot(const BatchShape& actual, std::int64_t globalStep)
{
    CANNERY_CHECK(!isFull());
    m_longest = actual.longest;
    m_steps = actual.steps;
    m_stepsOfGroup = actual.stepsOfGroup;
    std::byte* const numbers = slot(m_queued);
    if (m_queued == 0) {
        *reinterpret_cast<std::int64_t*>(numbers - kCursorBytes) = m_most - 1;
    }
    m_program.writeStep(globalStep, numbers);
    return numbers;
}

Result<void> DeviceProgram::waitForRoom()
{
    return m_queued < kRooms
               ? Result<void>()
               : m_accelerator->wait(m_sent[static_cast<std::size_t>(m_queued % kRooms)]);
}

features::BatchPlaces DeviceProgram::places() const
{
    features::BatchPlaces places = m_staged.places(room());
    for (features::BatchPlaces::Ids& ids : places.ids) {
        if (m_hasPlaced[static_cast<std::size_t>(nextSide())]) {
            ids.rowOffsets = nullptr;
        }
    }
    return places;
}

void DeviceProgram::queueBatch(const BatchShape& actual, std::int64_t globalStep)
{
    using kernels::Queue;
    const std::int64_t side = nextSide();
    std::byte* const numbers = beginSlot(actual, globalStep);
    if (m_queued > 0) {
        m_done[static_cast<std::size_t>((m_queued - 1) % kSides)] =
            m_accelerator->mark(Queue::Compute);
    }
    // The copy must not overtake the step that still reads this side.
    if (m_queued >= kSides) {
        m_accelerator->wait(Queue::Copy, m_done[static_cast<std::size_t>(side)]);
    }
    bool& hasPlaced = m_hasPlaced[static_cast<std::size_t>(side)];
    const std::int64_t bytes =
        m_layout.stepBytes +
        (actual.isPlaced && hasPlaced ? m_staged.bytesOfPlaced() : m_staged.bytes());
    hasPlaced = actual.isPlaced;
    const std::int64_t ahead = m_queued == 0 ? kCursorBytes : 0;
    m_accelerator->upload(Queue::Copy,
                          m_memory->data() + m_layout.slots + side * m_layout.slotBytes - ahead,
                          numbers - ahead, ahead + bytes);
    const kernels::QueueMark isUp = m_accelerator->mark(Queue::Copy);
    m_accelerator->wait(Queue::Compute, isUp);
    m_sent[static_cast<std::size_t>(m_queued % kRooms)] = isUp;
    ++m_queued;
}

Result<void> DeviceProgram::launch()
{
    return launch((m_queued - 1) % kSides);
}

void DeviceProgram::queueRows(std::span<const std::int64_t> rows, const BatchShape& actual,
                              std::int64_t globalStep)
{
    m_rows = rows;
    beginSlot(actual, globalStep);
    ++m_queued;
}

/// With a table.
Result<void> DeviceProgram::launchAll()
{
    m_accelerator->upload(kernels::Queue::Copy, m_memory->data() + m_layout.cursor,
                          m_pinned->data(), kCursorBytes + m_finished * m_layout.slotBytes);
    m_accelerator->wait(kernels::Queue::Compute, m_accelerator->mark(kernels::Queue::Copy));
    for (std::int64_t step = 0; step < m_finished; ++step) {
        CANNERY_TRY(launch(0));
    }
    return {};
}

Result<void> DeviceProgram::finish()
{
    m_finished = std::exchange(m_queued, 0);
    if (gathers()) {
        CANNERY_TRY(launchAll());
    }
    m_accelerator->download(kernels::Queue::Compute, broughtDown(),
                            m_memory->data() + m_layout.kept,
                            m_kind.evaluates ? m_finished * keptBytes() : m_layout.results);
    CANNERY_TRY(m_accelerator->synchronize());
    if (!m_kind.evaluates) {
        takeResults();
    }
    return {};
}

void DeviceProgram::takeResults()
{
    const auto* const kept = reinterpret_cast<const double*>(broughtDown());
    const std::int64_t losses = m_plan.head.lossCount();
    m_losses.clear();
    for (std::int64_t step = 0; step < m_finished; ++step) {
        for (std::int64_t loss = 0; loss < losses; ++loss) {
            m_losses.push_back(kept[loss * m_most + step]);
        }
    }
    m_gradientNorm.reset();
    if (m_kind.measures) {
        m_gradientNorm = std::sqrt(kept[losses * m_most + m_finished - 1]);
    }
}

std::span<const double> DeviceProgram::lossesOf(std::int64_t step) const
{
    const auto count = static_cast<std::size_t>(m_plan.head.lossCount());
    return std::span(m_losses).subspan(static_cast<std::size_t>(step) * count, count);
}

kernels::ConstMatrixView DeviceProgram::logitsOf(std::int64_t step) const
{
    const auto* const kept = reinterpret_cast<const float*>(broughtDown());
    const std::int64_t width = m_plan.head.logitsWidth();
    return {kept + step * logitsCount(), logitsRows(), width, width};
}

Result<void> DeviceProgram::launch(std::int64_t side)
{
    kernels::AcceleratorGraph& graph = *m_graphs[static_cast<std::size_t>(side)];
    if (m_trace == nullptr) {
        m_accelerator->launch(graph);
        return {};
    }
    std::int64_t begin = StepTrace::now();
    CANNERY_TRY_ASSIGN(const auto times, m_accelerator->launchTimed(graph));
    if (!m_plan.leads) {
        return {}; // it has waited for the one that is traced
    }
    std::size_t phase = 0;
    for (const kernels::OperationTime& time : times) {
        while (phase + 1 < kPhases.size() && time.operation >= m_ends[phase]) {
            ++phase;
        }
        m_trace->add(kPhases[phase], m_program.labels()[time.operation],
                     kernels::nameOf(m_program.operations()[time.operation]), begin,
                     time.nanoseconds);
        begin += time.nanoseconds;
    }
    return {};
}

Result<bool> DeviceProgram::bring(const void* host, std::int64_t bytes)
{
    const auto* const at = static_cast<const std::byte*>(host);
    if (std::less<>()(at, m_inputs.data()) ||
        !std::less<>()(at, m_inputs.data() + m_inputs.size())) {
        return false;
    }
    const std::int64_t offset = at - m_inputs.data();
    const std::int64_t side = std::max<std::int64_t>(0, m_finished - 1) % kSides;
    m_accelerator->download(kernels::Queue::Compute, m_inputs.data() + offset,
                            m_memory->data() + batchOffset(side) + offset, bytes);
    CANNERY_TRY(m_accelerator->synchronize());
    return true;
}

Result<std::span<const std::int64_t>> DeviceProgram::bringStepOffsets()
{
    m_stepOffsets.assign(static_cast<std::size_t>(m_staged.shape().rows) + 1, 0);
    const auto lengths = std::span(m_stepOffsets).subspan(1);
    m_accelerator->download(kernels::Queue::Compute, lengths.data(),
                            reinterpret_cast<const std::byte*>(m_lengths),
                            static_cast<std::int64_t>(lengths.size_bytes()));
    CANNERY_TRY(m_accelerator->synchronize());
    std::partial_sum(lengths.begin(), lengths.end(), lengths.begin());
    return m_stepOffsets;
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
