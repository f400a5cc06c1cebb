// SPDX-License-Identifier: Apache-2.0
#include "core/plan/device/device_evaluation.h"

#include "core/base/check.h"
#include "core/plan/device/device_memory.h"
#include "kernels/accelerator/errors.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace cannery::plan {

namespace {

/// The full batch and the last one.
constexpr std::size_t kMostShapes = 2;
/// Rows whose labels are read at once.
constexpr std::int64_t kLabelledAtOnce = 8192;
constexpr DeviceStepKind kEvaluation{.updates = false, .evaluates = true};

void append(std::vector<float>& to, std::span<const float> all, kernels::BlockRange rows,
            std::int64_t width)
{
    const std::span<const float> values = all.subspan(static_cast<std::size_t>(rows.first * width),
                                                      static_cast<std::size_t>(rows.count * width));
    to.insert(to.end(), values.begin(), values.end());
}

/// Labels and weights of a row, or of its steps.
void appendLabels(features::EncodedRows& to, const features::EncodedRows& all, std::int64_t row,
                  const heads::Head& head)
{
    kernels::BlockRange labelled{.first = row, .count = 1};
    if (!all.labelOffsets.empty()) {
        const auto index = static_cast<std::size_t>(row);
        labelled = {.first = all.labelOffsets[index],
                    .count = all.labelOffsets[index + 1] - all.labelOffsets[index]};
        to.labelOffsets.push_back(to.labelOffsets.back() + labelled.count);
    }
    append(to.labels, all.labels, labelled, head.labelWidth());
    append(to.weights, all.weights, labelled, head.weightWidth());
}

/// Offsets of rows that follow others.
void appendOffsets(std::vector<std::int64_t>& to, std::span<const std::int64_t> offsets)
{
    if (offsets.empty()) {
        return;
    }
    if (to.empty()) {
        to.push_back(0);
    }
    const std::int64_t base = to.back();
    for (const std::int64_t end : offsets.subspan(1)) {
        to.push_back(base + end);
    }
}

/// Those of each row together, in order; they come down by time.
void takeByRow(kernels::ConstMatrixView byTime, std::span<const std::int64_t> offsets,
               std::vector<float>& logits)
{
    const auto rows = static_cast<std::int64_t>(offsets.size()) - 1;
    logits.clear();
    for (std::int64_t row = 0; row < rows; ++row) {
        const auto index = static_cast<std::size_t>(row);
        for (std::int64_t step = 0; step < offsets[index + 1] - offsets[index]; ++step) {
            const std::span<const float> values = byTime.row(step * rows + row);
            logits.insert(logits.end(), values.begin(), values.end());
        }
    }
}

} // namespace

DeviceEvaluation::DeviceEvaluation(const Parts& parts, const Options& options,
                                   std::unique_ptr<Network> network)
    : m_accelerator(options.accelerator), m_variables(parts.variables), m_training(parts.training),
      m_isThere(parts.isThere), m_rows(options.rows), m_runBlocks(options.runBlocks),
      m_network(std::move(network)), m_plan{.lowered = parts.lowered,
                                            .variables = parts.variables,
                                            .network = *m_network,
                                            .head = parts.head,
                                            .optimizers = {},
                                            .precision = options.precision,
                                            .mirrors = {}}
{}

Result<std::unique_ptr<DeviceEvaluation>> DeviceEvaluation::create(const Parts& parts,
                                                                   const Options& options)
{
    const graph::LayerGraph& graph = parts.lowered.graph;
    CANNERY_TRY_ASSIGN(auto network,
                       Network::create(graph, std::vector<Training>(graph.variables.size())));
    network->prepare(parts.variables, options.batchRows);
    auto evaluation =
        std::unique_ptr<DeviceEvaluation>(new DeviceEvaluation(parts, options, std::move(network)));
    CANNERY_TRY(evaluation->allocate(options.batchRows));
    CANNERY_TRY(evaluation->setTable());
    return evaluation;
}

std::int64_t DeviceEvaluation::freeBytes()
{
    return m_isThere ? std::max<std::int64_t>(0, m_training->spareBytes())
                     : freeDeviceMemory(m_accelerator);
}

void DeviceEvaluation::layOut(std::byte* variables, std::byte* values)
{
    const std::span<float> ofVariables = m_variables.memory();
    const std::span<float> ofValues = m_network->valueMemory();
    m_plan.mirrors = {{.host = reinterpret_cast<std::byte*>(ofVariables.data()),
                       .bytes = static_cast<std::int64_t>(ofVariables.size_bytes()),
                       .device = variables},
                      {.host = reinterpret_cast<std::byte*>(ofValues.data()),
                       .bytes = static_cast<std::int64_t>(ofValues.size_bytes()),
                       .device = values}};
    std::erase_if(m_plan.mirrors, [](const DeviceMirror& mirror) { return mirror.bytes == 0; });
}

/// Plans with addresses of nothing first: what does not fit is not begun.
Result<void> DeviceEvaluation::allocate(std::int64_t batchRows)
{
    layOut(noAddress(), noAddress());
    CANNERY_TRY_ASSIGN(m_programBytes,
                       DeviceProgram::bytesOf(
                           m_plan, expectedShape(m_plan.lowered.graph, batchRows, 0), kEvaluation));
    const auto ofVariables =
        m_isThere ? 0 : static_cast<std::int64_t>(m_variables.memory().size_bytes());
    const auto ofValues = static_cast<std::int64_t>(m_network->valueMemory().size_bytes());
    const std::int64_t needed =
        deviceAligned(ofVariables) + deviceAligned(ofValues) + m_programBytes;
    const std::int64_t available = freeBytes();
    if (needed > available) {
        return tl::make_unexpected(
            outOfDeviceMemory(fmt::format("Evaluating in batches of {} rows", batchRows), needed,
                              available, m_accelerator.facts().memoryBytes));
    }
    if (!m_isThere) {
        CANNERY_TRY_ASSIGN(m_ownVariables, m_accelerator.allocate(ofVariables));
    }
    CANNERY_TRY_ASSIGN(m_values, m_accelerator.allocate(ofValues));
    return {};
}

/// Labels and weights, which no forward pass reads, stay here.
Result<void> DeviceEvaluation::setTable()
{
    const std::int64_t most = freeBytes() - static_cast<std::int64_t>(kMostShapes) * m_programBytes;
    auto table = DeviceTable::create(
        m_accelerator, {.graph = m_plan.lowered.graph, .rows = m_rows, .weightsOf = {}}, most);
    if (!table && table.error().id == kernels::kGpuMemory.id) {
        return {};
    }
    CANNERY_TRY_ASSIGN(m_table, std::move(table));
    for (std::int64_t first = 0; m_table != nullptr && first < m_rows.rowCount();
         first += kLabelledAtOnce) {
        CANNERY_TRY(m_rows.gatherRange(first, std::min(kLabelledAtOnce, m_rows.rowCount() - first),
                                       m_batch));
        m_labels.labels.insert(m_labels.labels.end(), m_batch.labels.begin(), m_batch.labels.end());
        m_labels.weights.insert(m_labels.weights.end(), m_batch.weights.begin(),
                                m_batch.weights.end());
        appendOffsets(m_labels.labelOffsets, m_batch.labelOffsets);
    }
    return {};
}

Result<void> DeviceEvaluation::begin()
{
    m_queued = 0;
    m_waitedFor = 0;
    m_finished = 0;
    std::byte* there = nullptr;
    if (m_isThere) {
        CANNERY_TRY_ASSIGN(there, m_training->variables());
    } else {
        CANNERY_TRY(m_training != nullptr ? m_training->bringState() : Result<void>());
        there = m_ownVariables->data();
        const std::span<float> all = m_variables.memory();
        m_accelerator.upload(kernels::Queue::Compute, there, all.data(),
                             static_cast<std::int64_t>(all.size_bytes()));
    }
    if (m_plan.mirrors.empty() || m_plan.mirrors.front().device != there) {
        m_programs.clear(); // they know where variables were
        m_last = nullptr;
        layOut(there, m_values->data());
    }
    return {};
}

Result<DeviceProgram*> DeviceEvaluation::programFor(const BatchShape& actual)
{
    const auto known = std::ranges::find_if(
        m_programs, [&](const auto& program) { return program->shape().holds(actual); });
    if (known != m_programs.end()) {
        return known->get();
    }
    CANNERY_TRY(wait());
    m_last = nullptr;
    std::erase_if(m_programs, [&](const auto& program) {
        return program->shape().rows == actual.rows; // outgrown
    });
    if (m_programs.size() == kMostShapes) {
        m_programs.erase(m_programs.begin());
    }
    CANNERY_TRY_ASSIGN(auto program, DeviceProgram::create(m_accelerator, m_plan, withRoom(actual),
                                                           kEvaluation, m_table.get()));
    return m_programs.emplace_back(std::move(program)).get();
}

DeviceEvaluation::Kept& DeviceEvaluation::nextKept(std::span<const std::int64_t> rows)
{
    if (m_queued == 0) {
        m_finished = 0;
    }
    if (std::cmp_equal(m_kept.size(), m_queued)) {
        m_kept.emplace_back();
    }
    Kept& kept = m_kept[static_cast<std::size_t>(m_queued)];
    kept.rows.assign(rows.begin(), rows.end());
    kept.labelled.rowCount = static_cast<std::int64_t>(rows.size());
    kept.labelled.labels.clear();
    kept.labelled.weights.clear();
    kept.labelled.labelOffsets.assign(m_labels.labelOffsets.empty() ? 0 : 1, 0);
    return kept;
}

Result<void> DeviceEvaluation::queue(std::span<const std::int64_t> rows)
{
    Kept& kept = nextKept(rows);
    if (m_table == nullptr) {
        CANNERY_TRY(m_rows.hasPlacesFor(rows) ? gatherInPlace(rows, kept.labelled)
                                              : gather(rows, kept.labelled));
    } else {
        for (const std::int64_t row : rows) {
            appendLabels(kept.labelled, m_labels, row, m_plan.head);
        }
        const BatchShape& shape = m_table->shapeOf(rows);
        CANNERY_TRY_ASSIGN(DeviceProgram * program, begin(shape));
        program->queueRows(kept.rows, shape, 0);
    }
    ++m_queued;
    return {};
}

/// Straight to where the batch goes up from; labels and weights stay here.
Result<void> DeviceEvaluation::gatherInPlace(std::span<const std::int64_t> rows,
                                             features::EncodedRows& labelled)
{
    const auto count = static_cast<std::int64_t>(rows.size());
    const BatchShape shape = shapeOf(m_plan.lowered.graph, m_rows, count, 0);
    CANNERY_TRY_ASSIGN(DeviceProgram * program, begin(shape));
    CANNERY_TRY(program->waitForRoom());
    labelled.labels.resize(rows.size() * static_cast<std::size_t>(m_plan.head.labelWidth()));
    labelled.weights.resize(rows.size() * static_cast<std::size_t>(m_plan.head.weightWidth()));
    features::BatchPlaces places = program->places();
    places.labels = labelled.labels.empty() ? nullptr : labelled.labels.data();
    places.weights = labelled.weights.empty() ? nullptr : labelled.weights.data();
    CANNERY_TRY(m_rows.gatherTo(places, rows, m_runBlocks));
    program->queueBatch(shape, 0);
    return program->launch();
}

Result<void> DeviceEvaluation::gather(std::span<const std::int64_t> rows,
                                      features::EncodedRows& labelled)
{
    CANNERY_TRY(m_rows.gather(rows, m_batch, m_runBlocks));
    labelled.labels = m_batch.labels;
    labelled.weights = m_batch.weights;
    labelled.labelOffsets = m_batch.labelOffsets;
    BatchShape shape = shapeOf(m_plan.lowered.graph, m_batch, 0);
    shape.labels = 0; // they stay here
    CANNERY_TRY_ASSIGN(DeviceProgram * program, begin(shape));
    CANNERY_TRY(program->waitForRoom());
    program->staged().write(m_batch, {}, program->room());
    program->queueBatch(shape, 0);
    return program->launch();
}

/// The program that has room for a batch.
Result<DeviceProgram*> DeviceEvaluation::begin(const BatchShape& shape)
{
    CANNERY_TRY_ASSIGN(DeviceProgram * program, programFor(shape));
    if (program != m_last || program->isFull()) {
        CANNERY_TRY(wait());
    }
    if (!program->isPrepared()) {
        CANNERY_TRY(program->placeNext());
        CANNERY_TRY(program->prepareNext());
    }
    m_last = program;
    return program;
}

/// For the batches that are queued.
Result<void> DeviceEvaluation::wait()
{
    if (m_last == nullptr || m_last->queued() == 0) {
        return {};
    }
    CANNERY_TRY(m_last->finish());
    for (std::int64_t step = 0; step < m_last->finished(); ++step) {
        Kept& kept = m_kept[static_cast<std::size_t>(m_waitedFor++)];
        const kernels::ConstMatrixView logits = m_last->logitsOf(step);
        if (kept.labelled.labelOffsets.empty()) {
            kept.logits.assign(logits.flat().begin(), logits.flat().end());
        } else {
            takeByRow(logits, kept.labelled.labelOffsets, kept.logits);
        }
    }
    return {};
}

Result<void> DeviceEvaluation::finish()
{
    CANNERY_TRY(wait());
    CANNERY_CHECK(m_waitedFor == m_queued);
    m_finished = std::exchange(m_queued, 0);
    m_waitedFor = 0;
    return {};
}

EvaluatedBatch DeviceEvaluation::batch(std::int64_t index) const
{
    const Kept& kept = m_kept[static_cast<std::size_t>(index)];
    return {.rows = kept.rows,
            .labelled = kept.labelled,
            .logits = kernels::matrixView(std::span<const float>(kept.logits),
                                          kept.labelled.labelOffsets.empty()
                                              ? kept.labelled.rowCount
                                              : kept.labelled.labelOffsets.back(),
                                          m_plan.head.logitsWidth())};
}

} // namespace cannery::plan
