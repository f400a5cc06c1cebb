// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/coordinator.h"

#include "core/cluster/host_port.h"
#include "core/control/local_socket.h"
#include "core/coordinator/address.h"
#include "core/coordinator/link.h"
#include "core/coordinator/membership.h"
#include "core/coordinator/outbox.h"
#include "core/coordinator/refusals.h"
#include "core/coordinator/server_options.h"
#include "core/coordinator/wire.h"

#include "core/coordinator/coordinator.grpc.pb.h"

#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/support/server_callback.h>

#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>
#include <unistd.h>

namespace cannery::coordinator {
namespace {

constexpr ErrorKind kAddressInUse{"coordinator.address_in_use",
                                  "The chief cannot listen at {}: {}."};
constexpr ErrorKind kCannotListen{
    "coordinator.cannot_listen",
    "The chief cannot listen at {}: {}. Give it another address in TF_CONFIG."};

/// For the answer of whoever listens at an address that is in use.
constexpr std::chrono::seconds kLongestAnswer(1);
/// Calls at a time on one connection; a member needs one.
constexpr int kMostCalls = 4;

std::int64_t unixTimeMs()
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

/// The coordinator's end of a connection. Deletes itself.
class Attendance final : public grpc::ServerBidiReactor<wire::Report, wire::News>, public Line
{
public:
    explicit Attendance(Membership& membership) : m_membership(membership) { StartRead(&m_report); }

    void send(News news) override { act(m_news.put(toWire(news))); }
    void close() override { act(m_news.close(Outbox<wire::News>::Rest::Deliver)); }

private:
    using Next = Outbox<wire::News>::Next;

    void OnReadDone(bool isRead) override
    {
        // The connection has ended, for whatever reason.
        if (!isRead) {
            return end();
        }
        receive();
        StartRead(&m_report);
    }

    void OnWriteDone(bool isWritten) override { act(m_news.written(isWritten)); }
    void OnCancel() override { end(); }
    void OnDone() override { delete this; }

    void end()
    {
        m_membership.lose(*this);
        act(m_news.close(Outbox<wire::News>::Rest::Drop));
    }

    /// Touches nothing afterwards: Finish may delete this.
    void act(Next next)
    {
        if (next == Next::Write) {
            StartWrite(m_news.current());
        } else if (next == Next::Finish) {
            Finish(grpc::Status::OK);
        }
    }

    void receive()
    {
        const Membership::Time now = std::chrono::steady_clock::now();
        switch (m_report.kind_case()) {
        case wire::Report::kHello:
            return greet(m_report.hello(), now);
        case wire::Report::kJoin:
            return m_membership.join(*this, m_report.join().last(), now);
        case wire::Report::kBeat:
            return m_membership.beat(*this, now, fromWire(m_report.beat()));
        case wire::Report::kStep:
            return m_membership.reportStep(*this, fromWire(m_report.step()));
        case wire::Report::kPut:
            return m_membership.put(*this, m_report.put().generation(), m_report.put().key(),
                                    m_report.put().value());
        case wire::Report::kGet:
            return m_membership.get(*this, m_report.get().generation(), m_report.get().key(),
                                    m_report.get().request());
        case wire::Report::kLeave:
            return m_membership.leave(*this, fromWire(m_report.leave()));
        case wire::Report::KIND_NOT_SET:
            break;
        }
    }

    void greet(const wire::Hello& hello, Membership::Time now)
    {
        // A line belongs to one member for good.
        if (std::exchange(m_isGreeted, true)) {
            return;
        }
        m_membership.enter(*this, {.identity = fromWire(hello),
                                   .isReturning = hello.is_returning(),
                                   .now = now,
                                   .unixTimeMs = unixTimeMs()});
    }

    Membership& m_membership;
    Outbox<wire::News> m_news;
    wire::Report m_report;
    bool m_isGreeted = false;
};

class Service final : public wire::Coordinator::CallbackService
{
public:
    Service(Membership& membership, const MemberIdentity& chief)
        : m_membership(membership), m_chief(chief)
    {}

    grpc::ServerBidiReactor<wire::Report, wire::News>* Attend(grpc::CallbackServerContext*) override
    {
        return new Attendance(m_membership);
    }

    /// For a chief that finds its address in use; only one of the same job is answered by whom.
    grpc::ServerUnaryReactor* Who(grpc::CallbackServerContext* context,
                                  const wire::WhoRequest* request, wire::WhoReply* reply) override
    {
        grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
        // Compared in constant time, as it is a secret.
        if (!areEqualTokens(request->token(), m_chief.token)) {
            reactor->Finish({grpc::StatusCode::PERMISSION_DENIED, "another job"});
        } else {
            reply->set_process_id(getpid());
            reply->set_host(m_chief.host);
            reactor->Finish(grpc::Status::OK);
        }
        return reactor;
    }

private:
    Membership& m_membership;
    const MemberIdentity& m_chief;
};

/// Who listens at a port of this host, as the end of a sentence.
std::string whoListens(const std::string& address, const std::string& token)
{
    const auto channel = grpc::CreateChannel(address, grpc::InsecureChannelCredentials());
    const auto stub = wire::Coordinator::NewStub(channel);
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kLongestAnswer);
    wire::WhoRequest request;
    request.set_token(token);
    wire::WhoReply reply;
    const grpc::Status status = stub->Who(&context, request, &reply);
    if (status.ok()) {
        return fmt::format("the chief of this job already does, process {} at {}. End one of the "
                           "two, or give this one another task in TF_CONFIG",
                           reply.process_id(), reply.host());
    }
    if (status.error_code() == grpc::StatusCode::PERMISSION_DENIED) {
        return "the chief of another job does. Give this job another port in TF_CONFIG";
    }
    return "another program does. End it, or give this job another port in TF_CONFIG";
}

} // namespace

class Coordinator::Private
{
public:
    explicit Private(Options options)
        : m_options(std::move(options)), m_membership({.tasks = m_options.tasks,
                                                       .chief = m_options.chief,
                                                       .deadAfter = m_options.heartBeats.deadAfter,
                                                       .longestWait = m_options.longestWait}),
          m_service(m_membership, m_options.chief)
    {}

    ~Private()
    {
        if (!m_server) {
            return;
        }
        m_keeper.request_stop();
        m_keeper.join();
        // Notes of the end are worth passing, too.
        passNotes(); // from now on members are not lost, but let go
        const std::chrono::milliseconds goodbye =
            m_membership.hasEnded() ? m_options.longestGoodbye : std::chrono::milliseconds(0);
        m_server->Shutdown(std::chrono::system_clock::now() + goodbye);
    }

    Result<void> open()
    {
        control::silenceLibrary();
        CANNERY_TRY_ASSIGN(m_listening, cluster::parseHostPort(m_options.address, "the chief"));
        m_listening = toListenAt(std::move(m_listening));
        m_listening.port = m_options.port.value_or(m_listening.port);
        int port = 0;
        grpc::ServerBuilder builder;
        setUpServer(builder, m_listening, port);
        builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMostCalls);
        builder.SetMaxReceiveMessageSize(kLongestMessage);
        builder.RegisterService(&m_service);
        m_server = builder.BuildAndStart();
        if (!m_server || port == 0) {
            // The library does not say why.
            return refusal();
        }
        m_listening.port = port;
        m_keeper = std::jthread([this](const std::stop_token& stop) { keep(stop); });
        return {};
    }

    std::string localAddress() const
    {
        return cluster::addressText(
            {m_listening.host == "::" ? "localhost" : m_listening.host, m_listening.port});
    }

    std::vector<MemberStatus> members() const { return m_membership.members(); }

private:
    tl::unexpected<Error> refusal()
    {
        const int objection = objectionToListening(m_listening.host, m_listening.port);
        if (objection == EADDRINUSE) {
            return fail(ErrorCode::AlreadyExists, kAddressInUse, m_options.address,
                        whoListens(localAddress(), m_options.chief.token));
        }
        return fail(ErrorCode::Unavailable, kCannotListen, m_options.address,
                    objection == 0 ? "the system refuses" : std::strerror(objection));
    }

    void keep(const std::stop_token& stop)
    {
        std::mutex mutex;
        std::condition_variable_any stopped;
        std::unique_lock lock(mutex);
        while (!stop.stop_requested()) {
            stopped.wait_for(lock, stop, m_options.heartBeats.interval / 4, [] { return false; });
            m_membership.sweep(std::chrono::steady_clock::now());
            passNotes();
        }
    }

    void passNotes()
    {
        for (const Note& note : m_membership.takeNotes()) {
            if (m_options.onNote) {
                m_options.onNote(note);
            }
        }
    }

    const Options m_options;
    Membership m_membership;
    Service m_service;
    cluster::HostPort m_listening;
    std::unique_ptr<grpc::Server> m_server;
    std::jthread m_keeper; ///< last: uses the members above
};

Coordinator::Coordinator(std::unique_ptr<Private> parts) : m_private(std::move(parts)) {}

Coordinator::~Coordinator() = default;

Result<std::unique_ptr<Coordinator>> Coordinator::start(Options options)
{
    auto parts = std::make_unique<Private>(std::move(options));
    CANNERY_TRY(parts->open());
    return std::unique_ptr<Coordinator>(new Coordinator(std::move(parts)));
}

std::string Coordinator::localAddress() const
{
    return m_private->localAddress();
}

std::vector<MemberStatus> Coordinator::members() const
{
    return m_private->members();
}

} // namespace cannery::coordinator
