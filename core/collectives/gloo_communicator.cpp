// SPDX-License-Identifier: Apache-2.0
#include "core/collectives/gloo_communicator.h"

#include "core/collectives/gloo_mesh.h"
#include "core/collectives/gloo_messages.h"
#include "core/collectives/vector_sum.h"

#include <gloo/rendezvous/context.h>

#include <bit>
#include <csignal>

namespace cannery::collectives {

namespace {

constexpr ErrorKind kTimedOut{"collectives.timed_out", "Another worker did not answer in time."};
constexpr int kSizeStage = 1;
/// From how many values on a ring is quicker than halving and doubling: for numbers of ranks that
/// those divide evenly, and for all others.
constexpr std::size_t kLongForPowerOfTwo = 1024 * 1024;
constexpr std::size_t kLongForOthers = 16 * 1024;

std::size_t index(int rank)
{
    return static_cast<std::size_t>(rank);
}

class GlooCommunicator : public Communicator
{
public:
    GlooCommunicator(std::shared_ptr<gloo::rendezvous::Context> context, const GlooOptions& options)
        : m_group(std::move(context), options.timeout), m_summation(options.summation)
    {}

    int rank() const override { return m_group.rank(); }
    int size() const override { return m_group.size(); }

    Result<void> allReduce(std::span<float> values) override
    {
        return guarded([&] {
            if (isForRing(values.size())) {
                sumAroundRing(m_group, values, m_scratch);
            } else {
                sumAsTree(m_group, values, m_scratch);
            }
        });
    }

    Result<void> allGatherV(std::span<const std::byte> own,
                            std::vector<std::vector<std::byte>>& all) override
    {
        return guarded([&] {
            // Sizes first: a receiver must have the memory ready.
            const std::size_t ownSize = own.size();
            m_sizes.assign(index(size()), ownSize);
            // Messages to all others are under way at once.
            forEachPeer([&](int peer) {
                m_messages.push_back(
                    {.peer = peer,
                     .stage = kSizeStage,
                     .out = std::as_bytes(std::span(&ownSize, 1)),
                     .in = std::as_writable_bytes(std::span(&m_sizes[index(peer)], 1))});
            });
            // A second stage would overtake the first otherwise.
            transferAll();
            all.resize(m_sizes.size());
            all[index(rank())].assign(own.begin(), own.end());
            forEachPeer([&](int peer) {
                all[index(peer)].resize(m_sizes[index(peer)]);
                m_messages.push_back({.peer = peer, .out = own, .in = all[index(peer)]});
            });
            transferAll();
        });
    }

    Result<void> allGatherV(std::span<const std::span<std::byte>> parts) override
    {
        return guarded([&] {
            forEachPeer([&](int peer) {
                m_messages.push_back(
                    {.peer = peer, .out = parts[index(rank())], .in = parts[index(peer)]});
            });
            transferAll();
        });
    }

    Result<void> allToAllV(std::span<const std::span<const std::byte>> sent,
                           std::span<const std::span<std::byte>> received) override
    {
        return guarded([&] {
            forEachPeer([&](int peer) {
                m_messages.push_back(
                    {.peer = peer, .out = sent[index(peer)], .in = received[index(peer)]});
            });
            transferAll();
        });
    }

    /// As a binomial tree: whoever has the bytes passes them on, twice as many in each round.
    Result<void> broadcast(std::span<std::byte> bytes, int root) override
    {
        return guarded([&] {
            const int local = (rank() - root + size()) % size();
            const auto peerAt = [&](int place) { return (place + root) % size(); };
            int distance = 1;
            // The lowest bit of a place says from whom it gets the bytes.
            for (; distance < size(); distance *= 2) {
                if ((local & distance) != 0) {
                    m_messages.push_back({.peer = peerAt(local - distance), .in = bytes});
                    break;
                }
            }
            transferAll();
            for (distance /= 2; distance > 0; distance /= 2) {
                if (local + distance < size()) {
                    m_messages.push_back({.peer = peerAt(local + distance), .out = bytes});
                }
            }
            transferAll();
        });
    }

    void abort() noexcept override { m_group.abort(); }
    std::optional<int> stuckWith(std::chrono::milliseconds silence) const override
    {
        return m_group.stuckWith(silence);
    }

private:
    bool isForRing(std::size_t values) const
    {
        if (m_summation == Summation::Tree || size() < 3) {
            return false; // two ranks add the same pairs either way
        }
        // With other numbers of ranks halving takes additional rounds.
        const bool isPowerOfTwo = std::has_single_bit(static_cast<unsigned>(size()));
        return m_summation == Summation::Ring ||
               values > (isPowerOfTwo ? kLongForPowerOfTwo : kLongForOthers);
    }

    /// From the next rank on, so that not all begin with the same one.
    template <typename Function>
    void forEachPeer(const Function& function)
    {
        for (int distance = 1; distance < size(); ++distance) {
            function((rank() + distance) % size());
        }
    }

    void transferAll()
    {
        m_group.transfer(m_messages);
        m_messages.clear();
    }

    template <typename Function>
    Result<void> guarded(const Function& function)
    {
        // What was stuck before does not count for this call.
        m_group.beginCall();
        if (m_group.isDead()) {
            return fail(ErrorCode::Unavailable, kPeerLost, "the group has ended");
        }
        try {
            function();
        } catch (const std::exception& exception) {
            // The state of the connections is unknown now, so that no later call may use them.
            m_group.die();
            const std::string_view message = exception.what();
            // Only the words of the message show that it was a timeout.
            if (message.find("imed out") != std::string_view::npos) {
                return fail(ErrorCode::DeadlineExceeded, kTimedOut);
            }
            return fail(ErrorCode::Unavailable, kPeerLost, withoutPlace(message));
        }
        return {};
    }

    GlooMessages m_group;
    Summation m_summation;
    std::vector<float> m_scratch;
    std::vector<std::size_t> m_sizes;
    std::vector<Message> m_messages;
};

} // namespace

Result<std::unique_ptr<Communicator>> connectGloo(const GlooOptions& options)
{
    // Gloo writes to connections that a peer may have closed.
    std::signal(SIGPIPE, SIG_IGN);
    CANNERY_TRY_ASSIGN(auto mesh, connectMesh(options));
    return std::make_unique<GlooCommunicator>(std::move(mesh), options);
}

} // namespace cannery::collectives
