// SPDX-License-Identifier: Apache-2.0
#include "storage/io/file_system.h"

#include "core/base/memory_guard.h"
#include "storage/io/confinement.h"
#include "storage/io/file_error.h"
#include "storage/io/patient_file_system.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

namespace cannery::storage {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{64} << 10U;

tl::unexpected<Error> failWith(std::string_view action, const std::string& path)
{
    return tl::make_unexpected(fileError(action, path, errno));
}

Result<void> checked(int status, std::string_view action, const std::string& path)
{
    if (status != 0) {
        return failWith(action, path);
    }
    return {};
}

/// The reason is the third argument of a file's error.
bool isNoRoom(const Error& error)
{
    const auto is = [&error](int reason) {
        return error.arguments.size() > 2 &&
               error.arguments[2] == std::generic_category().message(reason);
    };
    return error.id == kFileError.id && (is(ENOSPC) || is(EDQUOT));
}

/// Whether there was no room, and there may be some now.
bool mayTryAgain(const RoomWaiter* waiter, const Error& error)
{
    return waiter != nullptr && isNoRoom(error) && (*waiter)(error);
}

/// Of what leaves nothing behind when it fails.
template <typename Operation>
auto patiently(const RoomWaiter* waiter, const Operation& operation)
{
    for (;;) {
        auto result = operation();
        if (result || !mayTryAgain(waiter, result.error())) {
            return result;
        }
    }
}

/// A buffered descriptor; large appends bypass the buffer.
class PosixFile final : public WritableFile
{
public:
    PosixFile(int descriptor, std::string path, std::uint64_t size, const RoomWaiter* waiter)
        : m_descriptor(descriptor), m_path(std::move(path)), m_size(size), m_waiter(waiter)
    {}
    PosixFile(const PosixFile&) = delete;
    PosixFile& operator=(const PosixFile&) = delete;
    ~PosixFile() override
    {
        if (m_descriptor >= 0) {
            // For writers that do not close: an error has nobody to go to.
            static_cast<void>(flush());
            ::close(m_descriptor);
        }
    }

    Result<void> append(std::span<const std::byte> bytes) override
    {
        if (m_buffer.size() + bytes.size() > kBufferBytes) {
            CANNERY_TRY(flush());
        }
        if (bytes.size() >= kBufferBytes) {
            CANNERY_TRY(writeAll(bytes));
        } else {
            m_buffer.insert(m_buffer.end(), bytes.begin(), bytes.end());
        }
        m_size += bytes.size();
        return {};
    }

    Result<void> flush() override
    {
        Result<void> written = writeAll(m_buffer);
        m_buffer.clear(); // also what could not be written: it is not retried
        return written;
    }

    Result<void> sync() override
    {
        CANNERY_TRY(flush());
        return checked(::fdatasync(m_descriptor), "write to", m_path);
    }

    Result<void> close() override
    {
        if (m_descriptor < 0) {
            return {};
        }
        const Result<void> flushed = flush();
        // Whatever happens, it is closed, and only once: after an error, Linux has freed the
        // number.
        const int descriptor = std::exchange(m_descriptor, -1);
        const int status = ::close(descriptor);
        CANNERY_TRY(flushed);
        return checked(status, "write to", m_path);
    }

    std::uint64_t size() const override { return m_size; }

private:
    Result<void> writeAll(std::span<const std::byte> bytes)
    {
        while (!bytes.empty()) {
            const ssize_t written = ::write(m_descriptor, bytes.data(), bytes.size());
            if (written < 0 && errno == EINTR) {
                continue;
            }
            if (written < 0) {
                Error error = fileError("write to", m_path, errno);
                if (mayTryAgain(m_waiter, error)) {
                    continue;
                }
                return tl::make_unexpected(std::move(error));
            }
            bytes = bytes.subspan(static_cast<std::size_t>(written));
        }
        return {};
    }

    int m_descriptor;
    std::string m_path;
    std::uint64_t m_size;
    const RoomWaiter* m_waiter; ///< null if nobody waits
    std::vector<std::byte> m_buffer;
};

class PosixFileSystem final : public FileSystem
{
public:
    explicit PosixFileSystem(RoomWaiter waiter = {}) : m_waiter(std::move(waiter)) {}

    Result<std::unique_ptr<WritableFile>> create(const std::string& path) override
    {
        return patiently(waiter(), [&] { return open(path, O_TRUNC, "create"); });
    }

    Result<std::unique_ptr<WritableFile>> openForAppend(const std::string& path) override
    {
        return patiently(waiter(), [&] { return open(path, O_APPEND, "open for writing"); });
    }

    Result<void> rename(const std::string& from, const std::string& to) override
    {
        return patiently(waiter(), [&] {
            const Place source(from);
            const Place target(to);
            const int status = at(source, [&] {
                return at(target, [&] {
                    return ::renameat(source.folder(), source.name(), target.folder(),
                                      target.name());
                });
            });
            return checked(status, "rename " + from + " to", to);
        });
    }

    Result<void> removeFile(const std::string& path) override
    {
        // Called by destructors: must not throw.
        return guardMemory(path, [&] { return checked(remove(path, 0), "delete", path); });
    }

    Result<void> removeFolder(const std::string& path) override
    {
        return checked(remove(path, AT_REMOVEDIR), "delete the folder", path);
    }

    Result<void> makeFolder(const std::string& path) override
    {
        return patiently(waiter(), [&] {
            const Place place(path);
            const int status =
                at(place, [&] { return ::mkdirat(place.folder(), place.name(), 0777); });
            return checked(status, "make the folder", path);
        });
    }

    Result<void> syncFolder(const std::string& path) override
    {
        const int descriptor = openConfined(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (descriptor < 0 && errno == EACCES) {
            return {}; // another user's folder that may be passed but not opened
        }
        if (descriptor < 0) {
            return failWith("open the folder", path);
        }
        const int status = ::fsync(descriptor);
        const int reason = errno;
        ::close(descriptor);
        // Some network file systems cannot sync folders; nothing better is possible.
        if (status != 0 && reason != EINVAL && reason != ENOTSUP) {
            return tl::make_unexpected(fileError("write to the folder", path, reason));
        }
        return {};
    }

private:
    /// A system call on a place, -1 if it was not found.
    template <typename Call>
    static int at(const Place& place, const Call& call)
    {
        if (!place.isFound()) {
            errno = place.error();
            return -1;
        }
        return call();
    }

    static int remove(const std::string& path, int flags)
    {
        const Place place(path);
        return at(place, [&] { return ::unlinkat(place.folder(), place.name(), flags); });
    }

    Result<std::unique_ptr<WritableFile>> open(const std::string& path, int how,
                                               std::string_view action) const
    {
        const int descriptor = openConfined(path, O_WRONLY | O_CREAT | O_CLOEXEC | how);
        if (descriptor < 0) {
            return failWith(action, path);
        }
        struct stat status = {};
        if (::fstat(descriptor, &status) != 0) {
            const Error reason = fileError(action, path, errno);
            ::close(descriptor);
            return tl::make_unexpected(reason);
        }
        return std::make_unique<PosixFile>(descriptor, path,
                                           static_cast<std::uint64_t>(status.st_size), waiter());
    }

    const RoomWaiter* waiter() const { return m_waiter ? &m_waiter : nullptr; }

    const RoomWaiter m_waiter;
};

} // namespace

FileSystem& realFileSystem()
{
    static PosixFileSystem system;
    return system;
}

std::unique_ptr<FileSystem> patientFileSystem(RoomWaiter waiter)
{
    return std::make_unique<PosixFileSystem>(std::move(waiter));
}

} // namespace cannery::storage
