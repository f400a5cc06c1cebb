// SPDX-License-Identifier: Apache-2.0
#include "core/control/control_server.h"

#include "core/control/connection_listener.h"
#include "core/control/event_hub.h"
#include "core/control/local_socket.h"
#include "core/control/socket_budget.h"
#include "core/control/socket_path.h"
#include "core/control/wire.h"

#include "core/control/control.grpc.pb.h"

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/server_posix.h>

#include <unistd.h>

#include <charconv>
#include <exception>
#include <future>
#include <system_error>
#include <thread>

namespace cannery::control {
namespace {

constexpr ErrorKind kNoRoom{
    "control.no_room",
    "This training cannot be controlled: {}. It continues without a control socket."};

/// How long a watcher's thread waits for events before it checks whether its client has gone.
constexpr std::chrono::milliseconds kLongestTake(500);
/// Maximum number of concurrent calls per client, and maximum size of a request.
constexpr int kMostCalls = 8;
constexpr int kLongestQuestion = 64 << 10;

/// The descriptor of the client's socket, from the name that the library gives to connections we
/// accepted.
int descriptorOf(const grpc::ServerContext& context)
{
    const std::string peer = context.peer();
    const std::size_t begin = peer.rfind(':') + 1;
    int descriptor = -1;
    std::from_chars(peer.data() + begin, peer.data() + peer.size(), descriptor);
    return descriptor;
}

/// Answers calls, each on one of the library's threads.
class Service final : public wire::Control::Service
{
public:
    Service(const ControlServer::Options& options, EventHub& hub, ControlledEngine& engine,
            ConnectionListener& keeper)
        : m_options(options), m_folder(canonicalRunFolder(options.runFolder)), m_hub(hub),
          m_engine(engine), m_keeper(keeper)
    {}

    /// Answers every version, so that the client can name both in its message.
    grpc::Status Hello(grpc::ServerContext* context, const wire::HelloRequest*,
                       wire::HelloReply* reply) override
    {
        m_keeper.noteWord(descriptorOf(*context));
        reply->set_version(m_options.version);
        reply->set_run_folder(m_folder);
        reply->set_process_id(getpid());
        return grpc::Status::OK;
    }

    grpc::Status GetStatus(grpc::ServerContext*, const wire::StatusRequest* request,
                           reports::EngineStatus* reply) override
    {
        if (request->version() != m_options.version) {
            return otherVersion();
        }
        *reply = sendable(m_hub.status());
        return grpc::Status::OK;
    }

    grpc::Status Send(grpc::ServerContext*, const wire::Command* command,
                      wire::Acknowledgement*) override
    {
        if (command->version() != m_options.version) {
            return otherVersion();
        }
        return obey(command->kind());
    }

    grpc::Status Watch(grpc::ServerContext* context, const wire::WatchRequest* request,
                       grpc::ServerWriter<wire::Events>* writer) override
    {
        if (request->version() != m_options.version) {
            return otherVersion();
        }
        EventHub::Watcher watcher(m_hub, [context] { context->TryCancel(); });
        while (!context->IsCancelled()) {
            const std::vector<EngineEvent> events = watcher.mailbox().take(kLongestTake);
            // A closed mailbox is emptied first.
            if (events.empty() && watcher.mailbox().isClosed()) {
                break;
            }
            if (!events.empty() && !sendEvents(watcher, *writer, events)) {
                break;
            }
        }
        return grpc::Status::OK;
    }

private:
    grpc::Status otherVersion() const
    {
        return {grpc::StatusCode::FAILED_PRECONDITION, std::to_string(m_options.version)};
    }

    bool sendEvents(EventHub::Watcher& watcher, grpc::ServerWriter<wire::Events>& writer,
                    const std::vector<EngineEvent>& events) const
    {
        watcher.beginSending();
        const bool sent = writer.Write(toWire(events));
        watcher.endSending();
        // The next events are sent together, after a moment.
        if (sent) {
            watcher.mailbox().gather(m_options.shortestPause);
        }
        return sent;
    }

    grpc::Status obey(wire::Command::Kind kind)
    {
        switch (kind) {
        case wire::Command::PAUSE:
            m_engine.pause();
            return grpc::Status::OK;
        case wire::Command::RESUME:
            m_engine.resume();
            return grpc::Status::OK;
        case wire::Command::STOP_AND_KEEP:
            m_engine.stopAndKeep();
            return grpc::Status::OK;
        case wire::Command::STOP_WITHOUT_SAVING:
            m_engine.stopWithoutSaving();
            return grpc::Status::OK;
        case wire::Command::CHECKPOINT_NOW:
            m_engine.checkpointNow();
            return grpc::Status::OK;
        default:
            return {grpc::StatusCode::INVALID_ARGUMENT, "unknown command"};
        }
    }

    const ControlServer::Options& m_options;
    const std::string m_folder;
    EventHub& m_hub;
    ControlledEngine& m_engine;
    ConnectionListener& m_keeper;
};

} // namespace

class ControlServer::Private
{
public:
    Private(const Options& options, ControlledEngine& engine)
        : m_options(options), m_hub(options.longestSilence),
          m_service(m_options, m_hub, engine, m_keeper),
          m_budget(measureSocketBudget(options.mostCallers)),
          m_opened(m_promise.get_future().share())
    {
        if (!m_budget.objection.empty()) {
            m_promise.set_value(fail(ErrorCode::ResourceExhausted, kNoRoom, m_budget.objection));
            return;
        }
        // The thread opens the socket, so that training need not wait for it.
        try {
            m_thread = std::jthread([this] { work(); });
        } catch (const std::system_error& refused) {
            m_promise.set_value(fail(ErrorCode::ResourceExhausted, kNoRoom, refused.what()));
        }
    }

    ~Private()
    {
        // First the watchers, whose calls would keep the server from ending; then nobody is
        // accepted any more; the server itself last, since the thread hands connections to it.
        m_hub.close();
        m_opened.wait();
        m_keeper.close();
        if (m_thread.joinable()) {
            m_thread.join();
        }
        if (m_server) {
            m_server->Shutdown(std::chrono::system_clock::now() + m_options.longestGoodbye);
        }
    }

    EventHub& hub() { return m_hub; }
    const std::shared_future<Result<void>>& opened() const { return m_opened; }
    bool isOpening() const
    {
        return m_opened.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
    }
    const std::string& path() const { return m_path; }

private:
    void work()
    {
        Result<void> opened;
        try {
            opened = open();
        } catch (const std::exception& refused) {
            opened = fail(ErrorCode::ResourceExhausted, kNoRoom, refused.what());
        }
        // The promise is kept even if opening has failed.
        const bool isOpen = opened.has_value();
        m_promise.set_value(std::move(opened));
        if (isOpen) {
            m_keeper.receive([this](int descriptor) {
                grpc::AddInsecureChannelFromFd(m_server.get(), descriptor);
            });
        }
    }

    Result<void> open()
    {
        silenceLibrary();
        CANNERY_TRY_ASSIGN(const std::string path, socketPathToListen(m_options.runFolder));
        CANNERY_TRY(m_keeper.listen(path, m_budget));
        grpc::ServerBuilder builder;
        // One thread is enough for what clients ask, and leaves the cores to training.
        builder.SetSyncServerOption(grpc::ServerBuilder::SyncServerOption::NUM_CQS, 1);
        builder.SetSyncServerOption(grpc::ServerBuilder::SyncServerOption::MAX_POLLERS, 1);
        builder.SetMaxReceiveMessageSize(kLongestQuestion);
        builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMostCalls);
        builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS,
                                   static_cast<int>(m_options.longestIdle.count()));
        builder.RegisterService(&m_service);
        m_server = builder.BuildAndStart();
        if (!m_server) {
            m_keeper.close();
            return fail(ErrorCode::Unavailable, kCannotListen, path, "the system refuses");
        }
        m_path = path;
        return {};
    }

    const Options m_options;
    EventHub m_hub;
    ConnectionListener m_keeper;
    Service m_service;
    const SocketBudget m_budget;
    std::unique_ptr<grpc::Server> m_server;
    std::string m_path;
    std::promise<Result<void>> m_promise;
    std::shared_future<Result<void>> m_opened;
    std::jthread m_thread; ///< last: uses the members above
};

ControlServer::ControlServer(const Options& options, ControlledEngine& engine)
    : m_private(std::make_unique<Private>(options, engine))
{}

ControlServer::~ControlServer() = default;

void ControlServer::publish(const EngineEvent& event)
{
    m_private->hub().publish(event);
}

Result<void> ControlServer::waitUntilOpen()
{
    return m_private->opened().get();
}

std::optional<Error> ControlServer::failure() const
{
    if (m_private->isOpening() || m_private->opened().get()) {
        return std::nullopt;
    }
    return m_private->opened().get().error();
}

std::string ControlServer::socketPath() const
{
    return m_private->isOpening() ? std::string() : m_private->path();
}

std::size_t ControlServer::watcherCount() const
{
    return m_private->hub().watcherCount();
}

std::size_t ControlServer::longestMailbox() const
{
    return m_private->hub().longestMailbox();
}

} // namespace cannery::control
