// SPDX-License-Identifier: Apache-2.0
// How steps are queued, alone or in step with other processes.
#include "core/base/check.h"
#include "core/plan/device/device_step.h"

#include <algorithm>
#include <utility>

namespace cannery::plan {

namespace {

/// Whether batches of this shape fit into room, whatever their rows and the longest of them.
bool fits(const BatchShape& shape, BatchShape room)
{
    room.rows = shape.rows;
    room.mostRows = shape.mostRows;
    room.groupRows = shape.groupRows;
    room.longest = roundedSteps(shape.longest);
    return room.holds(shape);
}

/// There is room for as many rows as the batch of the group with most has, and for as many steps as
/// its longest row; means over labelled steps are over all of them.
std::vector<BatchShape> inGroupOf(const BatchShape& group, std::vector<BatchShape> own)
{
    for (BatchShape& shape : own) {
        shape.mostRows = group.mostRows;
        shape.groupRows = group.groupRows;
        shape.longest = group.longest;
        shape.stepsOfGroup = group.stepsOfGroup;
    }
    return own;
}

} // namespace

Result<void> DeviceStep::meet(const std::function<Result<kernels::GroupId>()>& makeId)
{
    return isWithOthers() ? m_processes->meet(makeId) : Result<void>();
}

Result<StepAgreement> DeviceStep::agree(const StepAgreement& own)
{
    CANNERY_TRY(m_failure.check());
    if (!isWithOthers()) {
        return own;
    }
    CANNERY_TRY_ASSIGN(m_agreed, m_processes->agree(own));
    return m_agreed;
}

/// As all processes take it.
DeviceStep::Turn DeviceStep::agreedTurn(Turn turn)
{
    if (isWithOthers()) {
        turn.kind.measures = m_agreed.measures;
        turn.trace = m_agreed.traces && turn.trace == nullptr ? &m_unseen : turn.trace;
    }
    return turn;
}

/// Own batches, and what those of all members make of them.
DeviceStep::Shapes DeviceStep::inGroup(Shapes own, const Shapes& all)
{
    BatchShape group;
    for (const BatchShape& shape : all) {
        group.mostRows = std::max(group.mostRows, shape.rows);
        group.longest = std::max(group.longest, shape.longest);
        group.stepsOfGroup += shape.steps;
        if (!isWithOthers()) {
            continue;
        }
        group.groupRows.push_back(shape.rows); // a program for other rows is prepared by all
        if (!fits(shape, m_room)) {
            m_room = m_room.rows == 0 ? withRoom(shape) : widened(m_room, withRoom(shape));
        }
    }
    return inGroupOf(group, std::move(own));
}

/// Programs of other processes must exchange as much: they depend on nothing that one of them alone
/// has seen.
DeviceStep::Shapes DeviceStep::inRoom(Shapes shapes) const
{
    for (BatchShape& shape : shapes) {
        shape = widened(shape, m_room);
        shape.longest = roundedSteps(shape.longest);
    }
    return shapes;
}

DeviceStep::Shapes DeviceStep::shapesOf(std::span<const features::EncodedRows> batches)
{
    Shapes shapes;
    for (const features::EncodedRows& batch : batches) {
        shapes.push_back(shapeOf(m_lowered.graph, batch, rowWeightWidth()));
    }
    return shapes;
}

/// None if the rows must be read to find out.
DeviceStep::Shapes DeviceStep::shapesOf(const ShardRows& rows)
{
    Shapes shapes;
    if (!hasTableThere() && !arePlaced(rows)) {
        return shapes;
    }
    for (std::size_t member = 0; member < m_members.size(); ++member) {
        shapes.push_back(hasTableThere() ? m_members[member].table->shapeOf(rows[member])
                                         : shapeOf(m_lowered.graph, *m_rows,
                                                   static_cast<std::int64_t>(rows[member].size()),
                                                   rowWeightWidth()));
    }
    return shapes;
}

Result<void> DeviceStep::queue(std::span<const features::EncodedRows> batches, const Turn& turn)
{
    CANNERY_CHECK(batches.size() == m_members.size());
    CANNERY_TRY(makeReady());
    Shapes own = shapesOf(batches);
    Shapes all = own;
    if (isWithOthers()) {
        CANNERY_TRY_ASSIGN(const auto shared, m_processes->shareShapes({own}));
        all = shared.front();
    }
    return queueGathered(batches, inGroup(std::move(own), all), agreedTurn(turn));
}

Result<void> DeviceStep::queueGathered(std::span<const features::EncodedRows> batches,
                                       const Shapes& shapes, const Turn& turn)
{
    return queueBatches(shapes, turn, [&](std::size_t member, const DeviceProgram& program) {
        const features::EncodedRows& batch = batches[member];
        program.staged().write(batch, rowWeights(batch), program.room());
        return Result<void>();
    });
}

Result<void> DeviceStep::queue(const ShardRows& rows, const Turn& turn)
{
    CANNERY_CHECK(rows.size() == m_members.size());
    CANNERY_TRY(makeReady());
    if (isWithOthers()) {
        m_pending.push_back({.rows = rows, .turn = agreedTurn(turn)});
        return {};
    }
    Shapes own = shapesOf(rows);
    if (own.empty()) {
        CANNERY_TRY(gather(rows));
        return queue(m_batches, turn);
    }
    const Shapes all = own;
    return queueRows(rows, inGroup(std::move(own), all), turn);
}

Result<void> DeviceStep::queueRows(const ShardRows& rows, const Shapes& shapes, const Turn& turn)
{
    CANNERY_TRY_ASSIGN(const bool isQueued, queueFromTable(rows, shapes, turn));
    if (isQueued) {
        return {};
    }
    // A table that has just been given up brought no sequences.
    if (arePlaced(rows)) {
        return queueBatches(inGroupOf(shapes.front(), shapesOf(rows)), turn,
                            [&](std::size_t member, const DeviceProgram& program) {
                                return gatherInPlace(rows[member], program);
                            });
    }
    CANNERY_TRY(gather(rows));
    return queueGathered(m_batches, inGroupOf(shapes.front(), shapesOf(m_batches)), turn);
}

/// False if the table is not there, or has just been given up.
Result<bool> DeviceStep::queueFromTable(const ShardRows& rows, const Shapes& shapes,
                                        const Turn& turn)
{
    if (!hasTableThere()) {
        return false;
    }
    const Result<Programs*> programs = begin(shapes, turn, true);
    if (programs) {
        for (std::size_t member = 0; member < m_members.size(); ++member) {
            (**programs)[member]->queueRows(rows[member], shapes[member], turn.globalStep);
        }
        return true;
    }
    if (m_failure.hasHappened() || !isShort(programs) || isWithOthers()) {
        return tl::make_unexpected(programs.error()); // others have their tables
    }
    dropTable();
    return false;
}

/// Whether all rows have places in a batch before they are read.
bool DeviceStep::arePlaced(const ShardRows& rows) const
{
    return std::ranges::all_of(rows,
                               [&](const auto& ofShard) { return m_rows->hasPlacesFor(ofShard); });
}

Result<void> DeviceStep::gather(const ShardRows& rows)
{
    for (std::size_t member = 0; member < rows.size(); ++member) {
        CANNERY_TRY(m_rows->gather(rows[member], m_batches[member], m_runBlocks));
    }
    return {};
}

/// Straight to where they go up from.
Result<void> DeviceStep::gatherInPlace(std::span<const std::int64_t> rows,
                                       const DeviceProgram& program)
{
    const features::BatchPlaces places = program.places();
    CANNERY_TRY(m_rows->gatherTo(places, rows, m_runBlocks));
    if (!m_classWeights.empty()) {
        const std::span<float> weights(places.weights, rows.size());
        weighByClass({places.labels, rows.size()},
                     m_head.weightWidth() > 0 ? weights : std::span<float>(), m_classWeights,
                     weights);
    }
    return {};
}

/// The steps of a turn, once all processes know what the others bring.
Result<void> DeviceStep::queuePending()
{
    const std::vector<Pending> steps = std::exchange(m_pending, {});
    std::vector<Shapes> own;
    for (const Pending& step : steps) {
        own.push_back(shapesOf(step.rows));
    }
    if (steps.empty()) {
        return {};
    }
    CANNERY_TRY_ASSIGN(const std::vector<Shapes> all, m_processes->shareShapes(own));
    for (std::size_t step = 0; step < steps.size(); ++step) {
        CANNERY_TRY(all[step].empty()
                        ? queueBetween(steps[step])
                        : queueRows(steps[step].rows, inGroup(std::move(own[step]), all[step]),
                                    steps[step].turn));
    }
    return {};
}

/// A step that somebody must read before its shape is known. Nobody may wait on an accelerator for
/// those who wait for this.
Result<void> DeviceStep::queueBetween(const Pending& step)
{
    CANNERY_TRY(wait());
    CANNERY_TRY(gather(step.rows));
    CANNERY_TRY(queue(m_batches, step.turn));
    return wait();
}

/// Returns the losses of all steps, summed over the members.
Result<std::vector<double>> DeviceStep::finishTurn()
{
    CANNERY_TRY(queuePending());
    CANNERY_TRY(wait());
    const std::vector<double> losses = std::exchange(m_losses, {});
    if (isWithOthers()) {
        return m_processes->sumOfMembers(losses);
    }
    std::vector<double> sums(losses.size() / m_members.size(), 0);
    for (std::size_t at = 0; at < losses.size(); ++at) {
        sums[at / m_members.size()] += losses[at];
    }
    return sums;
}

Result<std::span<const double>> DeviceStep::finish()
{
    CANNERY_TRY(m_failure.check());
    Result<std::vector<double>> losses = finishTurn();
    if (isWithOthers()) {
        if (!losses) {
            m_processes->giveUp();
            CANNERY_TRY(m_failure.keep(tl::make_unexpected(losses.error())));
        }
        m_processes->endTurn();
        static_cast<void>(m_unseen.take());
    }
    CANNERY_TRY_ASSIGN(m_finishedLosses, std::move(losses));
    if (!m_lossesAreShares) {
        for (double& loss : m_finishedLosses) {
            loss /= static_cast<double>(first().plan.member.size);
        }
    }
    return m_finishedLosses;
}

} // namespace cannery::plan
