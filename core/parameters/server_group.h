// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/coordinator/types.h"
#include "core/parameters/server_link.h"

#include "core/parameters/parameters.pb.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace cannery::parameters {

/// A task's connections to all parameter servers, which are made anew when they are lost. One
/// thread, with another that ends its waiting.
class ServerGroup
{
public:
    struct Options
    {
        std::vector<std::string> servers; ///< addresses by index
        coordinator::MemberIdentity identity;
        std::function<void(const coordinator::Note&)> onNote;
        const std::atomic<bool>* stop = nullptr;
        std::chrono::milliseconds longestWait{};
        std::chrono::milliseconds startWait{}; ///< the same, before join() has succeeded once
        std::chrono::milliseconds patience{};
    };
    /// Has what a server lacks.
    class Filler
    {
    public:
        virtual ~Filler() = default;
        virtual void describe(int server, wire::Setup& setup) = 0;
        virtual std::vector<std::span<const std::byte>> contents(int server) = 0;
    };
    struct Joined
    {
        bool isNew = false; ///< the chief has filled all servers
        std::int64_t step = 0;
        wire::Position position;
    };
    /// A request to some servers at once.
    struct Question
    {
        std::span<const int> servers;
        bool isStep = false; ///< no longer wanted once the task is told to stop
        /// Sends it; called again after the connection was lost. False: lost again.
        std::function<bool(int server, ServerLink& link)> send;
        wire::Reply::KindCase expected = wire::Reply::KIND_NOT_SET;
        std::function<bool(int server, ServerLink& link, wire::Reply& reply)> take;
    };

    ServerGroup(Options options, Filler& filler);
    ~ServerGroup();

    void setExperiment(const std::string& text, const std::string& digest);
    /// Connects with all. A chief joins the training that it finds, or begins one with this number,
    /// and fills the servers that need it.
    Result<Joined> join(std::uint64_t newSession);
    /// False: the training has ended, or a step is not wanted any more.
    Result<bool> ask(const Question& question);
    /// An empty one, which keeps the memory of its payload.
    wire::Request& newRequest();

    std::optional<coordinator::JobEnd> jobEnd() const { return m_end; }
    void leave(const coordinator::JobEnd& end, std::chrono::milliseconds longest);

private:
    using Clock = std::chrono::steady_clock;
    enum class Received
    {
        Reply,
        Lost,
        Ended,
        Refused,
    };
    /// While something may be waited for.
    class Busy
    {
    public:
        Busy(ServerGroup& group, bool isStep);
        ~Busy();
        Busy(const Busy&) = delete;
        Busy& operator=(const Busy&) = delete;

    private:
        ServerGroup& m_group;
    };
    struct Server
    {
        ServerLink link;
        wire::Welcome welcome;
    };

    bool isChief() const { return m_options.identity.rank == 0; }
    bool isStopped() const { return m_options.stop != nullptr && m_options.stop->load(); }
    Received receiveReply(Server& server, wire::Reply::KindCase expected);
    /// Until it has answered. False: ended.
    Result<bool> connect(std::size_t index);
    Received tryToConnect(std::size_t index);
    Received greet(std::size_t index);
    Received fill(std::size_t index);
    Received awaitEnd(Server& server);
    Result<bool> finish(std::size_t index, const Question& question, bool isSent);
    Result<bool> pauseBeforeNext(std::size_t index, Clock::time_point since, bool& isNoted);
    void watch(const std::stop_token& ended);

    const Options m_options;
    Filler& m_filler;
    wire::Hello m_hello;
    std::vector<std::unique_ptr<Server>> m_servers;
    wire::Request m_request;
    wire::Reply m_reply;
    std::uint64_t m_session = 0; ///< 0: not known yet
    bool m_hasJoined = false;
    std::optional<coordinator::JobEnd> m_end;
    std::optional<Error> m_refusal;
    std::atomic<bool> m_isStep = false;
    std::atomic<std::int64_t> m_busySince = 0; ///< of the clock; 0: idle
    std::jthread m_watcher;                    ///< last: uses the members above
};

} // namespace cannery::parameters
