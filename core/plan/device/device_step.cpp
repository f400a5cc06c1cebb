// SPDX-License-Identifier: Apache-2.0
#include "core/plan/device/device_step.h"

#include "core/base/check.h"
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

/// Of the GPUs of one process; as PyTorch's (Li et al., "PyTorch Distributed", 2020).
constexpr std::int64_t kMebibyte = 1024 * 1024;
constexpr PackSizes kPackSizes{.first = kMebibyte, .others = 25 * kMebibyte};

/// Whether holds(the shape of a program, the shape in its place) everywhere.
template <typename Holds>
bool everyone(const std::vector<std::unique_ptr<DeviceProgram>>& programs,
              const std::vector<BatchShape>& shapes, const Holds& holds)
{
    return std::ranges::equal(programs, shapes, [&](const auto& program, const BatchShape& shape) {
        return holds(program->shape(), shape);
    });
}

/// With some room for batches that follow, as much as before (or null), and the same room for the
/// ids of all.
std::vector<BatchShape> withRoomFor(std::vector<BatchShape> shapes,
                                    const std::vector<std::unique_ptr<DeviceProgram>>* before)
{
    BatchShape most = shapes.front();
    for (std::size_t member = 0; member < shapes.size(); ++member) {
        most = widened(most, withRoom(shapes[member]));
        most = before == nullptr ? most : widened(most, (*before)[member]->shape());
    }
    for (BatchShape& shape : shapes) {
        shape = widened(withRoom(shape), most);
    }
    return shapes;
}

} // namespace

DeviceStep::DeviceStep(std::span<kernels::Accelerator* const> accelerators, const Parts& parts)
    : m_classWeights(parts.classWeights), m_variables(parts.variables), m_network(parts.network),
      m_lowered(parts.lowered), m_head(parts.head), m_optimizers(parts.optimizers),
      m_ownStep(parts.ownStep),
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
    std::erase_if(m_programs, [](const auto& programs) { return programs->front()->gathers(); });
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
    for (DeviceMember& member : m_members) {
        member.memory.reset();
    }
    m_hasGradients = false;
    m_hasValues = false;
    m_hostMayDiffer = true;
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
    const auto isKind = [&](const Programs& programs) {
        return programs.front()->kind() == kind && programs.front()->gathers() == gathers;
    };
    const auto known = std::ranges::find_if(m_programs, [&](const auto& programs) {
        return isKind(*programs) && everyone(*programs, actual, [&](const auto& a, const auto& b) {
                   return a.holds(b) && (!isWithOthers() || b.holds(a));
               });
    });
    if (known != m_programs.end()) {
        std::rotate(m_programs.begin(), known, known + 1);
        return m_programs.front().get();
    }
    CANNERY_TRY(wait());
    const auto outgrown = std::ranges::find_if(m_programs, [&](const auto& programs) {
        return isKind(*programs) && everyone(*programs, actual, [](const auto& a, const auto& b) {
                   return a.rows == b.rows && a.longest == roundedSteps(b.longest);
               });
    });
    const Programs* const before = outgrown == m_programs.end() ? nullptr : outgrown->get();
    const Shapes shapes = isWithOthers() ? actual : withRoomFor(actual, before);
    if (before != nullptr) {
        m_programs.erase(outgrown);
    } else if (m_programs.size() ==
               (shapes.front().longest > 0 ? kMostProgramsOfSequences : kMostPrograms)) {
        m_programs.pop_back();
    }
    m_last = nullptr;
    auto programs = makePrograms(shapes, kind, gathers);
    if (isShort(programs) && !m_failure && !gathers && !m_programs.empty() && !isWithOthers()) {
        m_programs.clear(); // there was memory for one
        programs = makePrograms(shapes, kind, gathers);
    }
    if (isShort(programs)) {
        CANNERY_TRY(checkMemoryFor(shapes.front()));
    }
    CANNERY_TRY_ASSIGN(auto made, std::move(programs));
    m_programs.insert(m_programs.begin(), std::move(made));
    return m_programs.front().get();
}

Result<std::unique_ptr<DeviceStep::Programs>>
DeviceStep::makePrograms(const Shapes& shapes, DeviceStepKind kind, bool gathers)
{
    auto programs = std::make_unique<Programs>();
    for (std::size_t member = 0; member < m_members.size(); ++member) {
        const DeviceMember& of = m_members[member];
        CANNERY_TRY_ASSIGN(auto program,
                           DeviceProgram::create(of.accelerator, of.plan, shapes[member], kind,
                                                 gathers ? of.table.get() : nullptr));
        programs->push_back(std::move(program));
    }
    CANNERY_TRY(prepare(*programs));
    return programs;
}

/// For the next step.
Result<void> DeviceStep::prepare(Programs& programs)
{
    if (programs.front()->isPrepared()) {
        return {};
    }
    for (const auto& program : programs) {
        CANNERY_TRY(program->placeNext());
    }
    Result<void> outcome =
        together(m_members, [&](std::size_t member) { return programs[member]->prepareNext(); });
    return first().plan.member.size > 1 ? keepFailure(std::move(outcome)) : outcome;
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
    if (leading.queued() == 0 && m_hostMayDiffer) {
        uploadState();
    }
    for (const auto& program : *programs) {
        program->trace(turn.trace);
    }
    m_last = programs;
    m_hasNewerState = m_hasNewerState || turn.kind.updates;
    m_hasGradients = true;
    m_hasValues = true;
    return programs;
}

Result<void> DeviceStep::makeReady()
{
    if (m_failure) {
        return tl::make_unexpected(*m_failure);
    }
    return isLaidOut() ? Result<void>() : layOut();
}

/// Nothing is queued before all batches are there: reading one may fail.
Result<void> DeviceStep::queueBatches(const Shapes& shapes, const Turn& turn, const PutBatch& put)
{
    CANNERY_TRY_ASSIGN(Programs * programs, begin(shapes, turn, false));
    CANNERY_TRY(keepFailure(prepare(*programs)));
    CANNERY_TRY(keepFailure(together(
        m_members, [&](std::size_t member) { return (*programs)[member]->waitForRoom(); })));
    for (std::size_t member = 0; member < m_members.size(); ++member) {
        CANNERY_TRY(put(member, *(*programs)[member]));
    }
    for (std::size_t member = 0; member < m_members.size(); ++member) {
        (*programs)[member]->queueBatch(shapes[member], turn.globalStep);
    }
    return keepFailure(launch(*programs));
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
    CANNERY_TRY(keepFailure(
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

Result<void> DeviceStep::keepFailure(Result<void> outcome)
{
    if (!outcome) {
        m_failure = outcome.error();
        m_losses.clear();
        m_hasNewerState = false; // what is there is unknown
        m_hasGradients = false;
        m_hasValues = false;
    }
    return outcome;
}

} // namespace cannery::plan
