// SPDX-License-Identifier: Apache-2.0
#include "storage/runs/queue_lock.h"

#include "storage/io/confinement.h"
#include "storage/io/file_error.h"
#include "storage/io/files.h"
#include "storage/runs/whole_file_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace cannery::storage {
namespace {

std::string queueLockPath(const std::string& projectFolder)
{
    return joinPath(projectFolder, "queue.lock");
}

} // namespace

Result<std::optional<QueueLock>> QueueLock::tryAcquire(const std::string& projectFolder)
{
    const std::string path = queueLockPath(projectFolder);
    confineItself(path);
    QueueLock lock(openConfined(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (lock.m_descriptor < 0) {
        return tl::make_unexpected(fileError("open", path, errno));
    }
    // A lock of the open file description: unlike a POSIX lock it is not lost when some other
    // descriptor of the file is closed, and the kernel releases it however the process ends.
    struct flock claim = wholeFile();
    if (fcntl(lock.m_descriptor, F_OFD_SETLK, &claim) == 0) {
        return std::optional<QueueLock>(std::move(lock));
    }
    if (errno == EAGAIN || errno == EACCES) {
        return std::optional<QueueLock>();
    }
    return tl::make_unexpected(fileError("lock", path, errno));
}

bool QueueLock::isHeld(const std::string& projectFolder)
{
    const int descriptor = openConfined(queueLockPath(projectFolder), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return false;
    }
    struct flock query = wholeFile();
    const bool asked = fcntl(descriptor, F_OFD_GETLK, &query) == 0;
    close(descriptor);
    return asked && query.l_type != F_UNLCK;
}

QueueLock::QueueLock(QueueLock&& other) noexcept
    : m_descriptor(std::exchange(other.m_descriptor, -1))
{}

QueueLock& QueueLock::operator=(QueueLock&& other) noexcept
{
    std::swap(m_descriptor, other.m_descriptor);
    return *this;
}

QueueLock::~QueueLock()
{
    if (m_descriptor >= 0) {
        close(m_descriptor);
    }
}

} // namespace cannery::storage
