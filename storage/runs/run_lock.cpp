// SPDX-License-Identifier: Apache-2.0
#include "storage/runs/run_lock.h"

#include "storage/io/confinement.h"
#include "storage/io/file_error.h"
#include "storage/io/files.h"
#include "storage/runs/whole_file_lock.h"

#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

namespace cannery::storage {
namespace {

constexpr ErrorKind kLocked{
    "run.locked",
    "{} is being trained by process {} on {}; stop that process or choose another folder."};
constexpr ErrorKind kEvaluated{
    "run.evaluated",
    "The checkpoints in {} are being evaluated by process {} on {}; a cluster has one evaluator, "
    "with index 0."};

std::string firstLine(const char* path)
{
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

/// The 22nd field of /proc/self/stat. The second one, the program's name, may contain spaces.
std::string processStartTime()
{
    const std::string line = firstLine("/proc/self/stat");
    const std::size_t nameEnd = line.rfind(')');
    if (nameEnd == std::string::npos) {
        return {};
    }
    std::istringstream fields(line.substr(nameEnd + 1));
    std::string field;
    for (int i = 3; i <= 22 && fields >> field; ++i) {
    }
    return field;
}

std::string selfDescription()
{
    // A process id alone is given to another process some day; with its start and the boot it is
    // unique.
    utsname machine{};
    uname(&machine);
    return fmt::format("pid {}\nstart_time {}\nboot_id {}\nhost {}\n", getpid(), processStartTime(),
                       firstLine("/proc/sys/kernel/random/boot_id"), machine.nodename);
}

RunOwner parseOwner(const std::string& text)
{
    RunOwner owner;
    std::istringstream lines(text);
    std::string key;
    std::string value;
    while (lines >> key >> value) {
        if (key == "pid") {
            owner.processId = std::strtoll(value.c_str(), nullptr, 10);
        } else if (key == "start_time") {
            owner.startTime = value;
        } else if (key == "boot_id") {
            owner.bootId = value;
        } else if (key == "host") {
            owner.host = value;
        }
    }
    return owner;
}

std::string readAll(int descriptor)
{
    std::array<char, 512> bytes{};
    const ssize_t size = pread(descriptor, bytes.data(), bytes.size(), 0);
    return size <= 0 ? std::string() : std::string(bytes.data(), static_cast<std::size_t>(size));
}

/// False, with errno set.
bool writeWhole(int descriptor, const std::string& text)
{
    std::size_t written = 0;
    while (written < text.size()) {
        const ssize_t part = pwrite(descriptor, text.data() + written, text.size() - written,
                                    static_cast<off_t>(written));
        if (part < 0 && errno != EINTR) {
            return false;
        }
        written += static_cast<std::size_t>(std::max<ssize_t>(part, 0));
    }
    return true;
}

constexpr std::string_view kTrainingLock = "run.lock";
constexpr std::string_view kEvaluationLock = "evaluator.lock";

} // namespace

Result<RunLock> RunLock::acquire(const std::string& folder)
{
    return acquire(folder, kTrainingLock, kLocked);
}

Result<RunLock> RunLock::acquireEvaluation(const std::string& folder)
{
    return acquire(folder, kEvaluationLock, kEvaluated);
}

Result<RunLock> RunLock::acquire(const std::string& folder, std::string_view name,
                                 const ErrorKind& taken)
{
    confine(folder);
    const std::string path = joinPath(folder, name);
    RunLock lock(openConfined(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (lock.m_descriptor < 0) {
        return tl::make_unexpected(fileError("open", path, errno));
    }
    // Of the open file description, as in QueueLock: it ends with the process, never before.
    struct flock claim = wholeFile();
    if (fcntl(lock.m_descriptor, F_OFD_SETLK, &claim) != 0) {
        if (errno != EAGAIN && errno != EACCES) {
            return tl::make_unexpected(fileError("lock", path, errno));
        }
        const RunOwner owner = parseOwner(readAll(lock.m_descriptor));
        return fail(ErrorCode::FailedPrecondition, taken, folder, owner.processId,
                    owner.host.empty() ? "another computer" : owner.host);
    }
    // The description of a former owner may be the longer one.
    if (ftruncate(lock.m_descriptor, 0) != 0 || !writeWhole(lock.m_descriptor, selfDescription())) {
        return tl::make_unexpected(fileError("write to", path, errno));
    }
    return lock;
}

std::optional<RunOwner> RunLock::owner(const std::string& folder)
{
    confine(folder);
    // Without a file nobody has trained here yet.
    const int descriptor = openConfined(joinPath(folder, kTrainingLock), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return std::nullopt;
    }
    struct flock query = wholeFile();
    // Asked, not taken: a reader must never keep a training from starting.
    const bool asked = fcntl(descriptor, F_OFD_GETLK, &query) == 0;
    std::optional<RunOwner> owner;
    if (asked && query.l_type != F_UNLCK) {
        owner = parseOwner(readAll(descriptor));
    }
    close(descriptor);
    return owner;
}

RunLock::RunLock(RunLock&& other) noexcept : m_descriptor(std::exchange(other.m_descriptor, -1)) {}

RunLock& RunLock::operator=(RunLock&& other) noexcept
{
    std::swap(m_descriptor, other.m_descriptor);
    return *this;
}

RunLock::~RunLock()
{
    if (m_descriptor >= 0) {
        close(m_descriptor);
    }
}

} // namespace cannery::storage
