// SPDX-License-Identifier: Apache-2.0
#include "tests/support/emulated_device/socket_group.h"

#include "core/base/check.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <random>
#include <thread>
#include <utility>

using namespace cannery::kernels;

namespace cannery::tests {

namespace {

/// Of the ids made here, before the socket's path.
constexpr std::string_view kPrefix = "socket:";
/// Members come when they can.
constexpr std::chrono::milliseconds kPatience(20'000);
constexpr std::chrono::milliseconds kPause(5);

sockaddr_un addressOf(const GroupId& id)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const char* const path = reinterpret_cast<const char*>(id.data()) + kPrefix.size();
    CANNERY_CHECK(std::strlen(path) < sizeof address.sun_path);
    std::strcpy(address.sun_path, path);
    return address;
}

bool sendAll(int socket, std::span<const std::byte> bytes)
{
    while (!bytes.empty()) {
        const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) { // a signal asks the process to end
            continue;
        }
        if (sent <= 0) {
            return false;
        }
        bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
    return true;
}

bool receiveAll(int socket, std::span<std::byte> bytes)
{
    while (!bytes.empty()) {
        const ssize_t received = recv(socket, bytes.data(), bytes.size(), 0);
        if (received < 0 && errno == EINTR) {
            continue;
        }
        if (received <= 0) {
            return false;
        }
        bytes = bytes.subspan(static_cast<std::size_t>(received));
    }
    return true;
}

bool tell(int socket, std::span<const std::byte> bytes)
{
    const std::uint64_t size = bytes.size();
    return sendAll(socket, std::as_bytes(std::span(&size, 1))) && sendAll(socket, bytes);
}

bool hear(int socket, std::vector<std::byte>& bytes)
{
    std::uint64_t size = 0;
    if (!receiveAll(socket, std::as_writable_bytes(std::span(&size, 1)))) {
        return false;
    }
    bytes.resize(size);
    return receiveAll(socket, bytes);
}

void closeAll(const std::vector<int>& sockets)
{
    for (const int one : sockets) {
        close(one);
    }
}

/// Sockets of the other members, by rank; none if one has not come.
std::vector<int> awaitOthers(const sockaddr_un& address, std::int64_t size)
{
    const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CANNERY_CHECK(bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    CANNERY_CHECK(listen(listener, static_cast<int>(size)) == 0);
    std::vector<int> sockets(static_cast<std::size_t>(size - 1), -1);
    for (std::int64_t count = 1; count < size; ++count) {
        pollfd waiting{.fd = listener, .events = POLLIN, .revents = 0};
        const bool hasCome = poll(&waiting, 1, kPatience.count()) == 1;
        const int other = hasCome ? accept4(listener, nullptr, nullptr, SOCK_CLOEXEC) : -1;
        std::int64_t rank = 0;
        if (!receiveAll(other, std::as_writable_bytes(std::span(&rank, 1)))) {
            closeAll(sockets);
            sockets.clear();
            break;
        }
        sockets[static_cast<std::size_t>(rank - 1)] = other;
    }
    close(listener);
    unlink(address.sun_path);
    return sockets;
}

/// The socket of the first member; -1: it has not come.
int connectToFirst(const sockaddr_un& address, std::int64_t rank)
{
    const auto end = std::chrono::steady_clock::now() + kPatience;
    const int own = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    while (connect(own, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        if (std::chrono::steady_clock::now() > end) {
            close(own);
            return -1;
        }
        std::this_thread::sleep_for(kPause);
    }
    if (!sendAll(own, std::as_bytes(std::span(&rank, 1)))) {
        close(own);
        return -1;
    }
    return own;
}

} // namespace

GroupId SocketGroup::makeId(const std::string& folder)
{
    std::random_device random;
    const std::string text =
        std::string(kPrefix) + folder + "/group" + std::to_string(random()) + ".socket";
    GroupId id{};
    CANNERY_CHECK(text.size() < id.size());
    std::memcpy(id.data(), text.data(), text.size());
    return id;
}

bool SocketGroup::hasMade(const GroupId& id)
{
    return std::memcmp(id.data(), kPrefix.data(), kPrefix.size()) == 0;
}

std::shared_ptr<EmulatedGroup> SocketGroup::join(const GroupPlace& place)
{
    const sockaddr_un address = addressOf(place.id);
    if (place.member.rank == 0) {
        std::vector<int> others = awaitOthers(address, place.member.size);
        const bool areAllThere = std::ssize(others) + 1 == place.member.size;
        return areAllThere ? std::make_shared<SocketGroup>(std::move(others)) : nullptr;
    }
    const int first = connectToFirst(address, place.member.rank);
    return first < 0 ? nullptr : std::make_shared<SocketGroup>(std::vector{first});
}

SocketGroup::~SocketGroup()
{
    closeAll(m_sockets);
}

bool SocketGroup::gather(GroupRank member, Bytes own, std::vector<Bytes>& all)
{
    all.resize(static_cast<std::size_t>(member.size));
    if (member.rank == 0) {
        all.front() = std::move(own);
        return gatherFirst(all) || waitUntilAbandoned();
    }
    if (!tell(m_sockets.front(), own)) {
        return waitUntilAbandoned();
    }
    for (Bytes& bytes : all) {
        if (!hear(m_sockets.front(), bytes)) {
            return waitUntilAbandoned();
        }
    }
    return true;
}

bool SocketGroup::gatherFirst(std::vector<Bytes>& all)
{
    for (std::size_t other = 1; other < all.size(); ++other) {
        if (!hear(m_sockets[other - 1], all[other])) {
            return false;
        }
    }
    for (const int other : m_sockets) {
        for (const Bytes& bytes : all) {
            if (!tell(other, bytes)) {
                return false;
            }
        }
    }
    return true;
}

bool SocketGroup::waitUntilAbandoned()
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [&] { return m_isAbandoned; });
    return false;
}

void SocketGroup::abandon()
{
    const std::scoped_lock lock(m_mutex);
    m_isAbandoned = true;
    m_changed.notify_all();
    for (const int one : m_sockets) {
        shutdown(one, SHUT_RDWR);
    }
}

} // namespace cannery::tests
