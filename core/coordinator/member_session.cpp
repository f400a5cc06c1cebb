// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/member_session.h"

#include "core/coordinator/address.h"
#include "core/coordinator/refusals.h"

#include <algorithm>
#include <utility>

namespace cannery::coordinator {
namespace {

constexpr ErrorKind kUnreachable{
    "coordinator.unreachable",
    "The coordinator of this job at {} did not answer within {} s: {}. Start the chief, and check "
    "its host and port in TF_CONFIG and the network."};
constexpr ErrorKind kLost{
    "coordinator.lost",
    "The coordinator at {} has not come back within {} s: {}. Start the cluster again: it goes on "
    "from the last checkpoint."};
constexpr ErrorKind kJobEnded{"coordinator.job_ended", "The job {}{}"};
constexpr ErrorKind kGenerationBroken{
    "coordinator.generation_broken",
    "Generation {} of the cluster is broken: a task was lost or started again."};
constexpr ErrorKind kNoValue{
    "coordinator.no_value",
    "No task of the cluster has published \"{}\" within {} s; look for the reason in their logs."};
constexpr ErrorKind kValueTooLong{
    "coordinator.value_too_long",
    "The value of \"{}\" has {} bytes; the coordinator's store takes at most {}."};
constexpr ErrorKind kStopped{kStoppedId, "Waiting for the cluster was stopped."};
constexpr ErrorKind kConnecting{"coordinator.note_connecting",
                                "Waiting for the coordinator at {}: {}."};
constexpr ErrorKind kOwnClock{"coordinator.note_own_clock",
                              "The clock of this host is off by {} hours from the chief's: its "
                              "files have misleading times. Set its clock."};

constexpr std::size_t kLongestValue = 8 << 20;
/// Between attempts to connect; doubled each time.
constexpr std::chrono::milliseconds kFirstPause(50);
constexpr std::chrono::milliseconds kLongestPause(2000);
/// How often a request to stop is checked.
constexpr std::chrono::milliseconds kStopInterval(100);

std::int64_t unixTimeMsNow()
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

double inSeconds(std::chrono::milliseconds time)
{
    return std::chrono::duration<double>(time).count();
}

Note noteOf(const Error& error)
{
    return {error.id, error.sentence};
}

Error jobEndedError(const JobEnd& end)
{
    const std::string_view how = end.outcome == Outcome::Failed     ? "has failed"
                                 : end.outcome == Outcome::Stopping ? "was asked to stop"
                                                                    : "is done";
    return error(ErrorCode::Aborted, kJobEnded, how, end.reason.empty() ? "." : ": " + end.reason);
}

} // namespace

Member::Private::Private(Options options, cluster::HostPort address)
    : m_options(std::move(options)), m_address(std::move(address)),
      m_unixTimeMs(m_options.identity.unixTimeMs != 0 ? m_options.identity.unixTimeMs
                                                      : unixTimeMsNow()),
      m_thread([this] { attend(); })
{}

/// The thread ends by itself, and is joined as a member that was declared last.
Member::Private::~Private()
{
    const Lock lock(m_mutex);
    m_isClosing = true;
    m_changed.notify_all();
}

template <typename Condition>
Result<void> Member::Private::await(Lock& lock, Clock::time_point limit, const Condition& condition)
{
    while (!condition()) {
        if (m_failure) {
            return tl::make_unexpected(*m_failure);
        }
        // Looked at several times per second, as a flag wakes nobody.
        if (m_options.stop != nullptr && m_options.stop->load()) {
            return fail(ErrorCode::Cancelled, kStopped);
        }
        const Clock::time_point now = Clock::now();
        if (now >= limit) {
            return {};
        }
        m_changed.wait_until(lock, std::min(limit, now + kStopInterval));
    }
    return {};
}

Result<void> Member::Private::waitUntilWelcome()
{
    Lock lock(m_mutex);
    return await(lock, Clock::time_point::max(),
                 [this] { return m_wasWelcome || m_end.has_value(); });
}

Result<Generation> Member::Private::join()
{
    Lock lock(m_mutex);
    const auto hasFormed = [this] {
        return m_generation.number > m_returned && !isBrokenNow(m_generation.number);
    };
    if (!hasFormed()) {
        // This task need not be notified that its generation is broken.
        m_broken = m_reportedBroken = std::max(m_reportedBroken, m_generation.number);
        m_isJoining = true;
        wire::Report report;
        // The coordinator ignores it if a newer generation is known.
        report.mutable_join()->set_last(m_generation.number);
        send(std::move(report));
    }
    const Result<void> waited = await(lock, Clock::time_point::max(), hasFormed);
    m_isJoining = false;
    CANNERY_TRY(waited);
    // Each generation is returned once.
    m_returned = m_generation.number;
    return m_generation;
}

Result<void> Member::Private::rest()
{
    Lock lock(m_mutex);
    // A lasting failure breaks every generation, but is not the call that this waits for.
    return await(lock, Clock::time_point::max(),
                 [this] { return !m_failure && isBrokenNow(m_returned); });
}

Result<void> Member::Private::set(std::int64_t generation, const std::string& key,
                                  std::string bytes)
{
    // Checked here, as the coordinator would end the connection.
    if (bytes.size() > kLongestValue) {
        return fail(ErrorCode::InvalidArgument, kValueTooLong, key, bytes.size(), kLongestValue);
    }
    const Lock lock(m_mutex);
    if (isBrokenNow(generation)) {
        return tl::make_unexpected(brokenError(generation));
    }
    wire::Report report;
    report.mutable_put()->set_generation(generation);
    report.mutable_put()->set_key(key);
    report.mutable_put()->set_value(std::move(bytes));
    send(std::move(report));
    return {};
}

Result<std::string> Member::Private::get(std::int64_t generation, const std::string& key,
                                         std::chrono::milliseconds longest)
{
    Lock lock(m_mutex);
    const auto limit = Clock::now() + longest;
    const std::uint64_t number = ++m_lastQuestion;
    Question& question = m_questions[number];
    wire::Report report;
    report.mutable_get()->set_generation(generation);
    report.mutable_get()->set_key(key);
    report.mutable_get()->set_request(number);
    send(std::move(report));
    // A broken generation no longer answers.
    const Result<void> waited =
        await(lock, limit, [&] { return question.isAnswered || isBrokenNow(generation); });
    const Question answer = std::move(question);
    m_questions.erase(number);
    if (answer.bytes) {
        return *answer.bytes;
    }
    if (answer.isAnswered || isBrokenNow(generation)) {
        return tl::make_unexpected(brokenError(generation));
    }
    CANNERY_TRY(waited);
    return fail(ErrorCode::DeadlineExceeded, kNoValue, key, inSeconds(longest));
}

bool Member::Private::isBroken(std::int64_t generation) const
{
    const Lock lock(m_mutex);
    return isBrokenNow(generation);
}

bool Member::Private::isBrokenNow(std::int64_t generation) const
{
    return m_failure || generation <= m_broken || generation != m_generation.number;
}

Error Member::Private::brokenError(std::int64_t generation) const
{
    return m_failure ? *m_failure : error(ErrorCode::Aborted, kGenerationBroken, generation);
}

Result<void> Member::Private::reportStep(const StepTimes& times)
{
    const Lock lock(m_mutex);
    if (m_failure) {
        return tl::make_unexpected(*m_failure);
    }
    wire::Report report;
    *report.mutable_step() = toWire(times);
    send(std::move(report));
    return {};
}

Result<void> Member::Private::leave(const JobEnd& end)
{
    Lock lock(m_mutex);
    const auto limit = Clock::now() + m_options.heartBeats.deadAfter;
    // The job has ended: nobody waits for this task.
    if (m_end) {
        return {};
    }
    // Reported even after a request to stop.
    m_changed.wait_until(lock, limit, [this] { return m_isWelcome || m_failure; });
    if (m_failure) {
        return tl::make_unexpected(*m_failure);
    }
    if (!m_isWelcome) {
        return fail(ErrorCode::Unavailable, kLost, m_options.coordinatorAddress,
                    inSeconds(m_options.heartBeats.deadAfter), m_closeReason);
    }
    wire::Report report;
    *report.mutable_leave() = toWire(end);
    send(std::move(report));
    m_hasLeft = true;
    m_changed.wait_until(lock, limit, [this] { return m_isClosed || m_end; });
    return {};
}

std::optional<JobEnd> Member::Private::jobEnd() const
{
    const Lock lock(m_mutex);
    return m_end;
}

std::int64_t Member::Private::unixTimeMs() const
{
    return m_unixTimeMs +
           std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - m_started).count();
}

void Member::Private::send(wire::Report report)
{
    if (m_isWelcome && m_link != nullptr) {
        m_link->send(std::move(report));
    }
}

void Member::Private::received(const News& news)
{
    // Any news is a sign of life.
    const Lock lock(m_mutex);
    m_lastSign = Clock::now();
    std::visit([this](const auto& one) { take(one); }, news);
    m_changed.notify_all();
}

void Member::Private::take(const Welcome& news)
{
    m_isWelcome = true;
    // Clocks are compared once.
    if (!std::exchange(m_wasWelcome, true)) {
        m_clockHours = clockHours(unixTimeMs(), news.unixTimeMs);
    }
    // A connection was lost while joining, and the request with it.
    if (m_isJoining) {
        wire::Report report;
        report.mutable_join()->set_last(m_generation.number);
        send(std::move(report));
    }
}

void Member::Private::take(const Refused& news)
{
    m_failure = news.error;
}

void Member::Private::take(const Formed& news)
{
    m_generation = news.generation;
}

void Member::Private::take(const Broken& news)
{
    // News of an old generation may come late.
    if (news.generation <= m_broken) {
        return;
    }
    m_broken = news.generation;
    if (m_isJoining) { // broken before join() saw it
        wire::Report report;
        report.mutable_join()->set_last(m_generation.number);
        send(std::move(report));
    }
}

void Member::Private::take(const Ended& news)
{
    m_end = news.end;
    m_failure = jobEndedError(news.end);
}

void Member::Private::take(const Pulse&) {}

void Member::Private::take(const Value& news)
{
    if (const auto found = m_questions.find(news.request); found != m_questions.end()) {
        found->second = {.isAnswered = true, .bytes = news.bytes};
    }
}

void Member::Private::closed(const std::string& reason)
{
    const Lock lock(m_mutex);
    if (!std::exchange(m_isClosed, true)) {
        m_closeReason = reason;
    }
    m_changed.notify_all();
}

void Member::Private::attend()
{
    Lock lock(m_mutex);
    Absence absence{.since = Clock::now(), .pause = kFirstPause};
    while (!mustEnd()) {
        lock.unlock();
        keepConnection();
        lock.lock();
        // It was connected, so the next absence is timed from now on.
        if (std::exchange(m_isWelcome, false)) {
            absence = {.since = Clock::now(), .pause = kFirstPause};
        }
        loseGeneration();
        notifyBroken(lock);
        if (!mustEnd() && !awaitNextAttempt(absence, lock)) {
            break;
        }
    }
}

bool Member::Private::awaitNextAttempt(Absence& absence, Lock& lock)
{
    const std::chrono::milliseconds limit =
        m_wasWelcome ? m_options.coordinatorWait : m_options.connectWithin;
    const std::string address = m_options.coordinatorAddress;
    const auto elapsed = Clock::now() - absence.since;
    if (elapsed > limit) {
        m_failure = error(ErrorCode::Unavailable, m_wasWelcome ? kLost : kUnreachable, address,
                          inSeconds(limit), m_closeReason);
        m_changed.notify_all();
        return false;
    }
    // Reported once in an absence.
    if (elapsed > m_options.patience && !std::exchange(absence.isNoted, true)) {
        notify(lock, noteOf(error(ErrorCode::Unavailable, kConnecting, address, m_closeReason)));
    }
    // Spread over time: all members of a cluster lose a coordinator at the same moment.
    const auto pause = absence.pause + absence.pause * (m_options.identity.incarnation % 128) / 128;
    m_changed.wait_for(lock, pause, [this] { return mustEnd(); });
    absence.pause = std::min(2 * absence.pause, kLongestPause);
    return true;
}

void Member::Private::keepConnection()
{
    // Anew for each attempt: a chief that comes back may have another address.
    const Result<std::string> target = resolve(m_address);
    if (!target) {
        const Lock lock(m_mutex);
        m_closeReason = target.error().sentence;
        return;
    }
    {
        const Lock lock(m_mutex);
        m_isClosed = false;
    }
    Link link(*target, *this);
    Lock lock(m_mutex); // given up before the link waits for its end
    m_lastSign = Clock::now();
    MemberIdentity identity = m_options.identity;
    identity.unixTimeMs = unixTimeMs();
    wire::Report report;
    *report.mutable_hello() = toWire(identity, m_wasWelcome);
    link.send(std::move(report));
    m_link = &link;
    beatUntilClosed(link, lock);
    m_link = nullptr;
}

void Member::Private::beatUntilClosed(Link& link, Lock& lock)
{
    const HeartBeats& beats = m_options.heartBeats;
    auto next = Clock::now() + beats.interval;
    while (!m_isClosed && !m_isClosing && !m_failure) {
        m_changed.wait_until(lock, next, [this] {
            return m_isClosed || m_isClosing || m_failure || m_clockHours ||
                   m_reportedBroken < m_broken;
        });
        notifyBroken(lock);
        if (const auto hours = std::exchange(m_clockHours, std::nullopt)) {
            notify(lock, noteOf(error(ErrorCode::Unknown, kOwnClock, *hours)));
        }
        const auto now = Clock::now();
        if (now < next) {
            continue;
        }
        // A laptop that was asleep, for instance.
        const bool wasStopped = now - next > beats.deadAfter / 2;
        if (wasStopped) { // this process was: what has arrived meanwhile is read first
            m_lastSign = now;
        }
        if (now - m_lastSign > beats.deadAfter) {
            m_isClosed = true;
            m_closeReason = fmt::format("it was silent for {} s", inSeconds(beats.deadAfter));
            return;
        }
        if (m_isWelcome) {
            link.send(nextBeat(lock, !wasStopped));
        }
        next = now + beats.interval;
    }
}

wire::Report Member::Private::nextBeat(Lock& lock, bool mayReportStuck) const
{
    wire::Report report;
    report.mutable_beat();
    const std::int64_t generation = m_returned;
    // Without the lock, as the answer may need one that is held while this member is called.
    if (mayReportStuck && m_options.stuckWith && !isBrokenNow(generation)) {
        lock.unlock();
        const std::optional<int> rank = m_options.stuckWith();
        lock.lock();
        if (rank) {
            *report.mutable_beat() = toWire(Stuck{generation, *rank});
        }
    }
    return report;
}

/// Without a connection, nobody could report that the generation is broken, so it counts as broken.
void Member::Private::loseGeneration()
{
    m_broken = std::max(m_broken, m_generation.number);
    m_changed.notify_all();
}

void Member::Private::notifyBroken(Lock& lock)
{
    if (m_reportedBroken >= m_broken || m_hasLeft || m_isClosing) {
        m_reportedBroken = std::max(m_reportedBroken, m_broken);
        return;
    }
    m_reportedBroken = m_broken;
    if (m_options.onBroken) {
        const std::int64_t generation = m_broken;
        lock.unlock();
        m_options.onBroken(generation);
        lock.lock();
    }
}

void Member::Private::notify(Lock& lock, const Note& note)
{
    if (m_options.onNote) {
        lock.unlock();
        m_options.onNote(note);
        lock.lock();
    }
}

} // namespace cannery::coordinator
