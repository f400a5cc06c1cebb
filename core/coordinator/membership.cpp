// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/membership.h"

#include "core/coordinator/refusals.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace cannery::coordinator {
namespace {

constexpr ErrorKind kReplaced{
    "coordinator.replaced",
    "Another process has taken {}: it was started later, at {}. This one ends."};

constexpr ErrorKind kFormed{"coordinator.note_formed", "Generation {} of {} tasks has formed."};
constexpr ErrorKind kLost{
    "coordinator.note_lost",
    "{} at {} is lost: its connection ended. The others wait until it is started again."};
constexpr ErrorKind kSilent{
    "coordinator.note_silent",
    "{} at {} is lost: it was silent for {} s. The others wait until it returns or is started "
    "again."};
constexpr ErrorKind kLostLink{
    "coordinator.note_lost_link",
    "{} at {} and {} at {} do not hear each other, though both are alive: the tasks connect anew. "
    "Check the network between these hosts."};
constexpr ErrorKind kAllStuck{
    "coordinator.note_all_stuck",
    "All tasks are alive but wait for each other, as if a connection between two of them were "
    "lost: they connect anew. Check the network between their hosts."};
constexpr ErrorKind kRestarted{"coordinator.note_restarted", "{} was started again, at {}."};
constexpr ErrorKind kStopping{"coordinator.note_stopping",
                              "{} at {} was asked to end. The others wait until it is started "
                              "again."};
constexpr ErrorKind kWaiting{"coordinator.note_waiting", "Waiting for {}."};
constexpr ErrorKind kSlow{
    "coordinator.note_slow",
    "{} at {} takes {} s for its share of a step, the others {} s: every step waits for it. "
    "Look for other programs, throttling or a slow disk on that host."};
constexpr ErrorKind kClock{
    "coordinator.note_clock",
    "The clock of {} at {} is off by {} hours from the chief's: its files have misleading times. "
    "Set its clock."};
constexpr ErrorKind kTaskFailed{"coordinator.task_failed", "{} at {} failed: {}"};
constexpr ErrorKind kNeverCame{
    "coordinator.never_came",
    "Gave up after waiting {} s for {}: start every task of the cluster, and look for the reason "
    "in the log of those."};
constexpr ErrorKind kCannotGoOn{
    "coordinator.cannot_go_on",
    "The chief needs every task once more, but {} has already finished; resume the run."};

/// "Waiting for …" is said this long after the first task asked for a generation.
constexpr std::chrono::seconds kMissingNoteDelay(5);
/// A task is slow if its steps take this many times the median, this often in a row. Of shorter
/// steps than this, most is the turn that a busy machine gives other programs.
constexpr double kSlowFactor = 5;
constexpr double kShortestSlowStep = 0.02;
constexpr std::int64_t kSlowSteps = 20;
/// At most this many missing tasks are named.
constexpr std::size_t kMostNames = 8;

double seconds(std::chrono::steady_clock::duration time)
{
    return std::chrono::duration<double>(time).count();
}

} // namespace

Membership::Membership(Options options) : m_options(std::move(options))
{
    // A seat for each task, in the order of ranks.
    for (const std::string& task : m_options.tasks) {
        m_seats.push_back({.task = task});
    }
}

void Membership::enter(Line& line, const Arrival& arrival)
{
    const std::lock_guard lock(m_mutex);
    const MemberIdentity& identity = arrival.identity;
    const auto refuse = [&line](Error why) {
        line.send(Refused{std::move(why)});
        line.close();
    };
    if (std::optional<Error> objection = objectionTo(identity, m_options.chief, m_options.tasks)) {
        return refuse(*std::move(objection));
    }
    // The job is over for whoever comes now.
    if (m_end) {
        line.send(Ended{*m_end});
        line.close();
        return;
    }
    Seat& seat = m_seats[static_cast<std::size_t>(identity.rank)];
    const bool isAnother = seat.incarnation != 0 && seat.incarnation != identity.incarnation;
    // The older process of the two: a newer one took its seat while it was away.
    if (isAnother && arrival.isReturning) {
        return refuse(error(ErrorCode::Aborted, kReplaced, seat.task, seat.host));
    }
    if (seat.line != nullptr) {
        if (isAnother) {
            seat.line->send(
                Refused{error(ErrorCode::Aborted, kReplaced, seat.task, identity.host)});
        }
        // A process that comes back takes its own seat again, too.
        vacate(seat);
    }
    if (isAnother) {
        ++seat.restarts;
        note(kRestarted, seat.task, identity.host);
    }
    take(seat, line, arrival);
}

void Membership::take(Seat& seat, Line& line, const Arrival& arrival)
{
    const MemberIdentity& identity = arrival.identity;
    seat.host = identity.host;
    seat.incarnation = identity.incarnation;
    seat.line = &line;
    seat.lastSign = arrival.now;
    seat.isWaiting = false;
    // Whoever has left may be started again.
    seat.hasLeft = false;
    seat.countedStep = 0;
    seat.slowSteps = 0;
    m_ranks[&line] = static_cast<std::size_t>(identity.rank);
    if (const auto hours = clockHours(identity.unixTimeMs, arrival.unixTimeMs)) {
        note(kClock, seat.task, seat.host, *hours);
    }
    line.send(Welcome{arrival.unixTimeMs});
}

void Membership::beat(Line& line, Time now, const Stuck& stuck)
{
    const std::lock_guard lock(m_mutex);
    if (Seat* seat = seatOf(line)) {
        seat->lastSign = now;
        seat->stuck = stuck;
        line.send(Pulse{});
    }
}

void Membership::join(Line& line, std::int64_t last, Time now)
{
    const std::lock_guard lock(m_mutex);
    Seat* seat = seatOf(line);
    // The member asked before it knew of the generation that has formed meanwhile.
    if (seat == nullptr || (m_isWhole && last < m_generation)) {
        return;
    }
    // One that asks for a new generation has left the old one.
    breakGeneration();
    seat->isWaiting = true;
    seat->lastSign = now;
    // After a restart of the chief, numbers go on from the highest that a member has seen.
    m_generation = std::max(m_generation, last);
    if (!m_waitingSince) {
        m_waitingSince = m_complete = now;
        m_hasNotedMissing = false;
    }
    // Workers may wait for the outcome of a chief that needs nobody any more; it must not wait for
    // workers that have gone.
    const auto gone = std::find_if(m_seats.begin(), m_seats.end(),
                                   [](const Seat& other) { return other.hasLeft; });
    if (m_seats.front().isWaiting && gone != m_seats.end()) {
        return end({Outcome::Failed, error(ErrorCode::Aborted, kCannotGoOn, gone->task).sentence});
    }
    formIfComplete();
}

void Membership::formIfComplete()
{
    Generation generation{.number = m_generation + 1, .size = static_cast<int>(m_seats.size())};
    for (const Seat& seat : m_seats) {
        if (!seat.isWaiting) {
            return;
        }
        // Hosts by rank, as the tasks connect with each other by them.
        generation.hosts.push_back(seat.host);
    }
    m_generation = generation.number;
    m_isWhole = true;
    m_waitingSince.reset();
    for (Seat& seat : m_seats) {
        seat.isWaiting = false;
        seat.line->send(Formed{generation});
        // Each is sent its own rank.
        ++generation.rank;
    }
    note(kFormed, generation.number, generation.size);
}

void Membership::breakGeneration()
{
    if (!m_isWhole) {
        return;
    }
    m_isWhole = false;
    for (const auto& [key, waiting] : m_waiting) {
        // Questions of a broken generation get an empty answer.
        waiting.line->send(Value{waiting.request, std::nullopt});
    }
    m_waiting.clear();
    m_values.clear();
    // All are notified, as those that compute do not ask.
    for (const Seat& seat : m_seats) {
        if (seat.line != nullptr) {
            seat.line->send(Broken{m_generation});
        }
    }
}

void Membership::put(Line& line, std::int64_t generation, std::string key, std::string bytes)
{
    const std::lock_guard lock(m_mutex);
    // A value of an old generation would mislead the new one.
    if (seatOf(line) == nullptr || !m_isWhole || generation != m_generation) {
        return;
    }
    const auto [first, last] = m_waiting.equal_range(key);
    // Those who asked before get it now.
    for (auto waiting = first; waiting != last; ++waiting) {
        waiting->second.line->send(Value{waiting->second.request, bytes});
    }
    m_waiting.erase(first, last);
    m_values.insert_or_assign(std::move(key), std::move(bytes));
}

void Membership::get(Line& line, std::int64_t generation, const std::string& key,
                     std::uint64_t request)
{
    const std::lock_guard lock(m_mutex);
    if (seatOf(line) == nullptr) {
        return;
    }
    if (!m_isWhole || generation != m_generation) {
        line.send(Value{request, std::nullopt});
    } else if (const auto found = m_values.find(key); found != m_values.end()) {
        line.send(Value{request, found->second});
    } else {
        m_waiting.emplace(key, Waiting{&line, request});
    }
}

void Membership::reportStep(Line& line, const StepTimes& times)
{
    const std::lock_guard lock(m_mutex);
    if (Seat* seat = seatOf(line)) {
        seat->lastStep = times;
    }
}

void Membership::leave(Line& line, const JobEnd& jobEnd)
{
    const std::lock_guard lock(m_mutex);
    Seat* seat = seatOf(line);
    if (seat == nullptr) {
        return;
    }
    // How the chief ends is how the job ends.
    if (seat == &m_seats.front()) {
        return end(jobEnd);
    }
    if (jobEnd.outcome == Outcome::Failed) {
        return end({Outcome::Failed,
                    error(ErrorCode::Aborted, kTaskFailed, seat->task, seat->host, jobEnd.reason)
                        .sentence});
    }
    if (jobEnd.outcome == Outcome::Stopping) {
        note(kStopping, seat->task, seat->host);
        return vacate(*seat);
    }
    // One that is done is not missed.
    seat->hasLeft = true;
    m_ranks.erase(&line);
    std::erase_if(m_waiting, [&line](const auto& entry) { return entry.second.line == &line; });
    std::exchange(seat->line, nullptr)->close();
}

void Membership::lose(Line& line)
{
    const std::lock_guard lock(m_mutex);
    if (Seat* seat = seatOf(line)) {
        note(kLost, seat->task, seat->host);
        vacate(*seat);
    }
}

void Membership::vacate(Seat& seat)
{
    breakGeneration();
    seat.isWaiting = false;
    // The last one has left: the next to wait starts the clock again.
    if (std::none_of(m_seats.begin(), m_seats.end(),
                     [](const Seat& other) { return other.isWaiting; })) {
        m_waitingSince.reset();
    }
    m_ranks.erase(seat.line);
    std::exchange(seat.line, nullptr)->close();
}

void Membership::end(const JobEnd& jobEnd)
{
    m_isWhole = false;
    m_waitingSince.reset();
    m_waiting.clear();
    m_values.clear();
    m_ranks.clear();
    m_end = jobEnd;
    for (Seat& seat : m_seats) {
        seat.isWaiting = false;
        if (Line* line = std::exchange(seat.line, nullptr)) {
            line->send(Ended{jobEnd});
            line->close();
        }
    }
}

void Membership::sweep(Time now)
{
    const std::lock_guard lock(m_mutex);
    // This process itself was stopped: beats may be waiting to be read.
    if (m_swept && now - *m_swept > m_options.deadAfter / 2) {
        for (Seat& seat : m_seats) {
            seat.lastSign = now;
        }
    }
    m_swept = now;
    dropSilent(now);
    breakIfAllAreStuck();
    noteSlow();
    noteMissing(now);
}

void Membership::dropSilent(Time now)
{
    for (Seat& seat : m_seats) {
        if (seat.line != nullptr && now - seat.lastSign > m_options.deadAfter) {
            note(kSilent, seat.task, seat.host, seconds(m_options.deadAfter));
            vacate(seat);
        }
    }
}

void Membership::breakIfAllAreStuck()
{
    // Whoever is not stuck is busy, and the others wait for good reason.
    if (!m_isWhole || !std::all_of(m_seats.begin(), m_seats.end(), [this](const Seat& seat) {
            return seat.line != nullptr && seat.stuck.generation == m_generation;
        })) {
        return;
    }
    const auto isLostLink = [this](std::size_t a, std::size_t b) {
        return m_seats[a].stuck.rank == static_cast<int>(b) &&
               m_seats[b].stuck.rank == static_cast<int>(a);
    };
    bool isNoted = false;
    for (std::size_t a = 0; a < m_seats.size(); ++a) {
        for (std::size_t b = a + 1; b < m_seats.size() && !isNoted; ++b) {
            if (isLostLink(a, b)) {
                note(kLostLink, m_seats[a].task, m_seats[a].host, m_seats[b].task, m_seats[b].host);
                isNoted = true;
            }
        }
    }
    if (!isNoted) {
        note(kAllStuck);
    }
    breakGeneration();
}

void Membership::noteMissing(Time now)
{
    if (!m_waitingSince) {
        return;
    }
    // Whoever is there but does not ask is busy, for example with an evaluation.
    if (std::none_of(m_seats.begin(), m_seats.end(), std::mem_fn(&Seat::isAbsent))) {
        m_complete = now;
    }
    const auto waited = now - *m_waitingSince;
    if (now - m_complete > m_options.longestWait) {
        // The wait is over when somebody has been missing for so long.
        end({Outcome::Failed, error(ErrorCode::DeadlineExceeded, kNeverCame,
                                    seconds(m_options.longestWait), missing(&Seat::isAbsent))
                                  .sentence});
    } else if (waited > kMissingNoteDelay && !std::exchange(m_hasNotedMissing, true)) {
        note(kWaiting, missing(&Seat::isMissing));
    }
}

void Membership::noteSlow()
{
    std::vector<double> times;
    for (const Seat& seat : m_seats) {
        if (seat.line != nullptr && seat.lastStep.step > 0) {
            times.push_back(seat.lastStep.computeSeconds);
        }
    }
    // A single task has nobody to compare with.
    if (times.size() < 2) {
        return;
    }
    // The lower median: of two tasks, the slower one is compared with the faster.
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) / 2);
    std::nth_element(times.begin(), middle, times.end());
    for (Seat& seat : m_seats) {
        const std::int64_t steps = seat.lastStep.step - seat.countedStep;
        if (seat.line == nullptr || steps <= 0) {
            continue;
        }
        seat.countedStep = seat.lastStep.step;
        // Short steps vary by chance.
        const bool isSlow =
            seat.lastStep.computeSeconds > std::max(kSlowFactor * *middle, kShortestSlowStep);
        const std::int64_t before =
            std::exchange(seat.slowSteps, isSlow ? seat.slowSteps + steps : 0);
        if (before < kSlowSteps && seat.slowSteps >= kSlowSteps) {
            note(kSlow, seat.task, seat.host, fmt::format("{:.2g}", seat.lastStep.computeSeconds),
                 fmt::format("{:.2g}", *middle));
        }
    }
}

std::string Membership::missing(bool (Seat::*isMeant)() const) const
{
    std::string names;
    std::size_t count = 0;
    for (const Seat& seat : m_seats) {
        if ((seat.*isMeant)() && ++count <= kMostNames) {
            names += (names.empty() ? "" : ", ") + seat.task;
        }
    }
    return count <= kMostNames ? names : fmt::format("{} and {} more", names, count - kMostNames);
}

Membership::Seat* Membership::seatOf(Line& line)
{
    const auto found = m_ranks.find(&line);
    return found == m_ranks.end() ? nullptr : &m_seats[found->second];
}

std::vector<Note> Membership::takeNotes()
{
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_notes, {});
}

std::vector<MemberStatus> Membership::members() const
{
    const std::lock_guard lock(m_mutex);
    std::vector<MemberStatus> statuses;
    for (const Seat& seat : m_seats) {
        statuses.push_back({.task = seat.task,
                            .host = seat.host,
                            .isPresent = seat.line != nullptr,
                            .isWaiting = seat.isWaiting,
                            .hasLeft = seat.hasLeft,
                            .restarts = seat.restarts,
                            .lastStep = seat.lastStep});
    }
    return statuses;
}

bool Membership::hasEnded() const
{
    const std::lock_guard lock(m_mutex);
    return m_end.has_value();
}

template <typename... Arguments>
void Membership::note(const ErrorKind& kind, const Arguments&... arguments)
{
    const Error built = error(ErrorCode::Unknown, kind, arguments...);
    m_notes.push_back({built.id, built.sentence});
}

} // namespace cannery::coordinator
