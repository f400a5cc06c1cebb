// SPDX-License-Identifier: Apache-2.0
#include "core/strategies/worker_group.h"

#include "core/base/fingerprint.h"
#include "core/base/interruption.h"
#include "core/base/process_token.h"
#include "core/collectives/gloo_communicator.h"
#include "core/coordinator/coordinator.h"
#include "core/coordinator/member.h"
#include "core/strategies/group_exchange.h"
#include "core/strategies/note_box.h"
#include "core/strategies/start_limit.h"
#include "core/strategies/task_names.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <thread>
#include <utility>

namespace cannery::strategies {

namespace {

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

} // namespace

class WorkerGroup::Private
{
public:
    explicit Private(Options options)
        : m_options(std::move(options)), m_exchange(m_options.sums, m_options.cluster.workerCount())
    {}
    ~Private()
    {
        m_exchange.disconnect();
        m_store.reset();
        m_member.reset();
    }

    Result<void> open(const std::string& identity, const std::function<void()>& passNotes);
    Result<void> join(const std::function<void()>& passNotes);
    Result<void> rest(const std::function<void()>& passNotes);
    void noteOrder();

    Options m_options;
    std::unique_ptr<coordinator::Coordinator> m_coordinator; ///< in the chief
    std::unique_ptr<coordinator::Member> m_member;
    NoteBox m_notes;
    GroupExchange m_exchange;
    Clock::time_point m_membersPassed; ///< when all workers were reported last

private:
    Result<void> connect();
    Result<void> noting(const std::function<void()>& passNotes,
                        const std::function<Result<void>()>& wait);
    std::optional<int> stuckWith() const;
    /// Of connecting: after another attempt in vain, whether there is to be one more.
    bool mayTryAgain(const Error& error, int attempts, Clock::time_point since);

    std::unique_ptr<collectives::KeyValueStore> m_store;
    std::atomic<bool> m_isResting = false;
    bool m_hasNotedNoConnection = false; ///< since the last join()
    StartLimit m_limit{m_options.stop};
    std::chrono::milliseconds m_longestWait{}; ///< for others in a call; then the chief is told
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
        .onBroken = [this](std::int64_t generation) { m_exchange.abort(generation); },
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

/// On the member's thread. A task that rests waits for all others.
std::optional<int> WorkerGroup::Private::stuckWith() const
{
    if (m_isResting) {
        return coordinator::Stuck::kAll;
    }
    return m_exchange.stuckWith(m_longestWait);
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
    m_exchange.connect(std::move(communicator), generation.number);
    if (m_member->isBroken(generation.number)) {
        m_exchange.abort(generation.number);
    }
    return {};
}

Result<void> WorkerGroup::Private::join(const std::function<void()>& passNotes)
{
    m_exchange.disconnect();
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
    return m_private->m_exchange.share(step, state);
}

plan::GradientExchange& WorkerGroup::exchange()
{
    return m_private->m_exchange;
}

double WorkerGroup::waitSeconds() const
{
    return m_private->m_exchange.waitSeconds();
}

bool WorkerGroup::isLoss(const Error& error)
{
    return error.id == "collectives.peer_lost" || error.id == "collectives.timed_out" ||
           error.id == "coordinator.generation_broken";
}

void WorkerGroup::reportSteps(std::int64_t last, std::int64_t count, double seconds)
{
    const double waited = std::min(seconds, m_private->m_exchange.takeWaitSeconds());
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
