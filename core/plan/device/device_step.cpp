// SPDX-License-Identifier: Apache-2.0
#include "core/plan/device/device_step.h"

#include "core/base/check.h"
#include "kernels/accelerator/errors.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace cannery::plan {

namespace {

/// Of the GPUs of one process; as PyTorch's (Li et al., "PyTorch Distributed", 2020).
constexpr std::int64_t kMebibyte = 1024 * 1024;
constexpr PackSizes kPackSizes{.first = kMebibyte, .others = 25 * kMebibyte};

/// Full and last batches, with and without measuring: the table leaves room for them, and for the
/// values and the program of evaluations.
constexpr std::int64_t kProgramsBesideTable = 4;
/// What takes most memory.
constexpr DeviceStepKind kMeasured{.measures = true};

} // namespace

DeviceStep::DeviceStep(std::span<kernels::Accelerator* const> accelerators, const Parts& parts)
    : m_classWeights(parts.classWeights), m_network(parts.network), m_lowered(parts.lowered),
      m_head(parts.head), m_mirrors({.members = m_members,
                                     .variables = parts.variables,
                                     .network = parts.network,
                                     .optimizers = parts.optimizers,
                                     .ownStep = parts.ownStep,
                                     .failure = m_failure}),
      m_programs(m_members, parts.exchange != nullptr, m_failure),
      m_lossesAreShares(parts.lowered.graph.value(parts.lowered.graph.logits).kind ==
                            graph::ValueKind::Sequence &&
                        parts.head.lossIsMean()),
      m_batches(accelerators.size())
{
    const PackSizes packSizes =
        parts.exchange == nullptr ? kPackSizes : parts.exchange->packSizes();
    for (kernels::Accelerator* const accelerator : accelerators) {
        const auto rank = parts.sharding.first + static_cast<std::int64_t>(m_members.size());
        m_members.push_back({.accelerator = *accelerator,
                             .plan = {.lowered = parts.lowered,
                                      .variables = parts.variables,
                                      .network = parts.network,
                                      .head = parts.head,
                                      .optimizers = parts.optimizers,
                                      .ownStep = parts.ownStep,
                                      .seed = parts.seed,
                                      .precision = parts.precision,
                                      .mirrors = {},
                                      .member = {.rank = rank, .size = parts.sharding.total},
                                      .leads = m_members.empty(),
                                      .batchRows = parts.sharding.batchRows,
                                      .isAcross = parts.sharding.isAcross,
                                      .packSizes = packSizes},
                             .memory = nullptr,
                             .table = nullptr});
    }
    if (parts.exchange != nullptr) {
        m_processes.emplace(*parts.exchange, parts.sharding, accelerators);
    }
}

/// Members that wait for each other cannot be given back one by one.
DeviceStep::~DeviceStep()
{
    static_cast<void>(wait()); // errors were returned, or concern nobody any more
}

Result<std::unique_ptr<DeviceStep>>
DeviceStep::create(std::span<kernels::Accelerator* const> accelerators, const Parts& parts)
{
    auto step = std::unique_ptr<DeviceStep>(new DeviceStep(accelerators, parts));
    CANNERY_TRY(step->layOut());
    return step;
}

Result<void> DeviceStep::setTable(const features::EncodedDataset& rows, RunBlocks runBlocks)
{
    dropTable();
    m_rows = &rows;
    m_runBlocks = std::move(runBlocks);
    CANNERY_TRY(measureSequences());
    const Result<bool> isThere = makeTables();
    if (!isThere && !isShort(isThere)) {
        dropTable();
        return tl::make_unexpected(isThere.error());
    }
    bool stays = isThere && *isThere;
    if (isWithOthers()) {
        CANNERY_TRY_ASSIGN(stays, m_processes->isSoInAll(stays));
    }
    if (!stays) {
        dropTable();
    }
    return {};
}

/// False: they do not fit.
Result<bool> DeviceStep::makeTables()
{
    const std::int64_t most = spareBytes() - m_programBytes - first().plan.mirrors.back().bytes;
    for (DeviceMember& member : m_members) {
        CANNERY_TRY_ASSIGN(member.table,
                           DeviceTable::create(member.accelerator,
                                               {.graph = m_lowered.graph,
                                                .rows = *m_rows,
                                                .labelWidth = m_head.labelWidth(),
                                                .weightWidth = rowWeightWidth(),
                                                .weightsOf =
                                                    [this](const features::EncodedRows& part) {
                                                        return rowWeights(part);
                                                    }},
                                               most));
        if (member.table == nullptr) {
            return false;
        }
    }
    return true;
}

void DeviceStep::dropTable()
{
    m_programs.dropGathering();
    m_last = nullptr;
    for (DeviceMember& member : m_members) {
        member.table.reset();
    }
}

void DeviceStep::forgetLayout()
{
    static_cast<void>(wait()); // errors are kept
    static_cast<void>(bringState());
    m_programs.clear();
    m_last = nullptr;
    m_mirrors.forget();
    m_hasGradients = false;
    m_hasValues = false;
}

std::int64_t DeviceStep::rowWeightWidth() const
{
    return m_classWeights.empty() ? m_head.weightWidth() : 1;
}

std::span<const float> DeviceStep::rowWeights(const features::EncodedRows& batch)
{
    if (m_classWeights.empty()) {
        return batch.weights;
    }
    weighByClass(batch, m_classWeights, m_rowWeights);
    return m_rowWeights;
}

/// Of members that differ in their rows alone: gradients that they add up have the same sizes.
Result<DeviceStep::Programs*> DeviceStep::programsFor(const Shapes& batches, DeviceStepKind kind,
                                                      bool gathers)
{
    const Shapes actual = isWithOthers() ? inRoom(batches) : batches;
    if (Programs* const known = m_programs.find(actual, kind, gathers)) {
        return known;
    }
    CANNERY_TRY(wait());
    m_last = nullptr;
    const Shapes shapes = m_programs.makeRoomFor(actual, kind, gathers);
    const Result<Programs*> made = m_programs.make(shapes, kind, gathers);
    if (isShort(made)) {
        CANNERY_TRY(checkMemoryFor(shapes.front()));
    }
    return made;
}

/// The programs that have room for a step.
Result<DeviceStep::Programs*> DeviceStep::begin(const Shapes& shapes, const Turn& turn,
                                                bool gathers)
{
    CANNERY_TRY_ASSIGN(Programs * programs, programsFor(shapes, turn.kind, gathers));
    const DeviceProgram& leading = *programs->front();
    if (programs != m_last || leading.isFull()) {
        CANNERY_TRY(wait());
    }
    if (leading.queued() == 0) {
        m_mirrors.upload();
    }
    for (const auto& program : *programs) {
        program->trace(turn.trace);
    }
    m_last = programs;
    if (turn.kind.updates) {
        m_mirrors.changesThere();
    }
    m_hasGradients = true;
    m_hasValues = true;
    return programs;
}

Result<void> DeviceStep::makeReady()
{
    CANNERY_TRY(m_failure.check());
    return m_mirrors.areThere() ? Result<void>() : layOut();
}

/// Nothing is queued before all batches are there: reading one may fail.
Result<void> DeviceStep::queueBatches(const Shapes& shapes, const Turn& turn, const PutBatch& put)
{
    CANNERY_TRY_ASSIGN(Programs * programs, begin(shapes, turn, false));
    CANNERY_TRY(m_failure.keep(m_programs.prepare(*programs)));
    CANNERY_TRY(m_failure.keep(together(
        m_members, [&](std::size_t member) { return (*programs)[member]->waitForRoom(); })));
    for (std::size_t member = 0; member < m_members.size(); ++member) {
        CANNERY_TRY(put(member, *(*programs)[member]));
    }
    for (std::size_t member = 0; member < m_members.size(); ++member) {
        (*programs)[member]->queueBatch(shapes[member], turn.globalStep);
    }
    return m_failure.keep(launch(*programs));
}

/// By a thread for each: a traced step waits for its end, and the launch of any may wait for those
/// of the other members.
Result<void> DeviceStep::launch(Programs& programs)
{
    return together(m_members, [&](std::size_t member) { return programs[member]->launch(); });
}

/// For the steps that are queued.
Result<void> DeviceStep::wait()
{
    if (m_last == nullptr || m_last->front()->queued() == 0) {
        return {};
    }
    Programs& programs = *m_last;
    CANNERY_TRY(m_failure.keep(
        together(m_members, [&](std::size_t member) { return programs[member]->finish(); })));
    takeLosses();
    return {};
}

/// Of labelled steps each member has its share of the mean over those of all.
void DeviceStep::takeLosses()
{
    const DeviceProgram& leading = *m_last->front();
    for (std::int64_t step = 0; step < leading.finished(); ++step) {
        for (const auto& program : *m_last) {
            m_losses.push_back(program->lossesOf(step).front());
        }
    }
    const std::span<const double> last = leading.lossesOf(leading.finished() - 1);
    std::vector<double> own(last.begin(), last.end());
    for (double& loss : own) {
        loss *= m_lossesAreShares ? leading.groupPerMember() : 1.0;
    }
    m_head.takeLosses(own);
}

std::optional<double> DeviceStep::gradientNorm() const
{
    return m_last == nullptr ? std::nullopt : m_last->front()->gradientNorm();
}

/// Plans with addresses of nothing first: what does not fit is not begun.
Result<void> DeviceStep::layOut()
{
    m_mirrors.plan();
    const std::int64_t rows = m_network.maxRows();
    CANNERY_TRY_ASSIGN(
        const std::int64_t ofProgram,
        DeviceProgram::bytesOf(first().plan, expectedShape(m_lowered.graph, rows, rowWeightWidth()),
                               kMeasured));
    const std::int64_t all = m_mirrors.bytes();
    const std::int64_t fixed = m_mirrors.fixedBytes();
    CANNERY_TRY(
        checkDeviceMemory({.fixed = fixed, .ofBatch = all - fixed + ofProgram, .rows = rows},
                          freeBytes() + tableBytes(), first().accelerator.facts().memoryBytes));
    m_programBytes = ofProgram;
    if (all + ofProgram > freeBytes()) {
        dropTable();
    }
    return m_mirrors.allocate();
}

Result<std::byte*> DeviceStep::variables()
{
    CANNERY_TRY(makeReady());
    m_mirrors.upload();
    return m_mirrors.variables();
}

std::int64_t DeviceStep::spareBytes()
{
    const std::int64_t toCome = std::max<std::int64_t>(
        0, kProgramsBesideTable - static_cast<std::int64_t>(m_programs.count()));
    return freeBytes() - toCome * m_programBytes;
}

/// Of the fullest one.
std::int64_t DeviceStep::freeBytes()
{
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const DeviceMember& member : m_members) {
        least = std::min(least, freeDeviceMemory(member.accelerator));
    }
    return least;
}

/// A batch that has the longest of all rows must fit, too.
Result<void> DeviceStep::measureSequences()
{
    BatchShape shape = expectedShape(m_lowered.graph, m_network.maxRows(), rowWeightWidth());
    if (shape.longest == 0) {
        return {};
    }
    CANNERY_TRY_ASSIGN(const std::int64_t longest,
                       DeviceTable::longestRow(m_lowered.graph, *m_rows));
    shape.longest = roundedSteps(std::max<std::int64_t>(1, longest));
    CANNERY_TRY_ASSIGN(m_programBytes, DeviceProgram::bytesOf(first().plan, shape, kMeasured));
    return checkMemoryFor(shape);
}

/// Says what a program lacks beside the memory that is in use.
Result<void> DeviceStep::checkMemoryFor(const BatchShape& shape)
{
    BatchShape ofOneRow = shape;
    ofOneRow.rows = 1;
    ofOneRow.mostRows = 1;
    CANNERY_TRY_ASSIGN(const std::int64_t all,
                       DeviceProgram::bytesOf(first().plan, shape, kMeasured));
    CANNERY_TRY_ASSIGN(const std::int64_t fixed,
                       DeviceProgram::bytesOf(first().plan, ofOneRow, kMeasured));
    return checkDeviceMemory({.fixed = fixed, .ofBatch = all - fixed, .rows = shape.rows},
                             freeBytes(), first().accelerator.facts().memoryBytes);
}

Result<void> DeviceStep::bring(const void* host, std::int64_t bytes)
{
    CANNERY_TRY_ASSIGN(const bool isMirrored, m_mirrors.bring(host, bytes));
    if (isMirrored) {
        return {};
    }
    const Result<bool> isOfBatch = m_last->front()->bring(host, bytes);
    return isOfBatch ? Result<void>() : m_failure.keep(tl::make_unexpected(isOfBatch.error()));
}

Result<void> DeviceStep::bringGradients()
{
    if (!m_hasGradients || m_last == nullptr || m_failure.hasHappened()) {
        return {};
    }
    const std::span<float> dense = m_network.gradients().denseParts();
    if (!dense.empty()) {
        CANNERY_TRY(bring(dense.data(), static_cast<std::int64_t>(dense.size_bytes())));
    }
    CANNERY_TRY(m_failure.keep(m_last->front()->bringSparseGradients()));
    m_hasGradients = false;
    return {};
}

Result<void> DeviceStep::bringValue(graph::ValueId id, std::int64_t rows)
{
    if (!m_hasValues || m_last == nullptr || m_failure.hasHappened()) {
        return {};
    }
    const graph::ValueKind kind = m_lowered.graph.value(id).kind;
    if (kind == graph::ValueKind::Sequence) {
        const auto offsets = m_last->front()->bringStepOffsets();
        if (!offsets) {
            return m_failure.keep(tl::make_unexpected(offsets.error()));
        }
        m_network.placement().bindStepOffsets(id, *offsets);
        return {};
    }
    if (kind != graph::ValueKind::Dense) {
        return {};
    }
    m_last->front()->bindInputs();
    const kernels::ConstMatrixView values = m_network.valuesOf(id, rows);
    if (values.rows * values.cols == 0) {
        return {};
    }
    return bring(values.data, values.rows * values.cols * std::int64_t{sizeof(float)});
}

} // namespace cannery::plan
