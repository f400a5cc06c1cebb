// SPDX-License-Identifier: Apache-2.0
#include "core/collectives/gloo_mesh.h"

#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/store.h>
#include <gloo/transport/context.h>
#include <gloo/transport/tcp/device.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace cannery::collectives {

namespace {

constexpr ErrorKind kNoConnection{
    "collectives.no_connection",
    "This worker, at {0}, cannot connect with the others ({1}). Check that the workers reach each "
    "other at the host names of the cluster, and that no firewall closes their ports."};

using Clock = std::chrono::steady_clock;

/// How often whether connecting is in vain is asked.
constexpr std::chrono::milliseconds kWatchInterval(20);

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
            // Only that the value is there.
            value(key, timeout);
        }
    }

private:
    std::string named(const std::string& key) const { return m_options.prefix + "/" + key; }
    std::vector<char> value(const std::string& key, std::chrono::milliseconds timeout)
    {
        Result<std::vector<std::byte>> bytes = m_options.store->get(named(key), timeout);
        // Thrown, as the library's interface has no other way.
        if (!bytes) {
            throw StoreFailure(std::move(bytes).error());
        }
        std::vector<char> chars(bytes->size());
        std::memcpy(chars.data(), bytes->data(), bytes->size());
        return chars;
    }

    const GlooOptions& m_options;
};

class GlooMesh : public gloo::rendezvous::Context
{
public:
    enum class Ended
    {
        NotYet,
        InVain,
        Late,
    };

    /// Listens for the others.
    explicit GlooMesh(const GlooOptions& options) : Context(options.rank, options.size)
    {
        gloo::transport::tcp::attr address;
        address.hostname = options.host;
        device_ = gloo::transport::tcp::CreateDevice(address);
        transportContext_ = device_->createContext(rank, size);
        transportContext_->setTimeout(options.connectTimeout);
        // No connection with itself.
        for (int peer = 0; peer < size; ++peer) {
            if (peer != rank) {
                transportContext_->createPair(peer);
            }
        }
    }

    /// Exchanges addresses through the store, and connects with every peer, unless that ends
    /// before. Throws what the store and Gloo throw.
    void connect(const GlooOptions& options)
    {
        const Clock::time_point limit = Clock::now() + options.connectTimeout;
        // The library's own wait cannot be interrupted.
        const std::jthread watch(
            [&, limit](const std::stop_token& stop) { endWhenInVain(stop, limit, options); });
        GlooStore store(options);
        std::vector<char> addresses;
        for (int peer = 0; peer < size; ++peer) {
            if (peer != rank) {
                const std::vector<char> one = getPair(peer)->address().bytes();
                addresses.insert(addresses.end(), one.begin(), one.end());
            }
        }
        // Published when it is complete: the others wait for it.
        store.set(std::to_string(rank), addresses);
        for (int peer = 0; peer < size && m_ended == Ended::NotYet; ++peer) {
            if (peer != rank) {
                const std::vector<char> others = store.get(std::to_string(peer));
                getPair(peer)->connect(ownAddress(others, peer));
            }
        }
    }

    /// Unless NotYet, the mesh is of no use.
    Ended ended() const { return m_ended; }

private:
    /// That of this process among those that `peer` has published: one for every process but
    /// itself. (Versions of Gloo differ in where they have this function.)
    std::vector<char> ownAddress(const std::vector<char>& addresses, int peer) const
    {
        const std::size_t length = addresses.size() / static_cast<std::size_t>(size - 1);
        const std::size_t place = static_cast<std::size_t>(rank > peer ? rank - 1 : rank) * length;
        const auto begin = addresses.begin() + static_cast<std::ptrdiff_t>(place);
        return {begin, begin + static_cast<std::ptrdiff_t>(length)};
    }

    void endWhenInVain(const std::stop_token& stop, Clock::time_point limit,
                       const GlooOptions& options)
    {
        std::mutex mutex;
        std::condition_variable_any stopped;
        std::unique_lock lock(mutex);
        // The others may have given up, or there may be another group already.
        while (
            !stopped.wait_for(lock, stop, kWatchInterval, [&] { return stop.stop_requested(); })) {
            const bool isLate = Clock::now() >= limit;
            if (isLate || (options.isInVain && options.isInVain())) {
                m_ended = isLate ? Ended::Late : Ended::InVain;
                return close();
            }
        }
    }

    void close()
    {
        try {
            closeConnections();
        } catch (const std::exception&) { // NOLINT(bugprone-empty-catch): closed is closed
        }
    }

    std::atomic<Ended> m_ended = Ended::NotYet;
};

} // namespace

Result<std::shared_ptr<gloo::rendezvous::Context>> connectMesh(const GlooOptions& options)
{
    std::shared_ptr<GlooMesh> mesh;
    std::string reason;
    try {
        mesh = std::make_shared<GlooMesh>(options);
        mesh->connect(options);
    } catch (StoreFailure& failure) {
        return tl::make_unexpected(std::move(failure.error));
    } catch (const std::exception& exception) {
        // Gloo's words begin with a place in its source, which helps nobody.
        reason = withoutPlace(exception.what());
    }
    const GlooMesh::Ended ended = mesh == nullptr ? GlooMesh::Ended::NotYet : mesh->ended();
    if (ended == GlooMesh::Ended::InVain) {
        return fail(ErrorCode::Unavailable, kPeerLost, "while connecting");
    }
    // The reason may be the library's word for a closed connection, which was ours.
    if (ended == GlooMesh::Ended::Late) {
        reason = fmt::format("no answer within {} s",
                             std::chrono::duration<double>(options.connectTimeout).count());
    }
    if (!reason.empty()) {
        return fail(ErrorCode::Unavailable, kNoConnection, options.host, reason);
    }
    return mesh;
}

std::string withoutPlace(std::string_view message)
{
    const std::size_t end = message.starts_with('[') ? message.find("] ") : std::string_view::npos;
    return std::string(end == std::string_view::npos ? message : message.substr(end + 2));
}

} // namespace cannery::collectives
