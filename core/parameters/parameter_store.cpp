// SPDX-License-Identifier: Apache-2.0
#include "core/parameters/parameter_store.h"

#include "core/optimizers/optimizer_catalog.h"
#include "core/spec/optimizers.pb.h"
#include "kernels/device/flush_denormals.h"
#include "kernels/ops/vector_ops.h"

#include <algorithm>
#include <cstring>

namespace cannery::parameters {

namespace {

constexpr ErrorKind kSetup{
    "parameters.setup",
    "The chief's description of the model makes no sense to this parameter server: {}. Use the "
    "same version of the program for all tasks."};

/// Where the tree over `count` > 1 gradients divides, as between replicas: after the largest power
/// of two below `count`.
std::size_t leftPart(std::size_t count)
{
    std::size_t left = 1;
    while (2 * left < count) {
        left *= 2;
    }
    return left;
}

std::size_t sizeOf(const wire::Segment& segment, std::int64_t cols)
{
    const std::int64_t elements =
        segment.rows() < 0 ? segment.count() : segment.rows() * (cols + 1); // with the row's number
    return static_cast<std::size_t>(elements) * sizeof(float);
}

template <typename T>
std::span<const T> view(std::span<const std::byte> bytes, std::size_t count)
{
    return {reinterpret_cast<const T*>(bytes.data()), count};
}

} // namespace

ParameterStore::ParameterStore(wire::Setup setup, int threads)
    : m_setup(std::move(setup)), m_pool(threads), m_step(m_setup.step())
{}

Result<std::unique_ptr<ParameterStore>> ParameterStore::create(wire::Setup setup, int threads)
{
    auto store = std::unique_ptr<ParameterStore>(new ParameterStore(std::move(setup), threads));
    CANNERY_TRY(store->layOut());
    return store;
}

/// The message comes from another process, or from a file: nothing in it is used unchecked.
Result<void> ParameterStore::layOut()
{
    if (m_setup.tasks() < 1) {
        return fail(ErrorCode::InvalidArgument, kSetup, "nobody trains");
    }
    for (const wire::Optimizer& message : m_setup.optimizer()) {
        spec::Optimizer parsed;
        if (!parsed.ParseFromString(message.message())) {
            return fail(ErrorCode::InvalidArgument, kSetup, "an optimizer cannot be read");
        }
        CANNERY_TRY_ASSIGN(auto optimizer, optimizers::makeOptimizer(parsed, m_setup.seed()));
        m_optimizers.push_back(std::move(optimizer));
        if (!setScalars(m_optimizers.size() - 1, message)) {
            return fail(ErrorCode::InvalidArgument, kSetup, "an optimizer has other numbers");
        }
    }
    for (const wire::Part& part : m_setup.part()) {
        const bool isTrained = part.optimizer() >= 0;
        if (part.optimizer() >= static_cast<int>(m_optimizers.size()) || part.cols() < 1 ||
            part.count() < 0 || part.count() % part.cols() != 0 || m_partOf.contains(part.id())) {
            return fail(ErrorCode::InvalidArgument, kSetup, "a part of a variable is impossible");
        }
        m_partOf[part.id()] = m_parts.size();
        const std::size_t slots =
            isTrained ? m_optimizers[static_cast<std::size_t>(part.optimizer())]->slots().size()
                      : 0;
        m_parts.emplace_back(part, slots);
    }
    m_presence.resize(static_cast<std::size_t>(m_setup.tasks()));
    setRecords(m_setup);
    return {};
}

void ParameterStore::enter(int rank, std::uint64_t incarnation)
{
    wire::TaskRecord& record = m_records.at(static_cast<std::size_t>(rank));
    Presence& presence = m_presence[static_cast<std::size_t>(rank)];
    // A connection that has broken may be found out about only after its successor is there:
    // conversations are counted, so that the end of the old one does not send the task away.
    presence.wasSeen = true;
    ++presence.conversations;
    if (record.incarnation() != incarnation) {
        // A new process of the task. It numbers its pushes anew, and its predecessor's, which waits
        // in a round, is dropped. leave() of the predecessor has no effect from now on.
        presence.conversations = 1;
        record.set_incarnation(incarnation);
        record.set_sequence(0);
        record.clear_begun();
        m_waiting.erase(rank);
        ++m_changes;
    }
}

void ParameterStore::leave(int rank, std::uint64_t incarnation)
{
    Presence& presence = m_presence.at(static_cast<std::size_t>(rank));
    if (m_records[static_cast<std::size_t>(rank)].incarnation() == incarnation &&
        presence.conversations > 0) {
        --presence.conversations;
        completeRound();
    }
}

void ParameterStore::forgetPresence()
{
    std::ranges::fill(m_presence, Presence());
}

wire::Position ParameterStore::positionOf(int rank) const
{
    const wire::TaskRecord& record = m_records.at(static_cast<std::size_t>(rank));
    return record.has_position() ? record.position() : m_setup.position();
}

int ParameterStore::othersOf(int rank) const
{
    int others = 0;
    for (std::size_t other = 0; other < m_presence.size(); ++other) {
        const bool isHere = m_presence[other].conversations > 0;
        others += isHere && static_cast<int>(other) != rank ? 1 : 0;
    }
    return others;
}

int ParameterStore::unseen() const
{
    return static_cast<int>(std::ranges::count(m_presence, false, &Presence::wasSeen));
}

std::optional<std::size_t> ParameterStore::payloadSize(const wire::Push& push) const
{
    std::size_t size = 0;
    for (const wire::Segment& segment : push.segment()) {
        const auto found = m_partOf.find(segment.part());
        if (found == m_partOf.end()) {
            return std::nullopt;
        }
        const StoredPart& part = m_parts[found->second];
        const auto elements = static_cast<std::int64_t>(part.values().size());
        if (segment.first() < 0 || segment.count() < 0 || segment.first() > elements ||
            segment.count() > elements - segment.first() ||
            (segment.rows() >= 0 && (segment.rows() > segment.count() / part.cols() ||
                                     segment.count() % part.cols() != 0 || part.optimizer() < 0))) {
            return std::nullopt;
        }
        size += sizeOf(segment, part.cols());
    }
    return size;
}

bool ParameterStore::hasItsRows(const wire::Push& push, std::span<const std::byte> payload) const
{
    for (const wire::Segment& segment : push.segment()) {
        const std::int64_t cols = m_parts[index(segment.part())].cols();
        if (segment.rows() >= 0) {
            const auto rows = view<std::int32_t>(payload, static_cast<std::size_t>(segment.rows()));
            const std::int64_t end = segment.count() / cols;
            if (std::ranges::any_of(rows,
                                    [&](std::int64_t row) { return row < 0 || row >= end; })) {
                return false;
            }
        }
        payload = payload.subspan(sizeOf(segment, cols));
    }
    return true;
}

bool ParameterStore::waitsForOthers(const wire::Push& push) const
{
    if (push.step() == 0 && m_setup.has_rounds()) {
        return true;
    }
    return std::ranges::any_of(push.segment(), [this](const wire::Segment& segment) {
        return m_parts[index(segment.part())].isSync();
    });
}

/// sum() adds up the gradients of a round in their order, so all tasks must push the same ones.
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
            if (m_parts[index(segment.part())].isSync()) {
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
    wire::TaskRecord& record = m_records.at(static_cast<std::size_t>(rank));
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
        apply(contribution, false);
        this->record(rank, contribution.push, step);
        payload = std::move(contribution.payload);
        return {.step = step};
    }
    // The parts that wait for nobody are applied now, the others with the round. `begun` remembers
    // the first half, so that the same push, sent again, does not apply it twice.
    if (const auto before = m_waiting.find(rank);
        before == m_waiting.end() || before->second.push.sequence() != sequence) {
        if (record.begun() != sequence) { // or files have brought back what it has done
            beginStep(m_setup.has_rounds() ? m_step + 1 : m_step);
            apply(contribution, false);
            record.set_begun(sequence);
            ++m_changes;
        }
        m_waiting.insert_or_assign(rank, std::move(contribution));
    }
    completeRound();
    return outcomeOf(rank, incarnation, sequence);
}

PushOutcome ParameterStore::outcomeOf(int rank, std::uint64_t incarnation,
                                      std::int64_t sequence) const
{
    const wire::TaskRecord& record = m_records.at(static_cast<std::size_t>(rank));
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

void ParameterStore::record(int rank, const wire::Push& push, std::int64_t step)
{
    wire::TaskRecord& record = m_records[static_cast<std::size_t>(rank)];
    record.set_sequence(push.sequence());
    record.set_step(step);
    *record.mutable_position() = push.position();
    ++m_changes;
    if (push.has_batch()) {
        record.clear_batch();
        (void)lease(rank);
    }
}

void ParameterStore::completeRound()
{
    for (std::size_t rank = 0; rank < m_presence.size(); ++rank) {
        if (!m_presence[rank].isGone() && !m_waiting.contains(static_cast<int>(rank))) {
            return;
        }
    }
    if (m_waiting.empty()) {
        return;
    }
    // Ordered by rank: the tree of applyMean() does not depend on who came first.
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
    applyMean(contributions);
    for (const auto& [rank, contribution] : round) {
        record(rank, contribution.push, step);
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
    for (std::size_t i = 0; i < m_optimizers.size(); ++i) {
        const wire::Optimizer& began = m_setup.optimizer(static_cast<int>(i));
        const std::int64_t before = step - 1;
        m_optimizers[i]->beginStep(
            began.owns_global_step() ? before : began.iterations() + before - m_setup.first_step());
    }
}

std::vector<ParameterStore::Gradient>
ParameterStore::gradientsOf(const Contribution& contribution, bool sync,
                            std::vector<std::size_t>& parts) const
{
    std::vector<Gradient> gradients;
    std::span<const std::byte> rest = contribution.payload;
    for (const wire::Segment& segment : contribution.push.segment()) {
        const std::size_t at = index(segment.part());
        const StoredPart& part = m_parts[at];
        const auto bytes = rest.first(sizeOf(segment, part.cols()));
        rest = rest.subspan(bytes.size());
        if (part.isSync() != sync) {
            continue;
        }
        parts.push_back(at);
        Gradient& gradient = gradients.emplace_back();
        gradient.first = segment.first();
        gradient.count = segment.count();
        gradient.isSparse = segment.rows() >= 0;
        if (!gradient.isSparse) {
            gradient.dense = view<float>(bytes, bytes.size() / sizeof(float));
            continue;
        }
        const auto rows = static_cast<std::size_t>(segment.rows());
        const auto numbers = view<std::int32_t>(bytes, rows);
        const auto values = view<float>(bytes.subspan(numbers.size_bytes()),
                                        rows * static_cast<std::size_t>(part.cols()));
        gradient.sparse.cols = part.cols();
        gradient.sparse.rows.assign(numbers.begin(), numbers.end());
        gradient.sparse.values.assign(values.begin(), values.end());
    }
    return gradients;
}

void ParameterStore::apply(const Contribution& contribution, bool sync)
{
    std::vector<std::size_t> parts;
    const std::vector<Gradient> gradients = gradientsOf(contribution, sync, parts);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        apply(parts[i], gradients[i]);
    }
}

std::vector<ParameterStore::Gradient>
ParameterStore::sum(std::span<const Contribution* const> contributions,
                    std::vector<std::size_t>& parts)
{
    if (contributions.size() == 1) {
        return gradientsOf(*contributions.front(), true, parts);
    }
    const std::size_t left = leftPart(contributions.size());
    std::vector<Gradient> total = sum(contributions.first(left), parts);
    std::vector<std::size_t> partsOfOthers;
    const std::vector<Gradient> other = sum(contributions.subspan(left), partsOfOthers);
    for (std::size_t i = 0; i < total.size() && i < other.size(); ++i) {
        Gradient& mine = total[i];
        if (mine.isSparse) {
            const StoredPart& part = m_parts[parts[i]];
            kernels::SparseGradient added;
            kernels::addSparse(mine.sparse, other[i].sparse, part.rows(), m_scratch, added);
            mine.sparse = std::move(added);
        } else {
            mine.sum.resize(mine.dense.size());
            std::ranges::transform(mine.dense, other[i].dense, mine.sum.begin(), std::plus<>());
            mine.dense = mine.sum;
        }
    }
    return total;
}

/// Of every sync part, by the tree that replicas add up with.
void ParameterStore::applyMean(std::span<const Contribution* const> contributions)
{
    std::vector<std::size_t> parts;
    std::vector<Gradient> gradients = sum(contributions, parts);
    const kernels::VectorKernels& vector = kernels::vectorKernels();
    const float share = 1.0F / static_cast<float>(contributions.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        Gradient& gradient = gradients[i];
        if (contributions.size() > 1) {
            vector.scale(m_pool, gradient.isSparse ? gradient.sparse.values : gradient.sum, share);
        }
        apply(parts[i], gradient);
    }
}

void ParameterStore::apply(std::size_t index, const Gradient& gradient)
{
    const kernels::FlushDenormals flush;
    StoredPart& part = m_parts[index];
    if (part.optimizer() >= 0) {
        return train(part, gradient);
    }
    // Without an optimizer, what was pushed is a change, not a gradient.
    kernels::vectorKernels().axpy(
        m_pool, 1.0F, gradient.dense,
        part.values().subspan(static_cast<std::size_t>(gradient.first), gradient.dense.size()));
    part.markElements(gradient.first, gradient.count);
}

void ParameterStore::train(StoredPart& part, const Gradient& gradient)
{
    const optimizers::Optimizer& optimizer =
        *m_optimizers[static_cast<std::size_t>(part.optimizer())];
    const auto first = static_cast<std::size_t>(gradient.first);
    const auto count = static_cast<std::size_t>(gradient.count);
    const auto slot = [&](std::size_t number) {
        return number < part.slots() ? part.slot(number).subspan(first, count) : std::span<float>();
    };
    const kernels::OptimizerSlots slots{.first = slot(0), .second = slot(1), .third = slot(2)};
    const std::span<float> weights = part.values().subspan(first, count);
    if (gradient.isSparse) {
        const auto rows = static_cast<std::int64_t>(count) / part.cols();
        optimizer.applySparse(m_pool, kernels::matrixView(weights, rows, part.cols()), slots,
                              gradient.sparse);
    } else {
        optimizer.applyDense(m_pool, weights, slots, gradient.dense);
    }
    if (optimizer.keepsAverages()) {
        optimizer.average(m_pool, weights, slot(part.slots() - 1));
    }
    // Rows without a gradient move as well with some optimizers, and averages of all rows do:
    // then the whole range has to be written to the log.
    if (gradient.isSparse && !optimizer.movesEveryRow() && !optimizer.keepsAverages()) {
        part.markRows(gradient.first / part.cols(), gradient.sparse.rows);
    } else {
        part.markElements(gradient.first, gradient.count);
    }
}

} // namespace cannery::parameters
