#include "core/control/control_server.h"

#include "core/control/event_hub.h"
#include "core/control/local_socket.h"
#include "core/control/socket_path.h"
#include "core/control/wire.h"

#include "core/control/control.grpc.pb.h"

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <future>

namespace cannery::control {
namespace {

constexpr ErrorKind kCannotListen{"control.cannot_listen",
                                  "Nobody can control this training: cannot listen at {}: {}."};

constexpr std::chrono::milliseconds kLongestTake(500);

/// Answers calls, each on a thread of the library.
class Service final : public wire::Control::Service
{
public:
    Service(const ControlServer::Options& options, EventHub& hub, ControlledEngine& engine)
        : m_options(options), m_folder(canonicalRunFolder(options.runFolder)), m_hub(hub),
          m_engine(engine)
    {}

    grpc::Status Hello(grpc::ServerContext*, const wire::HelloRequest*,
                       wire::HelloReply* reply) override
    {
        reply->set_version(m_options.version);
        reply->set_run_folder(m_folder);
        reply->set_process_id(getpid());
        return grpc::Status::OK;
    }

    grpc::Status GetStatus(grpc::ServerContext*, const wire::StatusRequest* request,
                           wire::Status* reply) override
    {
        if (request->version() != m_options.version) {
            return otherVersion();
        }
        *reply = toWire(m_hub.status());
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
            if (events.empty() && watcher.mailbox().isClosed()) {
                break;
            }
            if (!events.empty() && !tell(watcher, *writer, events)) {
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

    bool tell(EventHub::Watcher& watcher, grpc::ServerWriter<wire::Events>& writer,
              const std::vector<EngineEvent>& events) const
    {
        watcher.beginTelling();
        const bool told = writer.Write(toWire(events));
        watcher.endTelling();
        if (told) {
            watcher.mailbox().gather(m_options.shortestPause);
        }
        return told;
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
};

} // namespace

class ControlServer::Private
{
public:
    Private(const Options& options, ControlledEngine& engine)
        : m_options(options), m_hub(options.longestSilence), m_service(m_options, m_hub, engine),
          m_opened(std::async(std::launch::async, [this] { return open(); }).share())
    {}

    ~Private()
    {
        m_hub.close();
        m_opened.wait();
        if (m_server) {
            // Nobody may come in any more, but for an engine that has taken this place already.
            if (identityOf(m_path) == m_identity) {
                unlink(m_path.c_str());
            }
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
    /// Listens under a name of this process first: whoever finds the socket's own name there finds
    /// somebody listening, and what a dead engine left is replaced in one step.
    Result<void> open()
    {
        silenceLibrary();
        CANNERY_TRY_ASSIGN(const std::string path, socketPathToListen(m_options.runFolder));
        const std::string temporary =
            fmt::format("{}.{}", path.substr(0, path.rfind('.')), getpid());
        grpc::ServerBuilder builder;
        builder.SetSyncServerOption(grpc::ServerBuilder::SyncServerOption::NUM_CQS, 1);
        builder.SetSyncServerOption(grpc::ServerBuilder::SyncServerOption::MAX_POLLERS, 1);
        builder.AddListeningPort("unix:" + temporary, grpc::InsecureServerCredentials());
        builder.RegisterService(&m_service);
        m_server = builder.BuildAndStart();
        if (!m_server) {
            return fail(ErrorCode::Unavailable, kCannotListen, path, "the system refuses");
        }
        m_identity = identityOf(temporary);
        // Who clears old files out of temporary folders leaves one with this bit alone.
        chmod(temporary.c_str(), S_ISVTX | S_IRUSR | S_IWUSR);
        if (std::rename(temporary.c_str(), path.c_str()) != 0) {
            const int reason = errno;
            unlink(temporary.c_str());
            return fail(ErrorCode::Unavailable, kCannotListen, path, std::strerror(reason));
        }
        m_path = path;
        return {};
    }

    const Options m_options;
    EventHub m_hub;
    Service m_service;
    std::unique_ptr<grpc::Server> m_server;
    std::string m_path;
    FileIdentity m_identity;
    std::shared_future<Result<void>> m_opened; ///< last: its thread uses what stands above
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
