// SPDX-License-Identifier: Apache-2.0
#include "core/collectives/gloo_communicator.h"

#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/store.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/types.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <csignal>
#include <cstring>
#include <mutex>

namespace cannery::collectives {

namespace {

constexpr ErrorKind kPeerLost{"collectives.peer_lost",
                              "The connection with another worker was lost ({})."};
constexpr ErrorKind kTimedOut{"collectives.timed_out", "Another worker did not answer in time."};
constexpr ErrorKind kNoConnection{
    "collectives.no_connection",
    "This worker, at {0}, cannot connect with the others ({1}). Check that the workers reach each "
    "other at the host names of the cluster, and that no firewall closes their ports."};

/// Beside those of Gloo's own collectives, which cannot be aborted while they wait for a peer.
constexpr std::uint8_t kSlotPrefix = 0x40;
/// Up to this many values a message's latency matters more than its length.
constexpr std::size_t kShortMessage = 16 * 1024;
/// Messages of one call between the same two ranks differ by their stage.
constexpr int kGatherStage = 32;
constexpr int kJoinStage = 64;
constexpr int kSizeStage = 1;

int stageOf(int distance)
{
    return std::countr_zero(static_cast<unsigned>(distance));
}

/// An error of the store, on its way through Gloo.
struct StoreFailure : std::exception
{
    explicit StoreFailure(Error reason) : error(std::move(reason)) {}
    const char* what() const noexcept override { return error.sentence.c_str(); }
    Error error;
};

class GlooStore : public gloo::rendezvous::Store
{
public:
    explicit GlooStore(const GlooOptions& options) : m_options(options) {}

    void set(const std::string& key, const std::vector<char>& data) override
    {
        const auto bytes = std::as_bytes(std::span(data));
        if (Result<void> done = m_options.store->set(named(key), bytes); !done) {
            throw StoreFailure(std::move(done).error());
        }
    }
    std::vector<char> get(const std::string& key) override
    {
        return value(key, m_options.connectTimeout);
    }
    void wait(const std::vector<std::string>& keys) override
    {
        wait(keys, m_options.connectTimeout);
    }
    void wait(const std::vector<std::string>& keys,
              const std::chrono::milliseconds& timeout) override
    {
        for (const std::string& key : keys) {
            value(key, timeout);
        }
    }

private:
    std::string named(const std::string& key) const { return m_options.prefix + "/" + key; }
    std::vector<char> value(const std::string& key, std::chrono::milliseconds timeout)
    {
        Result<std::vector<std::byte>> bytes = m_options.store->get(named(key), timeout);
        if (!bytes) {
            throw StoreFailure(std::move(bytes).error());
        }
        std::vector<char> chars(bytes->size());
        std::memcpy(chars.data(), bytes->data(), bytes->size());
        return chars;
    }

    const GlooOptions& m_options;
};

/// Gloo's messages name its own source files, which help nobody.
std::string withoutPlace(std::string_view message)
{
    const std::size_t end = message.starts_with('[') ? message.find("] ") : std::string_view::npos;
    return std::string(end == std::string_view::npos ? message : message.substr(end + 2));
}

class GlooCommunicator : public Communicator
{
public:
    GlooCommunicator(std::shared_ptr<gloo::rendezvous::Context> context,
                     std::chrono::milliseconds timeout)
        : m_context(std::move(context)), m_timeout(timeout)
    {}

    int rank() const override { return m_context->rank; }
    int size() const override { return m_context->size; }

    Result<void> allReduce(std::span<float> values) override
    {
        return guarded([&] {
            m_scratch.resize(values.size());
            sumTree(values, 0, size());
        });
    }

    Result<void> allGatherV(std::span<const std::byte> own,
                            std::vector<std::vector<std::byte>>& all) override
    {
        return guarded([&] {
            std::vector<std::size_t> sizes(static_cast<std::size_t>(size()));
            const std::size_t ownSize = own.size();
            std::vector<Message> messages;
            forEachPeer([&](int peer) {
                messages.push_back(
                    {.peer = peer,
                     .stage = kSizeStage,
                     .out = std::as_bytes(std::span(&ownSize, 1)),
                     .in = std::as_writable_bytes(std::span(&sizes[index(peer)], 1))});
            });
            transfer(messages);
            messages.clear();
            all.resize(sizes.size());
            all[index(rank())].assign(own.begin(), own.end());
            forEachPeer([&](int peer) {
                all[index(peer)].resize(sizes[index(peer)]);
                messages.push_back({.peer = peer, .out = own, .in = all[index(peer)]});
            });
            transfer(messages);
        });
    }

    /// As a binomial tree: whoever has the bytes passes them on, twice as many in each round.
    Result<void> broadcast(std::span<std::byte> bytes, int root) override
    {
        return guarded([&] {
            const int local = (rank() - root + size()) % size();
            const auto peerAt = [&](int place) { return (place + root) % size(); };
            int distance = 1;
            for (; distance < size(); distance *= 2) {
                if ((local & distance) != 0) {
                    transfer({{.peer = peerAt(local - distance), .in = bytes}});
                    break;
                }
            }
            std::vector<Message> messages;
            for (distance /= 2; distance > 0; distance /= 2) {
                if (local + distance < size()) {
                    messages.push_back({.peer = peerAt(local + distance), .out = bytes});
                }
            }
            transfer(messages);
        });
    }

    void abort() noexcept override
    {
        m_isDead = true;
        const std::lock_guard lock(m_mutex);
        for (const auto& buffer : m_waiting) {
            buffer->abortWaitRecv();
            buffer->abortWaitSend();
        }
        try {
            m_context->closeConnections();
        } catch (const std::exception&) { // NOLINT(bugprone-empty-catch): closed is closed
        }
    }

private:
    /// One message to a peer, one from it, or both at once; empty ones are not sent.
    struct Message
    {
        int peer = 0;
        int stage = 0;
        std::span<const std::byte> out = {};
        std::span<std::byte> in = {};
    };
    using Buffer = std::unique_ptr<gloo::transport::UnboundBuffer>;

    static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }
    template <typename Function>
    void forEachPeer(const Function& function)
    {
        for (int peer = 0; peer < size(); ++peer) {
            if (peer != rank()) {
                function(peer);
            }
        }
    }

    template <typename Function>
    Result<void> guarded(const Function& function)
    {
        ++m_calls;
        if (m_isDead) {
            return fail(ErrorCode::Unavailable, kPeerLost, "the group has ended");
        }
        try {
            function();
        } catch (const std::exception& exception) {
            m_isDead = true;
            const std::string_view message = exception.what();
            if (message.find("imed out") != std::string_view::npos) {
                return fail(ErrorCode::DeadlineExceeded, kTimedOut);
            }
            return fail(ErrorCode::Unavailable, kPeerLost, withoutPlace(message));
        }
        return {};
    }

    /// Returns when all messages are sent and received.
    void transfer(const std::vector<Message>& messages)
    {
        {
            const std::lock_guard lock(m_mutex);
            for (const Message& message : messages) {
                post(message);
            }
            if (m_isDead) {
                throw gloo::IoException("aborted");
            }
        }
        for (std::size_t i = 0; i < m_waiting.size(); ++i) {
            gloo::transport::UnboundBuffer& buffer = *m_waiting[i];
            const bool done =
                m_isReceiving[i] ? buffer.waitRecv(m_timeout) : buffer.waitSend(m_timeout);
            if (!done) {
                throw gloo::IoException("aborted");
            }
        }
        const std::lock_guard lock(m_mutex);
        m_waiting.clear();
        m_isReceiving.clear();
    }

    void post(const Message& message)
    {
        const gloo::Slot slot =
            gloo::Slot::build(kSlotPrefix, m_calls) + static_cast<std::uint8_t>(message.stage);
        if (!message.in.empty()) {
            m_waiting.push_back(
                m_context->createUnboundBuffer(message.in.data(), message.in.size()));
            m_isReceiving.push_back(true);
            m_waiting.back()->recv(message.peer, slot);
        }
        if (!message.out.empty()) {
            m_waiting.push_back(m_context->createUnboundBuffer(
                const_cast<std::byte*>(message.out.data()), message.out.size()));
            m_isReceiving.push_back(false);
            m_waiting.back()->send(message.peer, slot);
        }
    }

    /// Sends values to a peer while receiving others from it.
    void exchange(int peer, int stage, std::span<const float> out, std::span<float> in)
    {
        transfer({{.peer = peer,
                   .stage = stage,
                   .out = std::as_bytes(out),
                   .in = std::as_writable_bytes(in)}});
    }

    static void add(std::span<float> target, std::span<const float> values)
    {
        std::transform(target.begin(), target.end(), values.begin(), target.begin(), std::plus<>());
    }

    /// The sum over ranks [first, first + count), of which this is one, as the tree of allReduce().
    void sumTree(std::span<float> values, int first, int count, int depth = 0)
    {
        if (count == 1) {
            return;
        }
        if (std::has_single_bit(static_cast<unsigned>(count))) {
            sumPowerOfTwo(values, first, count);
            return;
        }
        const int left = static_cast<int>(std::bit_floor(static_cast<unsigned>(count - 1)));
        const int right = count - left;
        const int local = rank() - first;
        const bool isLeft = local < left;
        sumTree(values, isLeft ? first : first + left, isLeft ? left : right, depth + 1);
        const int stage = kJoinStage + depth;
        const std::span<float> other(m_scratch.data(), values.size());
        if (isLeft) {
            // Each rank on the right serves the left ranks that are equal to it modulo `right`.
            const int partner = first + left + local % right;
            exchange(partner, stage, local < right ? values : std::span<float>(), other);
            add(values, other);
        } else {
            const int own = local - left;
            for (int peer = own; peer < left; peer += right) {
                exchange(first + peer, stage, values, peer == own ? other : std::span<float>());
            }
            add(values, other);
        }
    }

    /// Recursive doubling for short messages: every rank adds whole vectors. Recursive halving with
    /// doubling distances for long ones: ranks add parts, then gather them. Both add the same
    /// pairs.
    void sumPowerOfTwo(std::span<float> values, int first, int count)
    {
        const int local = rank() - first;
        if (values.size() <= kShortMessage) {
            for (int distance = 1; distance < count; distance *= 2) {
                const std::span<float> other(m_scratch.data(), values.size());
                exchange(first + (local ^ distance), stageOf(distance), values, other);
                add(values, other);
            }
            return;
        }
        struct Range
        {
            std::span<float> kept;
            std::span<float> given;
        };
        std::vector<Range> ranges;
        std::span<float> whole = values;
        for (int distance = 1; distance < count; distance *= 2) {
            const std::size_t half = whole.size() / 2;
            const bool isLow = (local & distance) == 0;
            const Range range{.kept = isLow ? whole.first(half) : whole.subspan(half),
                              .given = isLow ? whole.subspan(half) : whole.first(half)};
            const std::span<float> other(m_scratch.data(), range.kept.size());
            exchange(first + (local ^ distance), stageOf(distance), range.given, other);
            add(range.kept, other);
            ranges.push_back(range);
            whole = range.kept;
        }
        for (int distance = count / 2; distance > 0; distance /= 2) {
            const Range& range = ranges.back();
            exchange(first + (local ^ distance), kGatherStage + stageOf(distance), range.kept,
                     range.given);
            ranges.pop_back();
        }
    }

    std::shared_ptr<gloo::rendezvous::Context> m_context;
    std::chrono::milliseconds m_timeout;
    std::atomic<bool> m_isDead = false;
    std::uint32_t m_calls = 0; ///< so far: the same number in every rank
    std::vector<float> m_scratch;
    std::mutex m_mutex; ///< for what follows, while another thread may abort
    std::vector<Buffer> m_waiting;
    std::vector<bool> m_isReceiving; ///< by buffer; otherwise sending
};

} // namespace

Result<std::unique_ptr<Communicator>> connectGloo(const GlooOptions& options)
{
    // Gloo writes to connections that a peer may have closed.
    std::signal(SIGPIPE, SIG_IGN);
    try {
        gloo::transport::tcp::attr address;
        address.hostname = options.host;
        auto device = gloo::transport::tcp::CreateDevice(address);
        auto context = std::make_shared<gloo::rendezvous::Context>(options.rank, options.size);
        context->setTimeout(options.connectTimeout);
        GlooStore store(options);
        context->connectFullMesh(store, device);
        return std::make_unique<GlooCommunicator>(std::move(context), options.timeout);
    } catch (StoreFailure& failure) {
        return tl::make_unexpected(std::move(failure.error));
    } catch (const std::exception& exception) {
        return fail(ErrorCode::Unavailable, kNoConnection, options.host,
                    withoutPlace(exception.what()));
    }
}

} // namespace cannery::collectives
