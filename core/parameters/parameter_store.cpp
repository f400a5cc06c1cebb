// SPDX-License-Identifier: Apache-2.0
#include "core/parameters/parameter_store.h"

#include <algorithm>
#include <utility>

namespace cannery::parameters {

ParameterStore::ParameterStore(wire::Setup setup, int threads)
    : m_setup(std::move(setup)), m_parts(threads), m_step(m_setup.step())
{}

Result<std::unique_ptr<ParameterStore>> ParameterStore::create(wire::Setup setup, int threads)
{
    auto store = std::unique_ptr<ParameterStore>(new ParameterStore(std::move(setup), threads));
    if (store->m_setup.tasks() < 1) {
        return fail(ErrorCode::InvalidArgument, kBadSetup, "nobody trains");
    }
    CANNERY_TRY(store->m_parts.layOut(store->m_setup));
    store->m_tasks.emplace(store->m_setup);
    return store;
}

wire::Setup ParameterStore::describe() const
{
    wire::Setup setup = m_setup;
    wire::State now = state();
    setup.mutable_optimizer()->Swap(now.mutable_optimizer());
    setup.set_first_step(m_step);
    setup.set_step(m_step);
    setup.clear_record();
    for (const wire::TaskRecord& record : m_tasks->records()) {
        *setup.add_record() = record;
    }
    return setup;
}

wire::State ParameterStore::state() const
{
    wire::State state;
    if (m_begunStep > m_step) { // what a step has begun with is part of no other
        state = m_stateBefore;
        state.set_step(m_step);
        return state;
    }
    state.set_step(m_step);
    const auto optimizers = m_parts.optimizers();
    for (std::size_t i = 0; i < optimizers.size(); ++i) {
        const wire::Optimizer& began = m_setup.optimizer(static_cast<int>(i));
        wire::Optimizer& now = *state.add_optimizer();
        now = began;
        now.clear_scalar();
        for (const optimizers::Scalar& scalar : std::as_const(*optimizers[i]).scalars()) {
            now.add_scalar(scalar.value);
        }
        now.set_iterations(began.iterations() + m_step - m_setup.first_step());
    }
    return state;
}

wire::Changes ParameterStore::takeChanges(std::vector<std::byte>& payload)
{
    wire::Changes changes;
    *changes.mutable_setup() = describe();
    m_parts.takeChanges(changes, payload);
    return changes;
}

bool ParameterStore::putChanges(const wire::Changes& changes, std::span<const std::byte> payload)
{
    const wire::Setup& setup = changes.setup();
    if (setup.optimizer_size() != m_setup.optimizer_size() || setup.tasks() != m_setup.tasks() ||
        !m_parts.putChanges(changes, payload)) {
        return false;
    }
    for (int i = 0; i < setup.optimizer_size(); ++i) {
        if (!m_parts.setScalars(static_cast<std::size_t>(i), setup.optimizer(i))) {
            return false;
        }
    }
    m_setup = setup;
    m_step = setup.step();
    m_begunStep = -1;
    m_tasks->setRecords(setup);
    return payload.empty();
}

void ParameterStore::enter(int rank, std::uint64_t incarnation)
{
    if (m_tasks->enter(rank, incarnation)) {
        m_waiting.erase(rank); // its predecessor's push is dropped
    }
}

void ParameterStore::leave(int rank, std::uint64_t incarnation)
{
    if (m_tasks->leave(rank, incarnation)) {
        completeRound();
    }
}

bool ParameterStore::waitsForOthers(const wire::Push& push) const
{
    if (push.step() == 0 && m_setup.has_rounds()) {
        return true;
    }
    return std::ranges::any_of(push.segment(), [this](const wire::Segment& segment) {
        return m_parts.isSync(segment.part());
    });
}

/// A mean adds up the gradients of a round in their order, so all tasks must push the same ones.
bool ParameterStore::fitsRound(int rank, const wire::Push& push) const
{
    const auto other = std::ranges::find_if(
        m_waiting, [rank](const auto& waiting) { return waiting.first != rank; });
    if (other == m_waiting.end()) {
        return true;
    }
    const auto syncSegments = [this](const wire::Push& of) {
        std::vector<const wire::Segment*> segments;
        for (const wire::Segment& segment : of.segment()) {
            if (m_parts.isSync(segment.part())) {
                segments.push_back(&segment);
            }
        }
        return segments;
    };
    return std::ranges::equal(syncSegments(push), syncSegments(other->second.push),
                              [](const wire::Segment* a, const wire::Segment* b) {
                                  return a->part() == b->part() && a->first() == b->first() &&
                                         a->count() == b->count() &&
                                         (a->rows() < 0) == (b->rows() < 0);
                              });
}

PushOutcome ParameterStore::push(int rank, std::uint64_t incarnation, wire::Push push,
                                 std::vector<std::byte>& payload)
{
    const wire::TaskRecord& record = m_tasks->recordOf(rank);
    if (record.incarnation() != incarnation) {
        return {.kind = PushOutcome::Kind::Replaced};
    }
    // Sent again after a lost connection, although it was applied: only the answer was missing.
    if (push.sequence() <= record.sequence()) {
        return {.step = record.step()};
    }
    if (push.has_batch() && (!record.has_batch() || record.batch() != push.batch())) {
        return {.kind = PushOutcome::Kind::Lost, .step = m_step};
    }
    // A server that continues from older files may lag behind what the tasks have seen.
    m_step = std::max(m_step, push.known_step());
    if (push.step() == 0 && isFull()) {
        return {.kind = PushOutcome::Kind::Refused, .step = m_step};
    }
    const std::int64_t sequence = push.sequence();
    const bool waits = waitsForOthers(push);
    if (waits && !fitsRound(rank, push)) {
        return {.kind = PushOutcome::Kind::Misfit, .step = m_step};
    }
    Contribution contribution{std::move(push), std::move(payload)};
    if (!waits) {
        const std::int64_t step = number(contribution.push);
        beginStep(step);
        m_parts.apply(contribution);
        m_tasks->applied(rank, contribution.push, step);
        payload = std::move(contribution.payload);
        return {.step = step};
    }
    // The parts that wait for nobody are applied now, the others with the round. `begun` remembers
    // the first half, so that the same push, sent again, does not apply it twice.
    if (const auto before = m_waiting.find(rank);
        before == m_waiting.end() || before->second.push.sequence() != sequence) {
        if (record.begun() != sequence) { // or files have brought back what it has done
            beginStep(m_setup.has_rounds() ? m_step + 1 : m_step);
            m_parts.apply(contribution);
            m_tasks->begun(rank, sequence);
        }
        m_waiting.insert_or_assign(rank, std::move(contribution));
    }
    completeRound();
    return outcomeOf(rank, incarnation, sequence);
}

PushOutcome ParameterStore::outcomeOf(int rank, std::uint64_t incarnation,
                                      std::int64_t sequence) const
{
    const wire::TaskRecord& record = m_tasks->recordOf(rank);
    if (record.incarnation() != incarnation) {
        return {.kind = PushOutcome::Kind::Replaced};
    }
    if (sequence <= record.sequence()) {
        return {.step = record.step()};
    }
    return {.kind = PushOutcome::Kind::Waiting};
}

/// The number of the step that a push makes.
std::int64_t ParameterStore::number(const wire::Push& push)
{
    if (push.step() != 0) {
        m_step = std::max(m_step, push.step());
        return push.step();
    }
    return ++m_step;
}

void ParameterStore::completeRound()
{
    const std::span<const StoreTasks::Presence> presence = m_tasks->presence();
    for (std::size_t rank = 0; rank < presence.size(); ++rank) {
        if (!presence[rank].isGone() && !m_waiting.contains(static_cast<int>(rank))) {
            return;
        }
    }
    if (m_waiting.empty()) {
        return;
    }
    // Ordered by rank: the tree of the mean does not depend on who came first.
    const std::map<int, Contribution> round = std::exchange(m_waiting, {});
    std::vector<const Contribution*> contributions;
    std::int64_t step = 0;
    for (const auto& [rank, contribution] : round) {
        contributions.push_back(&contribution);
        // With rounds, all contributions together are one step: only the first takes a number.
        const bool isNumbered = contribution.push.step() != 0;
        if (isNumbered || step == 0 || !m_setup.has_rounds()) {
            step = std::max(step, number(contribution.push));
        }
    }
    beginStep(step);
    m_parts.applyMean(contributions);
    for (const auto& [rank, contribution] : round) {
        m_tasks->applied(rank, contribution.push, step);
    }
}

/// Once for each step, however many pushes belong to it: some optimizers count their steps.
void ParameterStore::beginStep(std::int64_t step)
{
    if (m_begunStep == step) {
        return;
    }
    m_stateBefore = state();
    m_begunStep = step;
    const auto optimizers = m_parts.optimizers();
    for (std::size_t i = 0; i < optimizers.size(); ++i) {
        const wire::Optimizer& began = m_setup.optimizer(static_cast<int>(i));
        const std::int64_t before = step - 1;
        optimizers[i]->beginStep(
            began.owns_global_step() ? before : began.iterations() + before - m_setup.first_step());
    }
}

} // namespace cannery::parameters
