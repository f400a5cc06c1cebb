// SPDX-License-Identifier: Apache-2.0
#include "core/parameters/conversation.h"

#include "core/coordinator/wire.h"
#include "core/parameters/payload.h"

#include "core/parameters/parameters.grpc.pb.h"

#include <grpcpp/server_context.h>
#include <grpcpp/support/sync_stream.h>

#include <algorithm>
#include <cstring>

namespace cannery::parameters {

namespace {

constexpr ErrorKind kReplaced{
    "parameters.replaced",
    "Another process has taken the task {} of this one; end one of the two."};
constexpr ErrorKind kOtherServer{
    "parameters.other_server",
    "{} takes this parameter server, ps:{}, for ps:{}; start all tasks of a job with the same "
    "cluster in TF_CONFIG."};

constexpr ErrorKind kMisfit{
    "parameters.misfit",
    "{} asks the parameter server ps:{} for parts of variables that are not there, or have another "
    "shape; start all tasks of a job with the same version of the program."};

using Pieces = std::vector<std::span<const std::byte>>;

} // namespace

wire::Reply& Conversation::newReply()
{
    // Keeps the memory of the payload.
    m_reply.clear_kind();
    m_reply.mutable_payload()->clear();
    m_reply.set_has_more(false);
    return m_reply;
}

bool Conversation::send()
{
    return m_stream.Write(m_reply);
}

bool Conversation::refuse(const Error& error)
{
    *newReply().mutable_refused() = coordinator::toWire(error);
    (void)send();
    return false;
}

/// A task sends its whole payload before it reads an answer, so a refusal has to wait for it.
bool Conversation::skipPayload()
{
    while (m_request.has_more()) {
        if (!m_stream.Read(&m_request)) {
            return false;
        }
    }
    return true;
}

bool Conversation::refuseMisfit()
{
    return skipPayload() &&
           refuse(error(ErrorCode::InvalidArgument, kMisfit, m_peer.task, m_server));
}

void Conversation::hold()
{
    if (!greet()) {
        return;
    }
    while (m_stream.Read(&m_request) && answer()) {
    }
    m_share.leave(m_peer.rank, m_peer.incarnation);
}

bool Conversation::greet()
{
    if (!m_stream.Read(&m_request) || !m_request.has_hello()) {
        return false;
    }
    m_peer = coordinator::fromWire(m_request.hello().identity());
    m_isChief = m_request.hello().is_chief();
    if (const std::optional<Error> objection = m_share.objectionTo(m_peer)) {
        return refuse(*objection);
    }
    if (m_request.hello().server() != m_server) {
        return refuse(error(ErrorCode::InvalidArgument, kOtherServer, m_peer.task, m_server,
                            m_request.hello().server()));
    }
    if (!m_isChief && !m_share.awaitSetup([this] { return m_context.IsCancelled(); })) {
        return false;
    }
    return welcome();
}

bool Conversation::welcome()
{
    *newReply().mutable_welcome() = m_share.enter(m_peer.rank, m_peer.incarnation);
    return send();
}

bool Conversation::answer()
{
    if (m_request.has_end()) {
        return end();
    }
    if (m_request.has_setup()) {
        return m_isChief && setUp();
    }
    if (const std::optional<coordinator::JobEnd> ended = m_share.ended()) {
        if (!skipPayload()) {
            return false;
        }
        *newReply().mutable_ended() = coordinator::toWire(*ended);
        return send();
    }
    if (m_share.store() == nullptr) {
        return false;
    }
    // The chief saves a checkpoint of what it has filled first, by fetching. With its first other
    // request it begins to train, and others may.
    if (m_isChief && !m_request.has_fetch()) {
        m_share.open();
    }
    switch (m_request.kind_case()) {
    case wire::Request::kPull:
        return pull();
    case wire::Request::kPush:
        return push();
    case wire::Request::kFetch:
        return fetch();
    case wire::Request::kLook:
        return look();
    case wire::Request::kLease:
        return lease();
    default:
        return false;
    }
}

bool Conversation::setUp()
{
    wire::Setup setup = m_request.setup();
    const ParameterStore* before = m_share.store();
    // The chief has lost its connection, not this server its share: what it sends is dropped.
    if (before != nullptr && before->setup().session() == setup.session()) {
        return receivePayload(m_stream, m_request, {}) && welcome();
    }
    const Result<bool> resumed = m_share.resume(setup);
    if (setup.resumes()) {
        // A damaged snapshot is as good as none: the chief fills the store.
        return resumed && *resumed ? welcome() : (newReply().mutable_welcome(), send());
    }
    return fill(std::move(setup));
}

bool Conversation::fill(wire::Setup setup)
{
    Result<std::unique_ptr<ParameterStore>> store =
        ParameterStore::create(std::move(setup), m_share.threads());
    if (!store) {
        return refuse(store.error());
    }
    std::vector<std::span<std::byte>> targets;
    for (const std::span<float> part : (*store)->parts().contents()) {
        targets.push_back(std::as_writable_bytes(part));
    }
    if (!receivePayload(m_stream, m_request, targets)) {
        return false;
    }
    m_share.install(std::move(*store));
    return welcome();
}

bool Conversation::pull()
{
    const wire::Pull pull = m_request.pull();
    ParameterStore& store = *m_share.store();
    std::size_t rowCount = 0;
    for (const wire::Rows& rows : pull.rows()) {
        if (!store.parts().hasPart(rows.part()) || rows.count() < 0) {
            return refuseMisfit();
        }
        rowCount += static_cast<std::size_t>(rows.count());
    }
    std::vector<std::int32_t> numbers(rowCount);
    const std::span<std::byte> target = std::as_writable_bytes(std::span(numbers));
    if (!receivePayload(m_stream, m_request, {&target, 1})) {
        return false;
    }
    Pieces pieces;
    // Whole parts are sent from where they are, without a copy: others may push between two pieces
    // of a message, as between two messages.
    for (const int part : pull.whole()) {
        if (!store.parts().hasPart(part)) {
            return refuseMisfit();
        }
        pieces.push_back(std::as_bytes(store.parts().values(part)));
    }
    wire::Reply& reply = newReply();
    bool isGathered = false;
    {
        const std::lock_guard lock(m_share.mutex());
        reply.mutable_values()->set_step(store.step());
        isGathered = gatherRows(store, pull, numbers);
    }
    if (!isGathered) {
        return refuseMisfit();
    }
    pieces.emplace_back(m_rows);
    return sendWithPayload(m_stream, reply, pieces, &m_share.mutex());
}

/// Into m_rows.
bool Conversation::gatherRows(const ParameterStore& store, const wire::Pull& pull,
                              std::span<const std::int32_t> numbers)
{
    std::size_t size = 0;
    for (const wire::Rows& rows : pull.rows()) {
        size += static_cast<std::size_t>(rows.count() * store.parts().cols(rows.part())) *
                sizeof(float);
    }
    m_rows.resize(size);
    std::byte* target = m_rows.data();
    for (const wire::Rows& rows : pull.rows()) {
        const std::span<const float> values = store.parts().values(rows.part());
        const auto cols = static_cast<std::size_t>(store.parts().cols(rows.part()));
        const std::size_t end = values.size() / cols;
        for (const std::int32_t row : numbers.first(static_cast<std::size_t>(rows.count()))) {
            if (row < 0 || static_cast<std::size_t>(row) >= end) {
                return false;
            }
            std::memcpy(target, values.data() + static_cast<std::size_t>(row) * cols,
                        cols * sizeof(float));
            target += cols * sizeof(float);
        }
        numbers = numbers.subspan(static_cast<std::size_t>(rows.count()));
    }
    return true;
}

bool Conversation::push()
{
    wire::Push push = m_request.push();
    ParameterStore& store = *m_share.store();
    const std::optional<std::size_t> size = store.parts().payloadSize(push);
    if (!size) {
        return refuseMisfit();
    }
    m_payload.resize(*size);
    const std::span<std::byte> target = m_payload;
    if (!receivePayload(m_stream, m_request, {&target, 1})) {
        return false;
    }
    if (!store.parts().hasItsRows(push, m_payload)) {
        return refuseMisfit();
    }
    const PushOutcome outcome = m_share.push(m_peer.rank, m_peer.incarnation, std::move(push),
                                             m_payload, [this] { return m_context.IsCancelled(); });
    switch (outcome.kind) {
    case PushOutcome::Kind::Replaced:
        return refuse(error(ErrorCode::Aborted, kReplaced, m_peer.task));
    // The wait was given up: the job has ended, or the connection has.
    case PushOutcome::Kind::Waiting:
        if (const std::optional<coordinator::JobEnd> ended = m_share.ended()) {
            *newReply().mutable_ended() = coordinator::toWire(*ended);
            return send();
        }
        return false;
    case PushOutcome::Kind::Misfit:
        return refuseMisfit();
    case PushOutcome::Kind::Applied:
    case PushOutcome::Kind::Refused:
    case PushOutcome::Kind::Lost:
        break;
    }
    wire::Pushed& pushed = *newReply().mutable_pushed();
    pushed.set_step(outcome.step);
    pushed.set_is_refused(outcome.kind == PushOutcome::Kind::Refused);
    pushed.set_is_lost(outcome.kind == PushOutcome::Kind::Lost);
    *pushed.mutable_next() = m_share.leaseOf(m_peer.rank);
    return send();
}

/// Copied under the lock: a checkpoint is of one moment, unlike what pull() sends.
bool Conversation::fetch()
{
    ParameterStore& store = *m_share.store();
    Pieces pieces;
    wire::Reply& reply = newReply();
    {
        const std::lock_guard lock(m_share.mutex());
        *reply.mutable_state() = store.state();
        m_rows.clear();
        for (const std::span<float> part : store.parts().contents()) {
            const auto bytes = std::as_bytes(part);
            m_rows.insert(m_rows.end(), bytes.begin(), bytes.end());
        }
    }
    pieces.emplace_back(m_rows);
    return sendWithPayload(m_stream, reply, pieces);
}

bool Conversation::look()
{
    const ParameterStore& store = *m_share.store();
    wire::Status& status = *newReply().mutable_status();
    {
        const std::lock_guard lock(m_share.mutex());
        status.set_step(store.step());
        status.set_busy(store.tasks().othersOf(m_peer.rank));
        status.set_unseen(store.tasks().unseen());
    }
    return send();
}

bool Conversation::lease()
{
    const std::optional<wire::Leased> leased = m_share.lease(m_peer.rank, m_peer.incarnation);
    if (!leased) {
        return refuse(error(ErrorCode::Aborted, kReplaced, m_peer.task));
    }
    *newReply().mutable_leased() = *leased;
    return send();
}

/// The end of the chief is the end of the job; that of another task only frees its batch.
bool Conversation::end()
{
    if (m_isChief) {
        m_share.end(coordinator::fromWire(m_request.end()));
    } else {
        m_share.giveBack(m_peer.rank, m_peer.incarnation);
    }
    *newReply().mutable_ended() = m_request.end();
    (void)send();
    return false;
}

} // namespace cannery::parameters
