// SPDX-License-Identifier: Apache-2.0
#include "core/strategies/group_exchange.h"

#include "core/base/check.h"

#include <array>
#include <cstring>
#include <utility>

namespace cannery::strategies {

namespace {

constexpr ErrorKind kNotJoined{
    "strategies.not_joined", "This task has lost the other tasks of its cluster; start it again."};

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin)
{
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

} // namespace

GroupExchange::GroupExchange(const SumOptions& sums, std::int64_t processes)
    : m_sums(sums), m_processes(processes)
{}

GroupExchange::~GroupExchange()
{
    disconnect(); // before the thread ends that may wait in it
}

void GroupExchange::connect(std::unique_ptr<collectives::Communicator> communicator,
                            std::int64_t generation)
{
    const std::lock_guard lock(m_mutex);
    m_communicator = std::move(communicator);
    m_generation = generation;
}

void GroupExchange::disconnect()
{
    const std::lock_guard lock(m_mutex); // another thread may be aborting it
    m_communicator.reset();
}

void GroupExchange::abort(std::int64_t generation)
{
    const std::lock_guard lock(m_mutex);
    if (m_communicator != nullptr && generation >= m_generation) {
        m_communicator->abort();
        if (m_lost) {
            m_lost();
        }
    }
}

std::optional<int> GroupExchange::stuckWith(std::chrono::milliseconds longest) const
{
    const std::lock_guard lock(m_mutex);
    return m_communicator == nullptr ? std::nullopt : m_communicator->stuckWith(longest);
}

Result<void> GroupExchange::share(std::int64_t step, std::span<std::byte> state)
{
    std::array<std::int64_t, 1> own{step};
    std::vector<std::vector<std::byte>> all;
    CANNERY_TRY(m_communicator->allGatherV(std::as_bytes(std::span(own)), all));
    int furthest = 0;
    std::int64_t furthestStep = -1;
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
        std::int64_t reached = 0;
        CANNERY_CHECK(all[rank].size() == sizeof(reached));
        std::memcpy(&reached, all[rank].data(), sizeof(reached));
        if (reached > furthestStep) {
            furthest = static_cast<int>(rank);
            furthestStep = reached;
        }
    }
    return m_communicator->broadcast(state, furthest);
}

/// No pack is on its way yet, so that all processes make the same calls in the same order.
Result<void> GroupExchange::gather(std::span<double> all)
{
    if (m_communicator == nullptr) {
        return fail(ErrorCode::Unavailable, kNotJoined);
    }
    const Clock::time_point begin = Clock::now();
    const auto ranks = static_cast<std::size_t>(m_communicator->size());
    m_gathered.resize(ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        const std::size_t count = all.size() / ranks;
        m_gathered[rank] = std::as_writable_bytes(all.subspan(rank * count, count));
    }
    CANNERY_TRY(m_communicator->allGatherV(m_gathered));
    m_gatherSeconds += secondsSince(begin);
    return {};
}

void GroupExchange::begin(std::span<float> pack, bool isLast)
{
    if (isLast) {
        m_lastPack = pack; // this thread has nothing left to do meanwhile
        return;
    }
    if (m_thread == nullptr) {
        m_thread = std::make_unique<PackThread>(
            [this](std::span<float> values) { return sumPack(values); });
    }
    m_thread->begin(pack);
}

Result<void> GroupExchange::sumPack(std::span<float> pack)
{
    if (m_communicator == nullptr) {
        return fail(ErrorCode::Unavailable, kNotJoined);
    }
    return m_communicator->allReduce(pack);
}

Result<void> GroupExchange::finish(std::span<const plan::SparsePart> sparse)
{
    const Clock::time_point begin = Clock::now();
    CANNERY_TRY(sumAll(sparse));
    m_waitSeconds = std::exchange(m_gatherSeconds, 0) + secondsSince(begin);
    return {};
}

Result<void> GroupExchange::sumAll(std::span<const plan::SparsePart> sparse)
{
    if (m_thread != nullptr) {
        CANNERY_TRY(m_thread->finish());
    }
    CANNERY_TRY(sumPack(m_lastPack));
    return sparse.empty() ? Result<void>() : m_sparse.sum(*m_communicator, sparse);
}

plan::PackSizes GroupExchange::packSizes() const
{
    return packSizesFor(m_sums, m_processes);
}

void GroupExchange::whenLost(std::function<void()> lost)
{
    const std::lock_guard lock(m_mutex);
    m_lost = std::move(lost);
}

double GroupExchange::takeWaitSeconds()
{
    // Steps on GPUs do not end with finish().
    m_waitSeconds += std::exchange(m_gatherSeconds, 0);
    return std::exchange(m_waitSeconds, 0);
}

} // namespace cannery::strategies
