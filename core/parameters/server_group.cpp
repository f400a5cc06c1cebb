// SPDX-License-Identifier: Apache-2.0
#include "core/parameters/server_group.h"

#include "core/base/interruption.h"
#include "core/coordinator/wire.h"

#include <algorithm>

namespace cannery::parameters {

namespace {

constexpr ErrorKind kUnreachable{
    "parameters.unreachable",
    "The parameter server ps:{} at {} has not answered for {} seconds: {}. See its log; a platform "
    "starts this task again."};
constexpr ErrorKind kWaiting{"parameters.note_waiting",
                             "Waiting for the parameter server ps:{} at {}: {}."};
constexpr ErrorKind kFound{"parameters.note_found", "The parameter server ps:{} is there again."};
constexpr ErrorKind kTold{kInterruptedId, "Stopped on request."};

constexpr std::chrono::milliseconds kPause(100);
/// How long a step may still take, and anything else, after a request to stop.
constexpr std::chrono::seconds kLongestStep(1);
constexpr std::chrono::seconds kLongestRest(10);

} // namespace

ServerGroup::ServerGroup(Options options, Filler& filler)
    : m_options(std::move(options)), m_filler(filler)
{
    *m_hello.mutable_identity() = coordinator::toWire(m_options.identity, false);
    m_hello.set_is_chief(isChief());
    for (std::size_t i = 0; i < m_options.servers.size(); ++i) {
        m_servers.push_back(std::make_unique<Server>());
    }
    m_watcher = std::jthread([this](const std::stop_token& ended) { watch(ended); });
}

ServerGroup::~ServerGroup()
{
    m_watcher.request_stop();
    m_watcher.join();
}

void ServerGroup::setExperiment(const std::string& text, const std::string& digest)
{
    m_hello.mutable_identity()->set_experiment(text);
    m_hello.mutable_identity()->set_digest(digest);
}

wire::Request& ServerGroup::newRequest()
{
    m_request.clear_kind();
    m_request.mutable_payload()->clear();
    m_request.set_has_more(false);
    return m_request;
}

/// A stopped or missing server cannot answer a task that has a request to stop.
void ServerGroup::watch(const std::stop_token& ended)
{
    std::optional<Clock::time_point> stoppedAt;
    while (!ended.stop_requested()) {
        std::this_thread::sleep_for(kPause);
        if (!isStopped()) {
            continue;
        }
        const Clock::time_point now = Clock::now();
        stoppedAt = stoppedAt.value_or(now);
        const Clock::time_point began{Clock::duration(m_busySince.load())};
        const auto limit = m_isStep ? kLongestStep : kLongestRest;
        if (m_busySince != 0 && now - std::max(*stoppedAt, began) > limit) {
            for (const auto& server : m_servers) {
                server->link.cancel();
            }
        }
    }
}

ServerGroup::Received ServerGroup::receiveReply(Server& server, wire::Reply::KindCase expected)
{
    if (!server.link.receiveReply(m_reply)) {
        return Received::Lost;
    }
    if (m_reply.has_ended()) {
        m_end = coordinator::fromWire(m_reply.ended());
        return Received::Ended;
    }
    if (m_reply.has_refused()) {
        m_refusal = coordinator::fromWire(m_reply.refused());
        return Received::Refused;
    }
    if (m_reply.kind_case() != expected) {
        server.link.close();
        return Received::Lost;
    }
    return Received::Reply;
}

ServerGroup::Received ServerGroup::greet(std::size_t index)
{
    Server& server = *m_servers[index];
    m_hello.set_server(static_cast<int>(index));
    *newRequest().mutable_hello() = m_hello;
    if (!server.link.send(m_request)) {
        return Received::Lost;
    }
    const Received received = receiveReply(server, wire::Reply::kWelcome);
    if (received == Received::Reply) {
        server.welcome = m_reply.welcome();
    }
    return received;
}

/// From its own snapshot, if it has one, or with what this task has.
ServerGroup::Received ServerGroup::fill(std::size_t index)
{
    Server& server = *m_servers[index];
    for (const bool resumes : {true, false}) {
        wire::Setup& setup = *newRequest().mutable_setup();
        m_filler.describe(static_cast<int>(index), setup);
        setup.set_session(m_session);
        setup.set_resumes(resumes);
        const auto contents = resumes ? std::vector<std::span<const std::byte>>()
                                      : m_filler.contents(static_cast<int>(index));
        if (!server.link.send(m_request, contents)) {
            return Received::Lost;
        }
        const Received received = receiveReply(server, wire::Reply::kWelcome);
        if (received != Received::Reply) {
            return received;
        }
        server.welcome = m_reply.welcome();
        if (server.welcome.session() == m_session) {
            return Received::Reply;
        }
    }
    server.link.close();
    return Received::Lost;
}

/// A server that was never filled has nothing to give, but reports how the job ends.
ServerGroup::Received ServerGroup::awaitEnd(Server& server)
{
    newRequest().mutable_look();
    return server.link.send(m_request) ? receiveReply(server, wire::Reply::kStatus)
                                       : Received::Lost;
}

ServerGroup::Received ServerGroup::tryToConnect(std::size_t index)
{
    Server& server = *m_servers[index];
    if (!server.link.open(m_options.servers[index])) {
        return Received::Lost;
    }
    const Received received = greet(index);
    if (received != Received::Reply) {
        return received;
    }
    if (!isChief()) {
        m_session = server.welcome.session();
        return m_session != 0 ? received : awaitEnd(server);
    }
    return m_session == 0 || m_session == server.welcome.session() ? received : fill(index);
}

/// False if the server is to be given up.
Result<bool> ServerGroup::pauseBeforeNext(std::size_t index, Clock::time_point since, bool& isNoted)
{
    const Clock::duration away = Clock::now() - since;
    const std::string& address = m_options.servers[index];
    const std::string& reason = m_servers[index]->link.reason();
    if (isStopped() && (m_isStep || away > kLongestRest)) {
        if (m_isStep) {
            return false;
        }
        return fail(ErrorCode::Cancelled, kTold);
    }
    const std::chrono::milliseconds longest =
        m_hasJoined ? m_options.longestWait : m_options.startWait;
    if (away > longest) {
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(longest);
        return fail(ErrorCode::Unavailable, kUnreachable, index, address, seconds.count(), reason);
    }
    if (away > m_options.patience && !std::exchange(isNoted, true)) {
        const Error note = error(ErrorCode::Unavailable, kWaiting, index, address, reason);
        m_options.onNote({note.id, note.sentence});
    }
    std::this_thread::sleep_for(kPause);
    return true;
}

Result<bool> ServerGroup::connect(std::size_t index)
{
    const Clock::time_point since = Clock::now();
    bool isNoted = false;
    for (;;) {
        switch (tryToConnect(index)) {
        case Received::Reply:
            if (isNoted) {
                const Error note = error(ErrorCode::Unavailable, kFound, index);
                m_options.onNote({note.id, note.sentence});
            }
            return true;
        case Received::Ended:
            return false;
        case Received::Refused:
            return tl::make_unexpected(*m_refusal);
        case Received::Lost:
            break;
        }
        CANNERY_TRY_ASSIGN(const bool goesOn, pauseBeforeNext(index, since, isNoted));
        if (!goesOn) {
            return false;
        }
    }
}

ServerGroup::Busy::Busy(ServerGroup& group, bool isStep) : m_group(group)
{
    m_group.m_isStep = isStep;
    m_group.m_busySince = Clock::now().time_since_epoch().count();
}

ServerGroup::Busy::~Busy()
{
    m_group.m_busySince = 0;
}

Result<ServerGroup::Joined> ServerGroup::join(std::uint64_t newSession)
{
    const Busy busy(*this, true);
    const auto ended = [this]() -> Result<Joined> {
        return m_end ? Result<Joined>(Joined{}) : fail(ErrorCode::Cancelled, kTold);
    };
    for (std::size_t index = 0; index < m_servers.size(); ++index) {
        CANNERY_TRY_ASSIGN(const bool isThere, connect(index));
        if (!isThere) {
            return ended();
        }
    }
    Joined joined;
    if (isChief()) {
        for (const auto& server : m_servers) {
            m_session = std::max(m_session, server->welcome.session());
        }
        joined.isNew = m_session == 0;
        m_session = joined.isNew ? newSession : m_session;
        for (std::size_t index = 0; index < m_servers.size(); ++index) {
            const Received received =
                m_servers[index]->welcome.session() == m_session ? Received::Reply : fill(index);
            if (received == Received::Refused) {
                return tl::make_unexpected(*m_refusal);
            }
            bool isThere = received == Received::Reply;
            if (received == Received::Lost) {
                CANNERY_TRY_ASSIGN(isThere, connect(index));
            }
            if (!isThere) {
                return ended();
            }
        }
    }
    m_hasJoined = true;
    joined.step = m_servers.front()->welcome.step();
    joined.position = m_servers.front()->welcome.position();
    return joined;
}

Result<bool> ServerGroup::ask(const Question& question)
{
    if (m_end) {
        return false;
    }
    const Busy busy(*this, question.isStep);
    // All are asked before the first reply is waited for, so that they work at the same time.
    std::vector<bool> isSent;
    for (const int server : question.servers) {
        isSent.push_back(question.send(server, m_servers[static_cast<std::size_t>(server)]->link));
    }
    for (std::size_t i = 0; i < isSent.size(); ++i) {
        CANNERY_TRY_ASSIGN(const bool goesOn, finish(static_cast<std::size_t>(question.servers[i]),
                                                     question, isSent[i]));
        if (!goesOn) {
            return false;
        }
    }
    return true;
}

/// Takes one server's reply, and asks again after each lost connection.
Result<bool> ServerGroup::finish(std::size_t index, const Question& question, bool isSent)
{
    Server& server = *m_servers[index];
    const int number = static_cast<int>(index);
    for (;;) {
        const Received received = isSent ? receiveReply(server, question.expected) : Received::Lost;
        if (received == Received::Ended) {
            return false;
        }
        if (received == Received::Refused) {
            return tl::make_unexpected(*m_refusal);
        }
        if (received == Received::Reply && question.take(number, server.link, m_reply)) {
            return true;
        }
        server.link.close();
        CANNERY_TRY_ASSIGN(const bool goesOn, connect(index));
        if (!goesOn) {
            return false;
        }
        isSent = question.send(number, server.link);
    }
}

void ServerGroup::leave(const coordinator::JobEnd& end, std::chrono::milliseconds longest)
{
    if (m_refusal || m_end) {
        return;
    }
    const Clock::time_point limit = Clock::now() + longest;
    for (std::size_t index = 0; index < m_servers.size(); ++index) {
        Server& server = *m_servers[index];
        while (isChief() && !server.link.isOpen() && Clock::now() < limit) {
            if (!server.link.open(m_options.servers[index]) || greet(index) != Received::Reply) {
                server.link.close();
                std::this_thread::sleep_for(kPause);
            }
        }
        *newRequest().mutable_end() = coordinator::toWire(end);
        if (server.link.send(m_request)) {
            (void)receiveReply(server, wire::Reply::kEnded);
        }
        server.link.close();
    }
    m_end = end;
}

} // namespace cannery::parameters
