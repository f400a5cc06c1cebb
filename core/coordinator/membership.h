// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/coordinator/coordinator.h"
#include "core/coordinator/news.h"
#include "core/coordinator/types.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cannery::coordinator {

/// The coordinator's end of a member's connection. Called with the membership's lock held: must
/// neither wait nor call the membership.
class Line
{
public:
    virtual ~Line() = default;
    virtual void send(News news) = 0;
    /// Ends the connection after what was sent has been delivered. The membership has forgotten the
    /// line and calls nothing more.
    virtual void close() = 0;
};

/// Who belongs to a job: the rules of the coordinator, without connections and clocks. Any thread;
/// news reach each line in the order in which they happen. Calls for a line that it does not know
/// (refused, closed) are ignored.
class Membership
{
public:
    using Time = std::chrono::steady_clock::time_point;

    struct Options
    {
        std::vector<std::string> tasks; ///< by rank
        MemberIdentity chief;
        std::chrono::milliseconds deadAfter{};
        std::chrono::milliseconds longestWait{}; ///< for a generation, while a task is absent
    };

    struct Arrival
    {
        MemberIdentity identity;
        /// This process belonged to the job before; it cannot replace another.
        bool isReturning = false;
        Time now;
        std::int64_t unixTimeMs = 0; ///< the coordinator's clock
    };

    explicit Membership(Options options);

    /// A process registers: Welcome, Refused, or Ended. The line must stay until lose() or close().
    void enter(Line& line, const Arrival& arrival);
    /// A sign of life, answered by Pulse.
    void beat(Line& line, Time now, const Stuck& stuck = {});
    /// `last`: the newest generation that the member knows. Ignored if that is older than the
    /// current one, unbroken.
    void join(Line& line, std::int64_t last, Time now);
    /// The values of a generation: ignored, or answered at once without bytes, if it is not the
    /// current one, unbroken.
    void put(Line& line, std::int64_t generation, std::string key, std::string bytes);
    void get(Line& line, std::int64_t generation, const std::string& key, std::uint64_t request);
    void reportStep(Line& line, const StepTimes& times);
    /// Its last word; the line is closed.
    void leave(Line& line, const JobEnd& end);
    /// The connection has ended.
    void lose(Line& line);

    /// To be called several times per `deadAfter`: finds who is silent, slow, or missing for too
    /// long, and tasks that all wait for each other: a connection between two of them is lost. If
    /// the calls themselves are late, this process was stopped, and nobody is blamed.
    void sweep(Time now);

    /// What has happened since the last call.
    std::vector<Note> takeNotes();
    std::vector<MemberStatus> members() const;
    /// By leave(), or because it could not go on. Everybody has been notified.
    bool hasEnded() const;

private:
    struct Seat
    {
        std::string task;
        std::string host;
        std::uint64_t incarnation = 0; ///< 0 if never taken
        Line* line = nullptr;          ///< null if absent
        Time lastSign;
        Stuck stuck;
        bool isWaiting = false;
        bool hasLeft = false;
        int restarts = 0;
        StepTimes lastStep;
        std::int64_t countedStep = 0;
        std::int64_t slowSteps = 0; ///< in a row

        bool isAbsent() const { return line == nullptr; }
        bool isMissing() const { return !isWaiting; } ///< for a generation
    };
    struct Waiting
    {
        Line* line = nullptr;
        std::uint64_t request = 0;
    };

    Seat* seatOf(Line& line);
    void take(Seat& seat, Line& line, const Arrival& arrival);
    /// Lets go of its line; the others' generation is broken.
    void vacate(Seat& seat);
    void breakGeneration();
    void formIfComplete();
    void end(const JobEnd& jobEnd);
    void dropSilent(Time now);
    void breakIfAllAreStuck();
    void noteMissing(Time now);
    void noteSlow();
    /// Their names.
    std::string missing(bool (Seat::*isMeant)() const) const;
    template <typename... Arguments>
    void note(const ErrorKind& kind, const Arguments&... arguments);

    const Options m_options;
    mutable std::mutex m_mutex;
    std::vector<Seat> m_seats; ///< by rank
    std::unordered_map<Line*, std::size_t> m_ranks;
    std::int64_t m_generation = 0; ///< the newest that anybody knows
    bool m_isWhole = false;        ///< the generation is not broken
    std::map<std::string, std::string, std::less<>> m_values;
    std::multimap<std::string, Waiting, std::less<>> m_waiting; ///< by key
    std::optional<Time> m_waitingSince;                         ///< somebody waits for a generation
    Time m_complete; ///< while somebody waits: when nobody was absent last, or the waiting began
    bool m_hasNotedMissing = false;
    std::optional<Time> m_swept;
    std::optional<JobEnd> m_end;
    std::vector<Note> m_notes;
};

} // namespace cannery::coordinator
