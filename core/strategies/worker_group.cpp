// SPDX-License-Identifier: Apache-2.0
#include "core/strategies/worker_group.h"

#include "core/base/check.h"
#include "core/base/fingerprint.h"
#include "core/base/interruption.h"
#include "core/base/process_token.h"
#include "core/collectives/gloo_communicator.h"
#include "core/coordinator/coordinator.h"
#include "core/coordinator/member.h"
#include "core/strategies/note_box.h"
#include "core/strategies/pack_thread.h"
#include "core/strategies/sparse_exchange.h"
#include "core/strategies/start_limit.h"
#include "core/strategies/task_names.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <future>
#include <mutex>

namespace cannery::strategies {

namespace {

constexpr ErrorKind kNotJoined{
    "strategies.not_joined", "This task has lost the other tasks of its cluster; start it again."};

constexpr ErrorKind kNotInTime{
    "strategies.not_joined_in_time",
    "The other tasks of the cluster have not joined within {} seconds: start them, or give them "
    "more time by session_creation_timeout_secs of the run_config."};

using Clock = std::chrono::steady_clock;

constexpr std::string_view kNoConnectionId = "collectives.no_connection";

/// So often in a row, and for so long, a task tries to connect with others that are there.
constexpr int kFewestAttempts = 3;
constexpr std::chrono::seconds kLongestTrying(60);
constexpr std::chrono::milliseconds kPauseBetweenAttempts(200);
/// It says so after this time.
constexpr std::chrono::seconds kPatience(5);

/// A peer that is alive may save, evaluate or be paused for long; who is dead is the heart-beats'
/// business.
constexpr std::chrono::hours kLongestStep(24 * 365);
/// Of one attempt: the system repeats a lost request after 1, 3 and 7 s.
constexpr std::chrono::seconds kLongestConnecting(10);
constexpr std::chrono::milliseconds kNoteInterval(50);
constexpr std::chrono::milliseconds kMembersInterval(200);

/// Being asked to end is no failure of the cluster.
tl::unexpected<Error> translated(Error error)
{
    if (error.id == coordinator::kStoppedId) {
        error.id = kInterruptedId;
    }
    return tl::make_unexpected(std::move(error));
}

double secondsSince(Clock::time_point begin)
{
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

} // namespace

class WorkerGroup::Private
{
public:
    explicit Private(Options options) : m_options(std::move(options)) {}
    ~Private()
    {
        {
            const std::lock_guard lock(m_mutex); // the member's thread may be aborting it
            m_communicator.reset();
        }
        m_thread.reset();
        m_store.reset();
        m_member.reset();
    }

    Result<void> open(const std::string& identity, const std::function<void()>& passNotes);
    Result<void> join(const std::function<void()>& passNotes);
    Result<void> rest(const std::function<void()>& passNotes);
    Result<void> share(std::int64_t step, std::span<std::byte> state);
    Result<void> gather(std::span<double> all);
    void begin(std::span<float> pack, bool isLast);
    Result<void> finish(std::span<const plan::SparsePart> sparse);
    void noteOrder();

    Options m_options;
    std::unique_ptr<coordinator::Coordinator> m_coordinator; ///< in the chief
    std::unique_ptr<coordinator::Member> m_member;
    NoteBox m_notes;
    double m_waitSeconds = 0;          ///< for others, in the last step
    double m_gatherSeconds = 0;        ///< of it in this one, so far
    Clock::time_point m_membersPassed; ///< when all workers were reported last
    mutable std::mutex m_mutex;        ///< for the next, the communicator and its generation
    std::function<void()> m_lost;      ///< or empty

private:
    Result<void> connect();
    Result<void> sumPack(std::span<float> pack);
    Result<void> sumAll(std::span<const plan::SparsePart> sparse);
    Result<void> noting(const std::function<void()>& passNotes,
                        const std::function<Result<void>()>& wait);
    void broke(std::int64_t generation);
    std::optional<int> stuckWith() const;
    /// Of connecting: after another attempt in vain, whether there is to be one more.
    bool mayTryAgain(const Error& error, int attempts, Clock::time_point since);

    std::unique_ptr<collectives::KeyValueStore> m_store;
    SparseExchange m_sparse;
    std::unique_ptr<PackThread> m_thread; ///< made when a step has several packs
    std::span<float> m_lastPack;
    std::vector<std::span<std::byte>> m_gathered; ///< by rank
    std::atomic<bool> m_isResting = false;
    bool m_hasNotedNoConnection = false; ///< since the last join()
    StartLimit m_limit{m_options.stop};
    std::chrono::milliseconds m_longestWait{}; ///< for others in a call; then the chief is told
    std::unique_ptr<collectives::Communicator> m_communicator; ///< replaced by this thread only
    std::int64_t m_generation = 0;
};

Result<void> WorkerGroup::Private::open(const std::string& identity,
                                        const std::function<void()>& passNotes)
{
    const cluster::ClusterSpec& cluster = m_options.cluster;
    coordinator::MemberIdentity own{.task =
                                        taskName({.type = cluster.type, .index = cluster.index}),
                                    .rank = cluster.rank(),
                                    .incarnation = newProcessToken(),
                                    .version = m_options.version,
                                    .digest = fmt::format("{:016x}", fingerprint64(identity)),
                                    .experiment = identity,
                                    .host = hostOf(cluster.ownAddress()),
                                    .token = m_options.token};
    const coordinator::HeartBeats heartBeats{
        .interval = std::chrono::milliseconds(
            static_cast<std::int64_t>(std::min(1.0, m_options.silenceSeconds / 4) * 1000)),
        .deadAfter =
            std::chrono::milliseconds(static_cast<std::int64_t>(m_options.silenceSeconds * 1000))};
    m_longestWait = heartBeats.deadAfter - 2 * heartBeats.interval;
    std::string address = cluster.chiefAddress();
    const auto sink = [this](const coordinator::Note& note) { m_notes.add(note); };
    if (cluster.isChief()) {
        std::vector<std::string> tasks;
        for (int rank = 0; rank < cluster.workerCount(); ++rank) {
            tasks.push_back(taskName(cluster.tasks[static_cast<std::size_t>(rank)]));
        }
        CANNERY_TRY_ASSIGN(m_coordinator,
                           coordinator::Coordinator::start({.address = address,
                                                            .tasks = std::move(tasks),
                                                            .chief = own,
                                                            .heartBeats = heartBeats,
                                                            .onNote = sink}));
        address = m_coordinator->localAddress();
    }
    coordinator::Member::Options options{
        .coordinatorAddress = address,
        .identity = std::move(own),
        .heartBeats = heartBeats,
        .onNote = sink,
        .onBroken = [this](std::int64_t generation) { broke(generation); },
        .stuckWith = [this] { return stuckWith(); },
        .stop = &m_limit.mustEnd()};
    options.connectWithin =
        std::chrono::milliseconds(static_cast<std::int64_t>(m_options.startSeconds * 1000));
    Result<void> connected = noting(passNotes, [&]() -> Result<void> {
        CANNERY_TRY_ASSIGN(m_member, coordinator::Member::connect(std::move(options)));
        return {};
    });
    return connected ? connected : translated(std::move(connected).error());
}

/// On the member's thread: what waits for a lost peer must not wait for ever.
void WorkerGroup::Private::broke(std::int64_t generation)
{
    const std::lock_guard lock(m_mutex);
    if (m_communicator != nullptr && generation >= m_generation) {
        m_communicator->abort();
        if (m_lost) {
            m_lost();
        }
    }
}

/// On the member's thread. A task that rests waits for all others.
std::optional<int> WorkerGroup::Private::stuckWith() const
{
    if (m_isResting) {
        return coordinator::Stuck::kAll;
    }
    const std::lock_guard lock(m_mutex);
    return m_communicator == nullptr ? std::nullopt : m_communicator->stuckWith(m_longestWait);
}

Result<void> WorkerGroup::Private::connect()
{
    CANNERY_TRY_ASSIGN(const coordinator::Generation generation, m_member->join());
    m_store = m_member->store(generation);
    const auto isInVain = [&] {
        return m_member->isBroken(generation.number) || m_limit.mustEnd().load();
    };
    CANNERY_TRY_ASSIGN(auto communicator,
                       collectives::connectGloo({.rank = generation.rank,
                                                 .size = generation.size,
                                                 .store = m_store.get(),
                                                 .prefix = fmt::format("g{}", generation.number),
                                                 .host = hostOf(m_options.cluster.ownAddress()),
                                                 .summation = summationOf(m_options.sums),
                                                 .connectTimeout = kLongestConnecting,
                                                 .isInVain = isInVain,
                                                 .timeout = kLongestStep}));
    {
        const std::lock_guard lock(m_mutex);
        m_communicator = std::move(communicator);
        m_generation = generation.number;
    }
    if (m_member->isBroken(generation.number)) {
        broke(generation.number);
    }
    return {};
}

Result<void> WorkerGroup::Private::join(const std::function<void()>& passNotes)
{
    {
        const std::lock_guard lock(m_mutex);
        m_communicator.reset();
    }
    m_hasNotedNoConnection = false;
    m_limit.begin(m_options.startSeconds);
    int attempts = 0;
    std::optional<Clock::time_point> firstInVain;
    for (;;) {
        const Clock::time_point begin = Clock::now();
        Result<void> result = noting(passNotes, [this] { return connect(); });
        if (result) {
            m_limit.reached();
            return {};
        }
        if (m_limit.isLate()) {
            return fail(ErrorCode::DeadlineExceeded, kNotInTime, m_options.startSeconds);
        }
        if (isLoss(result.error())) {
            continue;
        }
        // Of a peer that dies while it connects, or of a link that is lost or comes back, the
        // connection may be the first to tell.
        if (result.error().id != kNoConnectionId ||
            !mayTryAgain(result.error(), ++attempts, firstInVain.value_or(begin))) {
            return translated(std::move(result).error());
        }
        firstInVain = firstInVain.value_or(begin);
    }
}

bool WorkerGroup::Private::mayTryAgain(const Error& error, int attempts, Clock::time_point since)
{
    const auto waited = Clock::now() - since;
    if (attempts >= kFewestAttempts && waited > kLongestTrying) {
        return false;
    }
    if (waited > kPatience && !std::exchange(m_hasNotedNoConnection, true)) {
        m_notes.add({error.id, error.sentence});
    }
    std::this_thread::sleep_for(kPauseBetweenAttempts);
    return true;
}

Result<void> WorkerGroup::Private::rest(const std::function<void()>& passNotes)
{
    m_isResting = true;
    Result<void> called = noting(passNotes, [this] { return m_member->rest(); });
    m_isResting = false;
    return called ? called : translated(std::move(called).error());
}

/// Waits on a thread of its own, while notes are passed on.
Result<void> WorkerGroup::Private::noting(const std::function<void()>& passNotes,
                                          const std::function<Result<void>()>& wait)
{
    std::future<Result<void>> waited = std::async(std::launch::async, wait);
    m_limit.look();
    while (waited.wait_for(kNoteInterval) != std::future_status::ready) {
        m_limit.look();
        passNotes();
    }
    passNotes();
    return waited.get();
}

Result<void> WorkerGroup::Private::share(std::int64_t step, std::span<std::byte> state)
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
Result<void> WorkerGroup::Private::gather(std::span<double> all)
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

void WorkerGroup::Private::begin(std::span<float> pack, bool isLast)
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

Result<void> WorkerGroup::Private::sumPack(std::span<float> pack)
{
    if (m_communicator == nullptr) {
        return fail(ErrorCode::Unavailable, kNotJoined);
    }
    return m_communicator->allReduce(pack);
}

Result<void> WorkerGroup::Private::finish(std::span<const plan::SparsePart> sparse)
{
    const Clock::time_point begin = Clock::now();
    CANNERY_TRY(sumAll(sparse));
    m_waitSeconds = std::exchange(m_gatherSeconds, 0) + secondsSince(begin);
    return {};
}

Result<void> WorkerGroup::Private::sumAll(std::span<const plan::SparsePart> sparse)
{
    if (m_thread != nullptr) {
        CANNERY_TRY(m_thread->finish());
    }
    CANNERY_TRY(sumPack(m_lastPack));
    return sparse.empty() ? Result<void>() : m_sparse.sum(*m_communicator, sparse);
}

void WorkerGroup::Private::noteOrder()
{
    if (!m_options.sums.isExact) {
        m_notes.add(orderNote(m_options.cluster.workerCount()));
    }
}

WorkerGroup::WorkerGroup(Options options) : m_private(std::make_unique<Private>(std::move(options)))
{}

WorkerGroup::~WorkerGroup() = default;

Process WorkerGroup::process() const
{
    const cluster::ClusterSpec& cluster = m_private->m_options.cluster;
    const std::string own = hostOf(cluster.ownAddress());
    const auto before = std::span(cluster.tasks).first(static_cast<std::size_t>(cluster.rank()));
    const auto isHere = [&](const cluster::Task& task) { return hostOf(task.address) == own; };
    return {.rank = cluster.rank(),
            .count = cluster.workerCount(),
            .rankOnHost = std::ranges::count_if(before, isHere)};
}

void WorkerGroup::passNotes()
{
    for (const coordinator::Note& note : m_private->m_notes.take()) {
        if (m_sink) {
            m_sink(note);
        }
    }
    const Clock::time_point now = Clock::now();
    if (m_membersSink && m_private->m_coordinator != nullptr &&
        now - m_private->m_membersPassed >= kMembersInterval) {
        m_private->m_membersPassed = now;
        m_membersSink(m_private->m_coordinator->members());
    }
}

Result<void> WorkerGroup::open(const std::string& identity)
{
    CANNERY_TRY(m_private->open(identity, [this] { passNotes(); }));
    m_private->noteOrder();
    return {};
}

Result<void> WorkerGroup::join()
{
    return m_private->join([this] { passNotes(); });
}

Result<void> WorkerGroup::rest()
{
    return m_private->rest([this] { passNotes(); });
}

Result<void> WorkerGroup::share(std::int64_t step, std::span<std::byte> state)
{
    return m_private->share(step, state);
}

Result<void> WorkerGroup::gather(std::span<double> all)
{
    return m_private->gather(all);
}

plan::PackSizes WorkerGroup::packSizes() const
{
    return packSizesFor(m_private->m_options.sums, process().count);
}

void WorkerGroup::begin(std::span<float> pack, bool isLast)
{
    m_private->begin(pack, isLast);
}

Result<void> WorkerGroup::finish(std::span<const plan::SparsePart> sparse)
{
    return m_private->finish(sparse);
}

void WorkerGroup::whenLost(std::function<void()> lost)
{
    const std::lock_guard lock(m_private->m_mutex);
    m_private->m_lost = std::move(lost);
}

double WorkerGroup::waitSeconds() const
{
    return m_private->m_waitSeconds;
}

bool WorkerGroup::isLoss(const Error& error)
{
    return error.id == "collectives.peer_lost" || error.id == "collectives.timed_out" ||
           error.id == "coordinator.generation_broken";
}

void WorkerGroup::reportSteps(std::int64_t last, std::int64_t count, double seconds)
{
    // Steps on GPUs do not end with finish().
    m_private->m_waitSeconds += std::exchange(m_private->m_gatherSeconds, 0);
    const double waited = std::min(seconds, std::exchange(m_private->m_waitSeconds, 0));
    const auto share = static_cast<double>(count);
    // Only the chief's table of workers misses it.
    (void)m_private->m_member->reportStep({.step = last,
                                           .computeSeconds = (seconds - waited) / share,
                                           .waitSeconds = waited / share});
}

std::optional<coordinator::JobEnd> WorkerGroup::jobEnd() const
{
    return m_private->m_member == nullptr ? std::nullopt : m_private->m_member->jobEnd();
}

void WorkerGroup::leave(coordinator::Outcome outcome, const std::string& reason)
{
    if (m_private->m_member == nullptr) {
        return;
    }
    // If nobody listens any more, there is nobody to tell.
    (void)m_private->m_member->leave(outcome, reason);
}

} // namespace cannery::strategies
