// SPDX-License-Identifier: Apache-2.0
#include "core/plan/device_step.h"

#include "kernels/accelerator/errors.h"

#include <algorithm>
#include <utility>

namespace cannery::plan {

namespace {

/// Shapes: the full batch and the last one of an epoch, each with and without measuring; the ids of
/// a batch may need more room than those before.
constexpr std::size_t kMostPrograms = 6;
/// Of sequences, for several numbers of steps, see roundedSteps(). All programs for fewer steps
/// take little memory beside the largest one.
constexpr std::size_t kMostProgramsOfSequences = 12;
/// Full and last batches, with and without measuring: the table leaves room for them.
constexpr std::int64_t kProgramsBesideTable = 4;

DeviceMirror mirrorOf(std::span<float> memory)
{
    return {.host = reinterpret_cast<std::byte*>(memory.data()),
            .bytes = static_cast<std::int64_t>(memory.size_bytes())};
}

std::int64_t endOf(std::span<const DeviceMirror> mirrors)
{
    std::int64_t bytes = 0;
    for (const DeviceMirror& mirror : mirrors) {
        bytes += deviceAligned(mirror.bytes);
    }
    return bytes;
}

/// Whether what is missing is the accelerator's memory.
template <typename T>
bool isShort(const Result<T>& result)
{
    return !result && result.error().id == kernels::kGpuMemory.id;
}

/// A program that both shapes fit into.
BatchShape widened(BatchShape shape, const BatchShape& other)
{
    for (std::size_t block = 0; block < shape.ids.size(); ++block) {
        shape.ids[block].capacity = std::max(shape.ids[block].capacity, other.ids[block].capacity);
        shape.ids[block].weighted = shape.ids[block].weighted || other.ids[block].weighted;
    }
    for (std::size_t block = 0; block < shape.sequences.size(); ++block) {
        shape.sequences[block] = std::max(shape.sequences[block], other.sequences[block]);
    }
    shape.labels = std::max(shape.labels, other.labels);
    return shape;
}

} // namespace

DeviceStep::DeviceStep(kernels::Accelerator& accelerator, const Parts& parts)
    : m_accelerator(accelerator), m_classWeights(parts.classWeights),
      m_variables(parts.variables), m_plan{.lowered = parts.lowered,
                                           .network = parts.network,
                                           .head = parts.head,
                                           .optimizers = parts.optimizers,
                                           .seed = parts.seed,
                                           .precision = parts.precision,
                                           .mirrors = {}}
{}

Result<std::unique_ptr<DeviceStep>> DeviceStep::create(kernels::Accelerator& accelerator,
                                                       const Parts& parts)
{
    auto step = std::unique_ptr<DeviceStep>(new DeviceStep(accelerator, parts));
    CANNERY_TRY(step->layOut());
    return step;
}

/// Variables and slots; an optimizer may have none.
std::vector<DeviceMirror> DeviceStep::stateMirrors() const
{
    std::vector<DeviceMirror> mirrors{mirrorOf(m_variables.memory())};
    for (const auto& optimizer : m_plan.optimizers) {
        mirrors.push_back(mirrorOf(optimizer->slotMemory()));
    }
    std::erase_if(mirrors, [](const DeviceMirror& mirror) { return mirror.bytes == 0; });
    return mirrors;
}

std::vector<DeviceMirror> DeviceStep::mirrorsAt(std::byte* memory) const
{
    std::vector<DeviceMirror> mirrors = stateMirrors();
    mirrors.push_back(mirrorOf(m_plan.network.denseParts()));
    mirrors.push_back(mirrorOf(m_plan.network.valueMemory()));
    for (std::size_t index = 0; index < mirrors.size(); ++index) {
        mirrors[index].device = memory + endOf(std::span(mirrors).first(index));
    }
    return mirrors;
}

/// Plans with addresses of nothing first: what does not fit is not begun.
Result<void> DeviceStep::layOut()
{
    m_plan.mirrors = mirrorsAt(noAddress());
    m_stateMirrors = stateMirrors().size();
    const std::int64_t rows = m_plan.network.maxRows();
    CANNERY_TRY_ASSIGN(const std::int64_t ofProgram,
                       DeviceProgram::bytesOf(
                           m_plan, expectedShape(m_plan.lowered.graph, rows, rowWeightWidth())));
    const std::span<const DeviceMirror> mirrors = m_plan.mirrors;
    const std::int64_t all = endOf(mirrors);
    const std::int64_t fixed = endOf(mirrors.first(mirrors.size() - 1));
    CANNERY_TRY(
        checkDeviceMemory({.fixed = fixed, .ofBatch = all - fixed + ofProgram, .rows = rows},
                          freeBytes() + tableBytes(), m_accelerator.facts().memoryBytes));
    m_programBytes = ofProgram;
    if (all + ofProgram > freeBytes()) {
        dropTable();
    }
    CANNERY_TRY_ASSIGN(m_memory, m_accelerator.allocate(all));
    m_plan.mirrors = mirrorsAt(m_memory->data());
    return {};
}

std::int64_t DeviceStep::freeBytes()
{
    return std::max<std::int64_t>(0, m_accelerator.facts().memoryBytes -
                                         m_accelerator.use().usedBytes);
}

Result<void> DeviceStep::setTable(const features::EncodedDataset& rows, RunBlocks runBlocks)
{
    dropTable();
    m_rows = &rows;
    m_runBlocks = std::move(runBlocks);
    CANNERY_TRY(measureSequences());
    auto table = DeviceTable::create(
        m_accelerator,
        {.graph = m_plan.lowered.graph,
         .head = m_plan.head,
         .rows = rows,
         .weightWidth = rowWeightWidth(),
         .weightsOf = [this](const features::EncodedRows& part) { return rowWeights(part); }},
        freeBytes() - kProgramsBesideTable * m_programBytes);
    if (isShort(table)) {
        return {};
    }
    CANNERY_TRY_ASSIGN(m_table, std::move(table));
    return {};
}

/// A batch that has the longest of all rows must fit, too.
Result<void> DeviceStep::measureSequences()
{
    const graph::LayerGraph& graph = m_plan.lowered.graph;
    BatchShape shape = expectedShape(graph, m_plan.network.maxRows(), rowWeightWidth());
    if (shape.longest == 0) {
        return {};
    }
    CANNERY_TRY_ASSIGN(const std::int64_t longest, DeviceTable::longestRow(graph, *m_rows));
    shape.longest = roundedSteps(std::max<std::int64_t>(1, longest));
    CANNERY_TRY_ASSIGN(m_programBytes, DeviceProgram::bytesOf(m_plan, shape));
    return checkMemoryFor(shape);
}

void DeviceStep::dropTable()
{
    std::erase_if(m_programs, [](const auto& program) { return program->gathers(); });
    m_last = nullptr;
    m_table.reset();
}

void DeviceStep::forgetLayout()
{
    static_cast<void>(wait()); // errors are kept
    static_cast<void>(bringState());
    m_programs.clear();
    m_last = nullptr;
    m_memory.reset();
    m_hasGradients = false;
    m_hasValues = false;
    m_hostMayDiffer = true;
}

std::int64_t DeviceStep::rowWeightWidth() const
{
    return m_classWeights.empty() ? m_plan.head.weightWidth() : 1;
}

std::span<const float> DeviceStep::rowWeights(const features::EncodedRows& batch)
{
    if (m_classWeights.empty()) {
        return batch.weights;
    }
    weighByClass(batch, m_classWeights, m_rowWeights);
    return m_rowWeights;
}

Result<DeviceProgram*> DeviceStep::programFor(const BatchShape& actual, DeviceStepKind kind,
                                              bool gathers)
{
    const auto isKind = [&](const std::unique_ptr<DeviceProgram>& program) {
        return program->kind() == kind && program->gathers() == gathers;
    };
    const auto known = std::ranges::find_if(m_programs, [&](const auto& program) {
        return isKind(program) && program->shape().holds(actual);
    });
    if (known != m_programs.end()) {
        std::rotate(m_programs.begin(), known, known + 1);
        return m_programs.front().get();
    }
    CANNERY_TRY(wait());
    BatchShape shape = withRoom(actual);
    const auto outgrown = std::ranges::find_if(m_programs, [&](const auto& program) {
        return isKind(program) && program->shape().rows == shape.rows &&
               program->shape().longest == shape.longest;
    });
    if (outgrown != m_programs.end()) {
        shape = widened(shape, (*outgrown)->shape());
        m_programs.erase(outgrown);
    } else if (m_programs.size() ==
               (shape.longest > 0 ? kMostProgramsOfSequences : kMostPrograms)) {
        m_programs.pop_back();
    }
    m_last = nullptr;
    const auto make = [&] {
        return DeviceProgram::create(m_accelerator, m_plan, shape, kind,
                                     gathers ? m_table.get() : nullptr);
    };
    auto program = make();
    if (isShort(program) && !gathers && !m_programs.empty()) {
        m_programs.clear(); // there was memory for one
        program = make();
    }
    if (isShort(program)) {
        CANNERY_TRY(checkMemoryFor(shape));
    }
    CANNERY_TRY_ASSIGN(auto made, std::move(program));
    m_programs.insert(m_programs.begin(), std::move(made));
    return m_programs.front().get();
}

/// Says what a program lacks beside the memory that is in use.
Result<void> DeviceStep::checkMemoryFor(const BatchShape& shape)
{
    BatchShape ofOneRow = shape;
    ofOneRow.rows = 1;
    CANNERY_TRY_ASSIGN(const std::int64_t all, DeviceProgram::bytesOf(m_plan, shape));
    CANNERY_TRY_ASSIGN(const std::int64_t fixed, DeviceProgram::bytesOf(m_plan, ofOneRow));
    return checkDeviceMemory({.fixed = fixed, .ofBatch = all - fixed, .rows = shape.rows},
                             freeBytes(), m_accelerator.facts().memoryBytes);
}

void DeviceStep::uploadState()
{
    for (const DeviceMirror& mirror : std::span(m_plan.mirrors).first(m_stateMirrors)) {
        m_accelerator.upload(kernels::Queue::Compute, mirror.device, mirror.host, mirror.bytes);
    }
    m_hostMayDiffer = false;
}

/// The program that has room for a step.
Result<DeviceProgram*> DeviceStep::begin(const BatchShape& shape, const Turn& turn, bool gathers)
{
    CANNERY_TRY_ASSIGN(DeviceProgram * program, programFor(shape, turn.kind, gathers));
    if (program != m_last || program->isFull()) {
        CANNERY_TRY(wait());
    }
    if (program->queued() == 0 && m_hostMayDiffer) {
        uploadState();
    }
    program->trace(turn.trace);
    m_last = program;
    m_hasNewerState = m_hasNewerState || turn.kind.updates;
    m_hasGradients = true;
    m_hasValues = true;
    return program;
}

Result<void> DeviceStep::queue(const features::EncodedRows& batch, const Turn& turn)
{
    if (m_failure) {
        return tl::make_unexpected(*m_failure);
    }
    if (m_memory == nullptr) {
        CANNERY_TRY(layOut());
    }
    const BatchShape shape = shapeOf(m_plan.lowered.graph, batch, rowWeightWidth());
    CANNERY_TRY_ASSIGN(DeviceProgram * program, begin(shape, turn, false));
    return keepFailure(program->queue(batch, rowWeights(batch), shape, turn.globalStep));
}

/// False if the table has been given up.
Result<bool> DeviceStep::queueFromTable(std::span<const std::int64_t> rows, const Turn& turn)
{
    if (m_memory == nullptr) {
        CANNERY_TRY(layOut());
    }
    if (m_table == nullptr) {
        return false;
    }
    const BatchShape& shape = m_table->shapeOf(rows);
    const Result<DeviceProgram*> program = begin(shape, turn, true);
    if (program) {
        (*program)->queue(rows, shape, turn.globalStep);
        return true;
    }
    if (m_failure || !isShort(program)) {
        return tl::make_unexpected(program.error());
    }
    dropTable();
    return false;
}

Result<void> DeviceStep::queue(std::span<const std::int64_t> rows, const Turn& turn)
{
    if (m_failure) {
        return tl::make_unexpected(*m_failure);
    }
    CANNERY_TRY_ASSIGN(const bool isQueued, queueFromTable(rows, turn));
    if (isQueued) {
        return {};
    }
    CANNERY_TRY(m_rows->gather(rows, m_batch, m_runBlocks));
    return queue(m_batch, turn);
}

/// For the steps that are queued.
Result<void> DeviceStep::wait()
{
    if (m_last == nullptr || m_last->queued() == 0) {
        return {};
    }
    CANNERY_TRY(keepFailure(m_last->finish()));
    for (std::int64_t step = 0; step < m_last->finished(); ++step) {
        m_losses.push_back(m_last->lossesOf(step).front());
    }
    m_plan.head.takeLosses(m_last->lossesOf(m_last->finished() - 1));
    return {};
}

Result<std::span<const double>> DeviceStep::finish()
{
    if (m_failure) {
        return tl::make_unexpected(*m_failure);
    }
    CANNERY_TRY(wait());
    m_finishedLosses.swap(m_losses);
    m_losses.clear();
    return m_finishedLosses;
}

std::optional<double> DeviceStep::gradientNorm() const
{
    return m_last == nullptr ? std::nullopt : m_last->gradientNorm();
}

Result<void> DeviceStep::keepFailure(Result<void> outcome)
{
    if (!outcome) {
        m_failure = outcome.error();
        m_losses.clear();
        m_hasNewerState = false; // nobody can tell what is there
        m_hasGradients = false;
        m_hasValues = false;
    }
    return outcome;
}

Result<void> DeviceStep::bringState()
{
    if (!m_hasNewerState) {
        return {};
    }
    for (const DeviceMirror& mirror : std::span(m_plan.mirrors).first(m_stateMirrors)) {
        m_accelerator.download(kernels::Queue::Compute, mirror.host, mirror.device, mirror.bytes);
    }
    CANNERY_TRY(keepFailure(m_accelerator.synchronize()));
    m_hasNewerState = false;
    for (const auto& optimizer : m_plan.optimizers) {
        optimizer->forgetZeros();
    }
    return {};
}

Result<void> DeviceStep::bring(const void* host, std::int64_t bytes)
{
    const auto* const at = static_cast<const std::byte*>(host);
    const auto mirror = std::ranges::find_if(m_plan.mirrors, [&](const DeviceMirror& one) {
        return at >= one.host && at < one.host + one.bytes;
    });
    if (mirror == m_plan.mirrors.end()) {
        const Result<bool> isOfBatch = m_last->bring(host, bytes);
        return isOfBatch ? Result<void>() : keepFailure(tl::make_unexpected(isOfBatch.error()));
    }
    const std::int64_t offset = at - mirror->host;
    m_accelerator.download(kernels::Queue::Compute, mirror->host + offset, mirror->device + offset,
                           bytes);
    return keepFailure(m_accelerator.synchronize());
}

Result<void> DeviceStep::bringGradients()
{
    if (!m_hasGradients || m_last == nullptr) {
        return {};
    }
    const std::span<float> dense = m_plan.network.denseParts();
    if (!dense.empty()) {
        CANNERY_TRY(bring(dense.data(), static_cast<std::int64_t>(dense.size_bytes())));
    }
    CANNERY_TRY(keepFailure(m_last->bringSparseGradients()));
    m_hasGradients = false;
    return {};
}

Result<void> DeviceStep::bringValue(graph::ValueId id, std::int64_t rows)
{
    if (!m_hasValues || m_last == nullptr) {
        return {};
    }
    const graph::ValueKind kind = m_plan.lowered.graph.value(id).kind;
    if (kind == graph::ValueKind::Sequence) {
        const auto offsets = m_last->bringStepOffsets();
        if (!offsets) {
            return keepFailure(tl::make_unexpected(offsets.error()));
        }
        m_plan.network.bindStepOffsets(id, *offsets);
        return {};
    }
    if (kind != graph::ValueKind::Dense) {
        return {};
    }
    m_last->bindInputs();
    const kernels::ConstMatrixView values = m_plan.network.valuesOf(id, rows);
    if (values.rows * values.cols == 0) {
        return {};
    }
    return bring(values.data, values.rows * values.cols * std::int64_t{sizeof(float)});
}

} // namespace cannery::plan
