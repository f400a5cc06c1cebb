// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/parameters/served_share.h"

#include "core/parameters/parameters.pb.h"

namespace grpc {
class ServerContext;
template <typename Written, typename Read>
class ServerReaderWriter;
} // namespace grpc

namespace cannery::parameters {

/// A parameter server's conversation with one task, on a thread of its own.
class Conversation
{
public:
    using Stream = grpc::ServerReaderWriter<wire::Reply, wire::Request>;

    Conversation(ServedShare& share, int server, grpc::ServerContext& context, Stream& stream)
        : m_share(share), m_server(server), m_context(context), m_stream(stream)
    {}

    /// From its Hello to its end.
    void hold();

private:
    bool greet();
    /// False: the stream has ended, or makes no sense.
    bool answer();
    bool setUp();
    bool fill(wire::Setup setup);
    bool pull();
    bool gatherRows(const ParameterStore& store, const wire::Pull& pull,
                    std::span<const std::int32_t> numbers);
    bool push();
    bool fetch();
    bool look();
    bool lease();
    bool end();
    bool welcome();
    bool skipPayload();
    bool refuse(const Error& error);
    bool refuseMisfit();
    bool send();
    wire::Reply& newReply();

    ServedShare& m_share;
    int m_server;
    grpc::ServerContext& m_context;
    Stream& m_stream;
    wire::Request m_request;
    wire::Reply m_reply;
    coordinator::MemberIdentity m_peer;
    bool m_isChief = false;
    std::vector<std::byte> m_rows;    ///< of a reply
    std::vector<std::byte> m_payload; ///< of a push
};

} // namespace cannery::parameters
