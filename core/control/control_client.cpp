// SPDX-License-Identifier: Apache-2.0
#include "core/control/control_client.h"

#include "core/control/control_server.h"
#include "core/control/local_socket.h"
#include "core/control/socket_path.h"
#include "core/control/wire.h"

#include "core/control/control.grpc.pb.h"

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>

#include <mutex>

namespace cannery::control {
namespace {

constexpr ErrorKind kNotRunning{
    "control.not_running",
    "No training is running in {} on this computer; 'cannery resume' continues it."};
constexpr ErrorKind kVersion{"control.version",
                             "The engine that trains in {} speaks version {} of the control "
                             "protocol, this program {}; use the program that started it."};
constexpr ErrorKind kNoAnswer{
    "control.no_answer", "The engine that trains in {} does not answer ({}); try again, or end its "
                         "process."};
constexpr ErrorKind kLost{"control.lost", "The engine that trained in {} is no longer running."};

constexpr std::chrono::seconds kDeadline(2);

std::chrono::system_clock::time_point deadline()
{
    return std::chrono::system_clock::now() + kDeadline;
}

std::shared_ptr<grpc::Channel> openChannel(const std::string& path)
{
    grpc::ChannelArguments arguments;
    // A private connection: shared ones wait longer and longer before they retry the socket of an
    // engine that was restarted.
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return grpc::CreateCustomChannel("unix:" + path, grpc::InsecureChannelCredentials(), arguments);
}

} // namespace

class ControlClient::Private
{
public:
    Private(std::string folder, const std::string& path)
        : m_folder(std::move(folder)), m_stub(wire::Control::NewStub(openChannel(path)))
    {}

    Result<void> hello()
    {
        grpc::ClientContext context;
        context.set_deadline(deadline());
        wire::HelloRequest request;
        request.set_version(kProtocolVersion);
        wire::HelloReply reply;
        CANNERY_TRY(resultOf(m_stub->Hello(&context, request, &reply)));
        if (reply.version() != kProtocolVersion) {
            return fail(ErrorCode::FailedPrecondition, kVersion, m_folder, reply.version(),
                        kProtocolVersion);
        }
        // The path may belong to another run by now.
        if (reply.run_folder() != m_folder) {
            return fail(ErrorCode::NotFound, kNotRunning, m_folder);
        }
        return {};
    }

    Result<reports::EngineStatus> status()
    {
        grpc::ClientContext context;
        context.set_deadline(deadline());
        wire::StatusRequest request;
        request.set_version(kProtocolVersion);
        reports::EngineStatus reply;
        CANNERY_TRY(resultOf(m_stub->GetStatus(&context, request, &reply)));
        return reply;
    }

    Result<void> send(wire::Command::Kind kind)
    {
        grpc::ClientContext context;
        context.set_deadline(deadline());
        wire::Command command;
        command.set_version(kProtocolVersion);
        command.set_kind(kind);
        wire::Acknowledgement reply;
        return resultOf(m_stub->Send(&context, command, &reply));
    }

    /// Without a deadline: it lasts as long as the training.
    Result<void> watch(const std::function<void(const EngineEvent&)>& listener)
    {
        grpc::ClientContext context;
        if (!beginWatch(context)) {
            return {};
        }
        wire::WatchRequest request;
        request.set_version(kProtocolVersion);
        const auto reader = m_stub->Watch(&context, request);
        wire::Events events;
        while (reader->Read(&events)) {
            for (const EngineEvent& event : fromWire(events)) {
                listener(event);
            }
        }
        // The stream has ended: by the engine, by its death, or by us.
        const grpc::Status status = reader->Finish();
        if (endWatch()) {
            return {};
        }
        // An engine that ends cancels its calls; one that is killed leaves a closed connection.
        if (status.error_code() == grpc::StatusCode::UNAVAILABLE ||
            status.error_code() == grpc::StatusCode::CANCELLED) {
            return fail(ErrorCode::Unavailable, kLost, m_folder);
        }
        return resultOf(status);
    }

    void cancelWatch()
    {
        const std::lock_guard lock(m_mutex);
        m_isCancelled = true;
        // The watch may be waiting in Read() in another thread.
        if (m_watching != nullptr) {
            m_watching->TryCancel();
        }
    }

private:
    Result<void> resultOf(const grpc::Status& status) const
    {
        switch (status.error_code()) {
        case grpc::StatusCode::OK:
            return {};
        case grpc::StatusCode::UNAVAILABLE:
            return fail(ErrorCode::NotFound, kNotRunning, m_folder);
        case grpc::StatusCode::FAILED_PRECONDITION:
            return fail(ErrorCode::FailedPrecondition, kVersion, m_folder, status.error_message(),
                        kProtocolVersion);
        // A version without this call, which cannot say its number.
        case grpc::StatusCode::UNIMPLEMENTED:
            return fail(ErrorCode::FailedPrecondition, kVersion, m_folder, "another",
                        kProtocolVersion);
        default:
            return fail(ErrorCode::DeadlineExceeded, kNoAnswer, m_folder, status.error_message());
        }
    }

    bool beginWatch(grpc::ClientContext& context)
    {
        const std::lock_guard lock(m_mutex);
        // cancelWatch() comes from another thread, and may come before the watch.
        if (m_isCancelled) {
            m_isCancelled = false;
            return false;
        }
        m_watching = &context;
        return true;
    }

    /// True if it was cancelled.
    bool endWatch()
    {
        const std::lock_guard lock(m_mutex);
        m_watching = nullptr;
        return std::exchange(m_isCancelled, false);
    }

    std::string m_folder;
    std::unique_ptr<wire::Control::Stub> m_stub;
    std::mutex m_mutex;
    grpc::ClientContext* m_watching = nullptr; ///< guarded, like the next
    bool m_isCancelled = false;
};

Result<ControlClient> ControlClient::connect(const std::string& runFolder)
{
    const std::string folder = canonicalRunFolder(runFolder);
    // One folder may have its socket in several places.
    for (const std::string& path : socketPathsToTry(folder)) {
        if (isListening(path)) {
            silenceLibrary();
            auto parts = std::make_unique<Private>(folder, path);
            // A socket that does not answer is an error, and not "not running".
            CANNERY_TRY(parts->hello());
            return ControlClient(std::move(parts));
        }
    }
    return fail(ErrorCode::NotFound, kNotRunning, folder);
}

ControlClient::ControlClient(std::unique_ptr<Private> parts) : m_private(std::move(parts)) {}
ControlClient::ControlClient(ControlClient&&) noexcept = default;
ControlClient& ControlClient::operator=(ControlClient&&) noexcept = default;
ControlClient::~ControlClient() = default;

Result<reports::EngineStatus> ControlClient::status()
{
    return m_private->status();
}

Result<void> ControlClient::pause()
{
    return m_private->send(wire::Command::PAUSE);
}

Result<void> ControlClient::resume()
{
    return m_private->send(wire::Command::RESUME);
}

Result<void> ControlClient::stopAndKeep()
{
    return m_private->send(wire::Command::STOP_AND_KEEP);
}

Result<void> ControlClient::stopWithoutSaving()
{
    return m_private->send(wire::Command::STOP_WITHOUT_SAVING);
}

Result<void> ControlClient::checkpointNow()
{
    return m_private->send(wire::Command::CHECKPOINT_NOW);
}

Result<void> ControlClient::watch(const std::function<void(const EngineEvent&)>& listener)
{
    return m_private->watch(listener);
}

void ControlClient::cancelWatch()
{
    m_private->cancelWatch();
}

} // namespace cannery::control
