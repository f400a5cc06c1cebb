// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/cluster/host_port.h"
#include "core/coordinator/link.h"
#include "core/coordinator/member.h"

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace cannery::coordinator {

/// The state of a Member, and the thread that keeps its connection.
class Member::Private final : public Link::Listener
{
public:
    Private(Options options, cluster::HostPort address);
    ~Private() override;

    Result<void> waitUntilWelcome();
    Result<Generation> join();
    Result<void> rest();
    Result<void> set(std::int64_t generation, const std::string& key, std::string bytes);
    Result<std::string> get(std::int64_t generation, const std::string& key,
                            std::chrono::milliseconds longest);
    bool isBroken(std::int64_t generation) const;
    Result<void> reportStep(const StepTimes& times);
    Result<void> leave(const JobEnd& end);
    std::optional<JobEnd> jobEnd() const;

private:
    using Clock = std::chrono::steady_clock;
    using Lock = std::unique_lock<std::mutex>;
    struct Question
    {
        bool isAnswered = false;
        std::optional<std::string> bytes;
    };
    /// How long the coordinator has been away.
    struct Absence
    {
        Clock::time_point since;
        std::chrono::milliseconds pause{};
        bool isNoted = false;
    };

    void received(const News& news) override;
    void closed(const std::string& reason) override;
    void take(const Welcome& news);
    void take(const Refused& news);
    void take(const Formed& news);
    void take(const Broken& news);
    void take(const Ended& news);
    void take(const Pulse& news);
    void take(const Value& news);

    /// The thread: one connection after another.
    void attend();
    void keepConnection();
    void beatUntilClosed(Link& link, Lock& lock);
    /// False: no further attempt.
    bool awaitNextAttempt(Absence& absence, Lock& lock);
    wire::Report nextBeat(Lock& lock, bool mayReportStuck) const;
    void notifyBroken(Lock& lock);
    void notify(Lock& lock, const Note& note);

    std::int64_t unixTimeMs() const;
    void send(wire::Report report);
    void loseGeneration();
    bool mustEnd() const { return m_isClosing || m_hasLeft || m_failure.has_value(); }
    bool isBrokenNow(std::int64_t generation) const;
    Error brokenError(std::int64_t generation) const;
    /// Waits for a condition, a lasting failure, or a request to stop; in vain: until the limit.
    template <typename Condition>
    Result<void> await(Lock& lock, Clock::time_point limit, const Condition& condition);

    const Options m_options;
    const cluster::HostPort m_address; ///< of the coordinator
    const Clock::time_point m_started = Clock::now();
    const std::int64_t m_unixTimeMs; ///< when it started
    mutable std::mutex m_mutex;      ///< guards everything below
    std::condition_variable m_changed;
    Link* m_link = nullptr;
    bool m_isWelcome = false;  ///< on the current connection
    bool m_wasWelcome = false; ///< on any
    bool m_isClosed = false;   ///< the current connection
    std::string m_closeReason;
    Clock::time_point m_lastSign;
    std::optional<double> m_clockHours; ///< to be noted

    Generation m_generation;           ///< the newest known
    std::int64_t m_returned = 0;       ///< by join()
    std::int64_t m_broken = 0;         ///< the newest that is broken
    std::int64_t m_reportedBroken = 0; ///< the newest that onBroken was called for
    bool m_isJoining = false;
    std::map<std::uint64_t, Question> m_questions;
    std::uint64_t m_lastQuestion = 0;

    std::optional<Error> m_failure; ///< lasting
    std::optional<JobEnd> m_end;
    bool m_hasLeft = false;
    bool m_isClosing = false;
    std::jthread m_thread; ///< last: uses the members above
};

} // namespace cannery::coordinator
