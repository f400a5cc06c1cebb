// SPDX-License-Identifier: Apache-2.0
#include "core/parameters/parameter_server.h"

#include "core/base/interruption.h"
#include "core/cluster/host_port.h"
#include "core/control/local_socket.h"
#include "core/coordinator/address.h"
#include "core/coordinator/server_options.h"
#include "core/parameters/conversation.h"
#include "core/parameters/payload.h"

#include "core/parameters/parameters.grpc.pb.h"

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <cerrno>
#include <cstring>
#include <thread>

namespace cannery::parameters {

namespace {

constexpr ErrorKind kAddressInUse{
    "parameters.address_in_use",
    "The parameter server cannot listen at {}: another program does. End it, or give this task "
    "another port in TF_CONFIG."};
constexpr ErrorKind kCannotListen{
    "parameters.cannot_listen",
    "The parameter server cannot listen at {}: {}. Give it another address in TF_CONFIG."};
constexpr ErrorKind kNoChief{
    "parameters.no_chief",
    "The chief has not come to the parameter server at {} within {} minutes; see that it runs, and "
    "that its TF_CONFIG has this address."};
constexpr ErrorKind kStopped{kInterruptedId, "Stopped on request."};

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLook(50);

class Service final : public wire::ParameterServer::Service
{
public:
    Service(ServedShare& share, int server) : m_share(share), m_server(server) {}

    grpc::Status Serve(grpc::ServerContext* context, Conversation::Stream* stream) override
    {
        ++m_conversations;
        Conversation(m_share, m_server, *context, *stream).hold();
        --m_conversations;
        return grpc::Status::OK;
    }

    int conversations() const { return m_conversations; }

private:
    ServedShare& m_share;
    int m_server;
    std::atomic<int> m_conversations = 0;
};

} // namespace

class ParameterServer::Private
{
public:
    explicit Private(Options options)
        : m_options(std::move(options)),
          m_share({.server = m_options.index,
                   .threads = m_options.threads,
                   .own = {.version = m_options.version, .token = m_options.token},
                   .tasks = m_options.tasks,
                   .longestWait = m_options.longestWait,
                   .onNote = m_options.onNote,
                   .system = m_options.system}),
          m_service(m_share, m_options.index)
    {}

    ~Private()
    {
        if (m_server != nullptr) {
            m_server->Shutdown(std::chrono::system_clock::now());
        }
    }

    Result<void> open()
    {
        control::silenceLibrary();
        CANNERY_TRY_ASSIGN(m_listening,
                           cluster::parseHostPort(m_options.address, "the parameter server"));
        m_listening = coordinator::toListenAt(std::move(m_listening));
        m_listening.port = m_options.port.value_or(m_listening.port);
        int port = 0;
        grpc::ServerBuilder builder;
        coordinator::setUpServer(builder, m_listening, port);
        builder.SetSyncServerOption(grpc::ServerBuilder::SyncServerOption::NUM_CQS, 1);
        builder.SetMaxReceiveMessageSize(kLongestMessage);
        builder.RegisterService(&m_service);
        m_server = builder.BuildAndStart();
        if (m_server == nullptr || port == 0) {
            const int objection =
                coordinator::objectionToListening(m_listening.host, m_listening.port);
            if (objection == EADDRINUSE) {
                return fail(ErrorCode::AlreadyExists, kAddressInUse, m_options.address);
            }
            return fail(ErrorCode::Unavailable, kCannotListen, m_options.address,
                        objection == 0 ? "the system refuses" : std::strerror(objection));
        }
        m_listening.port = port;
        return {};
    }

    Result<coordinator::JobEnd> run()
    {
        const Clock::time_point begin = Clock::now();
        Clock::time_point saved = begin;
        std::optional<Clock::time_point> leaveAt;
        for (; !m_share.ended(); std::this_thread::sleep_for(kLook)) {
            const Clock::time_point now = Clock::now();
            const bool hasChief = m_share.hasChief();
            if (isStopped() && !m_share.ended()) {
                leaveAt = leaveAt.value_or(now + m_options.longestGoodbye);
                if (now >= *leaveAt || !hasChief) {
                    m_share.saveChanges();
                    return fail(ErrorCode::Cancelled, kStopped);
                }
            }
            if (m_share.store() == nullptr && now > begin + m_options.longestWait) {
                const auto minutes =
                    std::chrono::duration_cast<std::chrono::minutes>(m_options.longestWait);
                return fail(ErrorCode::DeadlineExceeded, kNoChief, m_options.address,
                            minutes.count());
            }
            const double seconds = m_share.snapshotSeconds();
            if (seconds > 0 && std::chrono::duration<double>(now - saved).count() >= seconds) {
                m_share.saveChanges();
                saved = now;
            }
        }
        m_share.removeFiles();
        const Clock::time_point limit = Clock::now() + m_options.longestGoodbye;
        while (m_service.conversations() > 0 && Clock::now() < limit) {
            std::this_thread::sleep_for(kLook);
        }
        return *m_share.ended();
    }

    std::string localAddress() const
    {
        return cluster::addressText(
            {m_listening.host == "::" ? "localhost" : m_listening.host, m_listening.port});
    }

private:
    bool isStopped() const { return m_options.stop != nullptr && m_options.stop->load(); }

    const Options m_options;
    ServedShare m_share;
    Service m_service;
    cluster::HostPort m_listening;
    std::unique_ptr<grpc::Server> m_server;
};

ParameterServer::ParameterServer(std::unique_ptr<Private> parts) : m_private(std::move(parts)) {}

ParameterServer::~ParameterServer() = default;

Result<std::unique_ptr<ParameterServer>> ParameterServer::start(Options options)
{
    auto parts = std::make_unique<Private>(std::move(options));
    CANNERY_TRY(parts->open());
    return std::unique_ptr<ParameterServer>(new ParameterServer(std::move(parts)));
}

Result<coordinator::JobEnd> ParameterServer::run()
{
    return m_private->run();
}

std::string ParameterServer::localAddress() const
{
    return m_private->localAddress();
}

} // namespace cannery::parameters
