// SPDX-License-Identifier: Apache-2.0
#include "core/control/connection_listener.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

namespace cannery::control {
namespace {

constexpr int kQueue = 64;
constexpr int kPauseMilliseconds = 100;
constexpr int kTries = 50;
constexpr int kTryMilliseconds = 10;
constexpr std::string_view kEnding = ".sock";

tl::unexpected<Error> cannotListen(const std::string& path, int reason)
{
    return fail(ErrorCode::Unavailable, kCannotListen, path, std::strerror(reason));
}

ino_t socketNumber(int descriptor)
{
    struct stat facts
    {};
    return fstat(descriptor, &facts) == 0 && S_ISSOCK(facts.st_mode) ? facts.st_ino : 0;
}

bool isSameUser(int descriptor)
{
    ucred credentials{};
    socklen_t size = sizeof(credentials);
    return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 &&
           credentials.uid == geteuid();
}

/// Held while sockets in a folder are created or removed, so that no process removes one that
/// another has just created.
class FolderLock
{
public:
    explicit FolderLock(const std::string& folder)
        : m_descriptor(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    {
        // Normally held only briefly; does not wait for a process that was stopped while holding
        // it.
        for (int i = 0; m_descriptor >= 0 && i < kTries; ++i) {
            if (flock(m_descriptor, LOCK_EX | LOCK_NB) == 0) {
                // Without the lock after that time: removing a dead socket twice does no harm.
                break;
            }
            poll(nullptr, 0, kTryMilliseconds);
        }
    }
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;
    ~FolderLock()
    {
        if (m_descriptor >= 0) {
            ::close(m_descriptor);
        }
    }

private:
    int m_descriptor;
};

/// "<digits>.sock", where an engine listens while it exists, or "<digits>.<process>" for one that
/// is about to listen.
bool isDead(const std::string& path)
{
    const std::string_view ending = std::string_view(path).substr(path.rfind('.'));
    struct stat facts
    {};
    if (lstat(path.c_str(), &facts) != 0 || !S_ISSOCK(facts.st_mode)) {
        // Something that is not a socket is not ours.
        return false;
    }
    if (ending == kEnding) {
        return !isListening(path);
    }
    pid_t process = 0;
    const auto [end, failure] =
        std::from_chars(ending.data() + 1, ending.data() + ending.size(), process);
    // A process that exists may be about to listen.
    return failure == std::errc() && end == ending.data() + ending.size() && process > 0 &&
           kill(process, 0) != 0 && errno == ESRCH;
}

void sweep(const std::string& folder)
{
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(folder.c_str()), closedir);
    while (const dirent* entry = entries ? readdir(entries.get()) : nullptr) {
        const std::string name = entry->d_name;
        if (name.rfind('.') != std::string::npos && name.front() != '.' &&
            isDead(folder + "/" + name)) {
            unlink((folder + "/" + name).c_str());
        }
    }
}

std::string folderOf(const std::string& path)
{
    return path.substr(0, path.rfind('/'));
}

} // namespace

void sweepDeadSockets(const std::string& folder)
{
    const FolderLock lock(folder);
    sweep(folder);
}

ConnectionListener::~ConnectionListener()
{
    close();
    for (const int descriptor : {m_listener.load(), m_spare}) {
        if (descriptor >= 0) {
            ::close(descriptor);
        }
    }
}

Result<void> ConnectionListener::listen(const std::string& path, const SocketBudget& budget)
{
    m_mostCallers = budget.callers;
    // Bytes of a path are limited by the system, not by us.
    m_spoken = std::vector<std::atomic<bool>>(budget.descriptors);
    const std::string temporary = fmt::format("{}.{}", path.substr(0, path.rfind('.')), getpid());
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (temporary.size() >= sizeof(address.sun_path)) {
        return cannotListen(path, ENAMETOOLONG);
    }
    std::memcpy(address.sun_path, temporary.c_str(), temporary.size() + 1);
    // A descriptor in reserve, to turn a client away with.
    m_spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    m_listener = listener;
    const FolderLock lock(folderOf(path));
    // Sockets of engines that were killed.
    sweep(folderOf(path));
    unlink(temporary.c_str());
    if (listener < 0 ||
        ::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
        ::listen(listener, kQueue) != 0) {
        return cannotListen(path, errno);
    }
    // Under its own name a socket would be found before it listens.
    m_identity = identityOf(temporary);
    // Programs that clean up temporary folders skip files with this bit.
    chmod(temporary.c_str(), S_ISVTX | S_IRUSR | S_IWUSR);
    if (std::rename(temporary.c_str(), path.c_str()) != 0) {
        const int reason = errno;
        unlink(temporary.c_str());
        return cannotListen(path, reason);
    }
    m_path = path;
    return {};
}

void ConnectionListener::receive(const std::function<void(int)>& letIn)
{
    while (!m_isClosed) {
        pollfd caller{.fd = m_listener, .events = POLLIN, .revents = 0};
        // Woken up by a client, or by close().
        poll(&caller, 1, -1);
        const int descriptor = accept4(m_listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (descriptor >= 0) {
            admit(descriptor, letIn);
        } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            turnAwayOne();
        }
    }
}

void ConnectionListener::close()
{
    // A second call has nothing to do.
    if (m_path.empty() || m_isClosed.exchange(true)) {
        return;
    }
    {
        // New connections are refused, unless another engine has already taken this path.
        const FolderLock lock(folderOf(m_path));
        if (identityOf(m_path) == m_identity) {
            unlink(m_path.c_str());
        }
    }
    shutdown(m_listener, SHUT_RDWR); // wakes receive()
}

void ConnectionListener::noteWord(int descriptor)
{
    // The library may give numbers that are none of ours.
    if (descriptor >= 0 && static_cast<std::size_t>(descriptor) < m_spoken.size()) {
        m_spoken[static_cast<std::size_t>(descriptor)] = true;
    }
}

void ConnectionListener::admit(int descriptor, const std::function<void(int)>& letIn)
{
    forgetThoseWhoLeft();
    const bool isKnown = static_cast<std::size_t>(descriptor) < m_spoken.size();
    // Only the user who trains may control it.
    if (m_isClosed || !isKnown || !isSameUser(descriptor)) {
        ::close(descriptor);
        return;
    }
    if (m_callers.size() >= m_mostCallers && !sendOneAway()) {
        ::close(descriptor);
        return;
    }
    std::atomic<bool>& hasSpoken = m_spoken[static_cast<std::size_t>(descriptor)];
    hasSpoken = false;
    m_callers.push_back({descriptor, socketNumber(descriptor), &hasSpoken});
    letIn(descriptor);
}

/// A client that has sent nothing. The descriptor of a disconnected client stays open until its
/// owner closes it: training needs it more than the next client in the queue, which waits for it.
bool ConnectionListener::sendOneAway()
{
    const auto silent = std::find_if(m_callers.begin(), m_callers.end(),
                                     [](const Caller& caller) { return !*caller.hasSpoken; });
    if (silent == m_callers.end()) {
        return false;
    }
    shutdown(silent->descriptor, SHUT_RDWR);
    // The owner closes it in its own thread, which takes a moment.
    for (int i = 0; i < kTries && m_callers.size() >= m_mostCallers; ++i) {
        poll(nullptr, 0, i == 0 ? 0 : 1);
        forgetThoseWhoLeft();
    }
    return m_callers.size() < m_mostCallers;
}

void ConnectionListener::forgetThoseWhoLeft()
{
    std::erase_if(m_callers, [](const Caller& caller) {
        return socketNumber(caller.descriptor) != caller.number;
    });
}

/// No descriptor is left for a waiting client: uses the spare one to reject it.
void ConnectionListener::turnAwayOne()
{
    if (m_spare >= 0) {
        ::close(m_spare);
        const int descriptor = accept4(m_listener, nullptr, nullptr, SOCK_CLOEXEC);
        if (descriptor >= 0) {
            ::close(descriptor);
        }
    } else {
        poll(nullptr, 0, kPauseMilliseconds);
    }
    m_spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

} // namespace cannery::control
