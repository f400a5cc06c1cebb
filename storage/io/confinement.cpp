// SPDX-License-Identifier: Apache-2.0
#include "storage/io/confinement.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>

namespace cannery::storage {
namespace {

namespace fs = std::filesystem;

/// Absolute, without "." and "..", spelled as the user did.
std::string normal(const std::string& path)
{
    std::error_code ignored;
    std::string text = fs::absolute(path, ignored).lexically_normal().string();
    while (text.size() > 1 && text.back() == '/') {
        text.pop_back();
    }
    return text;
}

/// The confined folders. Only grows, by a few per opened project.
class Confined
{
public:
    void add(const std::string& folder, bool itself)
    {
        const std::string path = normal(folder);
        if (rootOf(path + "/x") && !(itself && rootOf(path + "/x") == path)) {
            return; // already covered by an enclosing folder
        }
        const std::unique_lock lock(m_mutex);
        bool& known = m_folders[path];
        known = known || itself;
    }

    bool isEmpty()
    {
        const std::shared_lock lock(m_mutex);
        return m_folders.empty();
    }

    /// The folder from which no link is followed on the path to `path`.
    std::optional<std::string> rootOf(const std::string& path)
    {
        const std::shared_lock lock(m_mutex);
        // From the top, as the outermost confined folder covers those within it.
        for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
            const bool isWhole = slash == std::string::npos;
            const auto found = m_folders.find(path.substr(0, slash));
            if (found != m_folders.end() && (found->second || !isWhole)) {
                return found->second ? fs::path(found->first).parent_path().string() : found->first;
            }
            if (isWhole) {
                return std::nullopt;
            }
        }
    }

private:
    std::shared_mutex m_mutex;
    std::map<std::string, bool> m_folders; ///< whether the folder itself may be a link
};

Confined& confined()
{
    static Confined folders;
    return folders;
}

constexpr int kFolderFlags = O_PATH | O_DIRECTORY | O_CLOEXEC;

/// -1 with errno. `below`: a path without "." and "..".
int openNameByName(int root, const std::string& below)
{
    int folder = ::openat(root, ".", kFolderFlags);
    std::size_t begin = 0;
    while (folder >= 0 && begin < below.size()) {
        const std::size_t end = std::min(below.find('/', begin), below.size());
        const int next =
            ::openat(folder, below.substr(begin, end - begin).c_str(), kFolderFlags | O_NOFOLLOW);
        // A link is not a folder.
        const int reason = errno == ENOTDIR ? ELOOP : errno;
        ::close(folder);
        errno = reason;
        folder = next;
        begin = end + 1;
    }
    return folder;
}

int openBelow(int root, const std::string& below)
{
    open_how how = {};
    how.flags = kFolderFlags;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
    const long folder = ::syscall(SYS_openat2, root, below.c_str(), &how, sizeof how);
    // Linux before 5.6, or a sandbox that does not know the call.
    if (folder < 0 && (errno == ENOSYS || errno == EPERM)) {
        return openNameByName(root, below);
    }
    return static_cast<int>(folder);
}

} // namespace

void confine(const std::string& folder)
{
    confined().add(folder, false);
}

void confineItself(const std::string& folder)
{
    confined().add(folder, true);
}

Place::Place(const std::string& path) : m_name(path), m_folder(AT_FDCWD)
{
    if (path.empty() || path.find('\0') != std::string::npos) {
        m_error = ENOENT;
        return;
    }
    if (confined().isEmpty()) {
        return;
    }
    const std::string whole = normal(path);
    if (const auto root = confined().rootOf(whole)) {
        m_isConfined = true;
        enter(*root, whole.substr(*root == "/" ? 1 : root->size() + 1));
    }
}

void Place::enter(const std::string& root, const std::string& below)
{
    const std::size_t slash = below.rfind('/');
    m_name = below.substr(slash == std::string::npos ? 0 : slash + 1);
    const int top = ::open(root.c_str(), kFolderFlags);
    m_folder = top;
    if (top >= 0 && slash != std::string::npos) {
        m_folder = openBelow(top, below.substr(0, slash));
        const int reason = errno;
        ::close(top);
        errno = reason;
    }
    m_error = m_folder < 0 ? errno : 0;
}

Place::~Place()
{
    if (m_isConfined && m_folder >= 0) {
        ::close(m_folder);
    }
}

int openConfined(const std::string& path, int flags, mode_t mode)
{
    const Place place(path);
    if (!place.isFound()) {
        errno = place.error();
        return -1;
    }
    if (!place.isConfined()) {
        return ::openat(place.folder(), place.name(), flags, mode);
    }
    const int descriptor = ::openat(place.folder(), place.name(), flags | O_NOFOLLOW, mode);
    struct stat status = {};
    if (descriptor < 0 && errno == ENOTDIR) { // a link that was opened as a folder
        const bool isLink =
            ::fstatat(place.folder(), place.name(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISLNK(status.st_mode);
        errno = isLink ? ELOOP : ENOTDIR;
    }
    return descriptor;
}

int statConfined(const std::string& path, struct stat& status)
{
    const Place place(path);
    if (!place.isFound()) {
        errno = place.error();
        return -1;
    }
    const int result = ::fstatat(place.folder(), place.name(), &status,
                                 place.isConfined() ? AT_SYMLINK_NOFOLLOW : 0);
    if (result == 0 && place.isConfined() && S_ISLNK(status.st_mode)) {
        errno = ELOOP;
        return -1;
    }
    return result;
}

int lstatConfined(const std::string& path, struct stat& status)
{
    const Place place(path);
    if (!place.isFound()) {
        errno = place.error();
        return -1;
    }
    return ::fstatat(place.folder(), place.name(), &status, AT_SYMLINK_NOFOLLOW);
}

} // namespace cannery::storage
