// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/link.h"

#include "core/control/local_socket.h"
#include "core/coordinator/outbox.h"

#include "core/coordinator/coordinator.grpc.pb.h"

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/support/client_callback.h>

#include <condition_variable>
#include <mutex>

namespace cannery::coordinator {
namespace {

using Reports = Outbox<wire::Report>;

std::shared_ptr<grpc::Channel> openChannel(const std::string& target)
{
    grpc::ChannelArguments arguments;
    // A private connection: shared ones wait longer and longer before they try again.
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    // The tasks of a cluster reach each other directly.
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    arguments.SetMaxReceiveMessageSize(kLongestMessage);
    return grpc::CreateCustomChannel(target, grpc::InsecureChannelCredentials(), arguments);
}

} // namespace

class Link::Private final : public grpc::ClientBidiReactor<wire::Report, wire::News>
{
public:
    Private(const std::string& target, Listener& listener)
        : m_listener(listener), m_stub(wire::Coordinator::NewStub(openChannel(target)))
    {
        m_stub->async()->Attend(&m_context, this);
        AddHold(); // for writes by other threads; removed when the outbox says Finish
        StartRead(&m_news);
        StartCall();
    }

    void send(wire::Report report) { act(m_reports.put(std::move(report))); }

    void closeAndWait()
    {
        m_context.TryCancel();
        std::unique_lock lock(m_mutex);
        m_done.wait(lock, [this] { return m_isDone; });
    }

private:
    void OnReadDone(bool isRead) override
    {
        if (!isRead) {
            // Nothing more can be delivered.
            return act(m_reports.close(Reports::Rest::Drop));
        }
        if (const std::optional<News> news = fromWire(m_news)) {
            m_listener.received(*news);
        }
        StartRead(&m_news);
    }

    void OnWriteDone(bool isWritten) override { act(m_reports.written(isWritten)); }

    void OnDone(const grpc::Status& status) override
    {
        // The listener learns the reason before the object may go.
        m_listener.closed(status.ok() ? "it ended the connection" : status.error_message());
        const std::lock_guard lock(m_mutex);
        m_isDone = true;
        m_done.notify_all();
    }

    void act(Reports::Next next)
    {
        if (next == Reports::Next::Write) {
            StartWrite(m_reports.current());
        } else if (next == Reports::Next::Finish) {
            RemoveHold();
        }
    }

    Listener& m_listener;
    std::unique_ptr<wire::Coordinator::Stub> m_stub;
    grpc::ClientContext m_context;
    Reports m_reports;
    wire::News m_news;
    std::mutex m_mutex;
    std::condition_variable m_done;
    bool m_isDone = false;
};

Link::Link(const std::string& target, Listener& listener)
{
    control::silenceLibrary();
    m_private = std::make_unique<Private>(target, listener);
}

Link::~Link()
{
    m_private->closeAndWait();
}

void Link::send(wire::Report report)
{
    m_private->send(std::move(report));
}

} // namespace cannery::coordinator
