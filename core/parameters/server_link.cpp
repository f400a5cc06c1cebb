// SPDX-License-Identifier: Apache-2.0
#include "core/parameters/server_link.h"

#include "core/cluster/host_port.h"
#include "core/control/local_socket.h"
#include "core/coordinator/address.h"
#include "core/parameters/payload.h"

#include "core/parameters/parameters.grpc.pb.h"

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>

#include <chrono>
#include <mutex>

namespace cannery::parameters {

namespace {

using Stream = grpc::ClientReaderWriter<wire::Request, wire::Reply>;

constexpr std::chrono::seconds kLongestConnecting(2);
/// A server that answers no ping is lost.
constexpr int kServerPingEveryMs = 10000;
constexpr int kServerPingAnswerMs = 10000;

std::shared_ptr<grpc::Channel> openChannel(const std::string& target)
{
    grpc::ChannelArguments arguments;
    // A private connection: shared ones wait longer and longer before they try again.
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    // The tasks of a cluster reach each other directly.
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kServerPingEveryMs);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kServerPingAnswerMs);
    arguments.SetMaxReceiveMessageSize(kLongestMessage);
    return grpc::CreateCustomChannel(target, grpc::InsecureChannelCredentials(), arguments);
}

} // namespace

class ServerLink::Private
{
public:
    std::mutex m_mutex; ///< for cancel()
    std::shared_ptr<grpc::Channel> m_channel;
    std::unique_ptr<wire::ParameterServer::Stub> m_stub;
    std::unique_ptr<grpc::ClientContext> m_context;
    std::unique_ptr<Stream> m_stream;
};

ServerLink::ServerLink() : m_private(std::make_unique<Private>())
{
    control::silenceLibrary();
}

ServerLink::~ServerLink()
{
    close();
}

bool ServerLink::isOpen() const
{
    return m_private->m_stream != nullptr;
}

bool ServerLink::open(const std::string& address)
{
    close();
    const auto parsed = cluster::parseHostPort(address, "a parameter server");
    const auto target = parsed ? coordinator::resolve(*parsed)
                               : Result<std::string>(tl::make_unexpected(parsed.error()));
    if (!target) {
        m_reason = target.error().sentence;
        return false;
    }
    std::unique_ptr<Stream> stream;
    auto context = std::make_unique<grpc::ClientContext>();
    m_private->m_channel = openChannel(*target);
    if (!m_private->m_channel->WaitForConnected(std::chrono::system_clock::now() +
                                                kLongestConnecting)) {
        m_reason = "nobody listens there";
        return false;
    }
    m_private->m_stub = wire::ParameterServer::NewStub(m_private->m_channel);
    stream = m_private->m_stub->Serve(context.get());
    const std::lock_guard lock(m_private->m_mutex);
    m_private->m_context = std::move(context);
    m_private->m_stream = std::move(stream);
    return true;
}

void ServerLink::close()
{
    if (m_private->m_stream != nullptr) {
        m_private->m_context->TryCancel();
        const grpc::Status status = m_private->m_stream->Finish();
        m_reason = status.ok() ? "it ended the connection" : status.error_message();
    }
    const std::lock_guard lock(m_private->m_mutex);
    m_private->m_stream.reset();
    m_private->m_context.reset();
    m_private->m_stub.reset();
    m_private->m_channel.reset();
}

void ServerLink::cancel()
{
    const std::lock_guard lock(m_private->m_mutex);
    if (m_private->m_context != nullptr) {
        m_private->m_context->TryCancel();
    }
}

bool ServerLink::lost()
{
    close();
    return false;
}

bool ServerLink::send(wire::Request& request, std::span<const std::span<const std::byte>> payload)
{
    return isOpen() && (sendWithPayload(*m_private->m_stream, request, payload) || lost());
}

bool ServerLink::receiveReply(wire::Reply& reply)
{
    return isOpen() && (m_private->m_stream->Read(&reply) || lost());
}

bool ServerLink::receive(wire::Reply& reply, std::span<const std::span<std::byte>> targets)
{
    return isOpen() && (receivePayload(*m_private->m_stream, reply, targets) || lost());
}

} // namespace cannery::parameters
