// SPDX-License-Identifier: Apache-2.0
#include "core/control/socket_path.h"

#include "core/base/fingerprint.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace cannery::control {
namespace {

namespace fs = std::filesystem;

constexpr ErrorKind kUnsafeFolder{
    "control.unsafe_folder",
    "{} cannot hold the control socket: {}. Remove it, or set XDG_RUNTIME_DIR to a folder of your "
    "own."};

constexpr mode_t kOnlyOwner = 0700;
/// "/" and a name of 16 digits with a process id, before it is renamed.
constexpr std::size_t kLongestName = 1 + 16 + 1 + 10;

/// Why the folder is not private to this user; empty if it is.
std::string objection(const std::string& folder)
{
    struct stat facts
    {};
    if (lstat(folder.c_str(), &facts) != 0) {
        return std::strerror(errno);
    }
    if (!S_ISDIR(facts.st_mode)) {
        return "it is not a folder";
    }
    // Another user could put a socket of his own there.
    if (facts.st_uid != getuid()) {
        return "it belongs to another user";
    }
    // Made private if it is not: the folder is this user's.
    if ((facts.st_mode & 0777U) != kOnlyOwner && chmod(folder.c_str(), kOnlyOwner) != 0) {
        return std::strerror(errno);
    }
    return {};
}

bool isOwnFolder(const std::string& folder)
{
    struct stat facts
    {};
    return stat(folder.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) &&
           facts.st_uid == getuid() && access(folder.c_str(), W_OK) == 0;
}

} // namespace

std::string canonicalRunFolder(const std::string& runFolder)
{
    std::error_code failure;
    fs::path path = fs::weakly_canonical(fs::absolute(runFolder, failure), failure);
    // Folders that do not exist yet have no canonical form everywhere.
    if (failure) {
        path = fs::absolute(runFolder, failure).lexically_normal();
    }
    return path.has_filename() ? path.string() : path.parent_path().string();
}

std::string socketName(const std::string& runFolder)
{
    // A hash, as the path of a socket is short.
    return fmt::format("{:016x}.sock", fingerprint64(canonicalRunFolder(runFolder)));
}

std::vector<std::string> socketFolders()
{
    std::vector<std::string> runtimeFolders;
    if (const char* runtime = std::getenv("XDG_RUNTIME_DIR"); runtime != nullptr) {
        runtimeFolders.emplace_back(runtime);
    }
    // The variable is missing in programs that a service has started.
    runtimeFolders.push_back(fmt::format("/run/user/{}", getuid()));
    std::vector<std::string> folders;
    for (const std::string& runtime : runtimeFolders) {
        const std::string folder = runtime + "/cannery";
        if (runtime.starts_with('/') && isOwnFolder(runtime) &&
            folder.size() + kLongestName <= kLongestSocketPath) {
            folders.push_back(folder);
        }
    }
    folders.push_back(fmt::format("/tmp/cannery-{}", getuid()));
    return folders;
}

Result<void> makePrivateFolder(const std::string& folder)
{
    // It exists usually.
    if (mkdir(folder.c_str(), kOnlyOwner) != 0 && errno != EEXIST) {
        return fail(ErrorCode::PermissionDenied, kUnsafeFolder, folder, std::strerror(errno));
    }
    if (const std::string reason = objection(folder); !reason.empty()) {
        return fail(ErrorCode::PermissionDenied, kUnsafeFolder, folder, reason);
    }
    return {};
}

bool isPrivateFolder(const std::string& folder)
{
    return objection(folder).empty();
}

Result<std::string> socketPathToListen(const std::string& runFolder)
{
    Result<void> made;
    for (const std::string& folder : socketFolders()) {
        made = makePrivateFolder(folder);
        if (made) {
            return folder + "/" + socketName(runFolder);
        }
    }
    // The last folder's reason, as it was the last resort.
    return tl::make_unexpected(std::move(made).error());
}

std::vector<std::string> socketPathsToTry(const std::string& runFolder)
{
    const std::string name = socketName(runFolder);
    std::vector<std::string> paths;
    for (const std::string& folder : socketFolders()) {
        const std::string path = folder + "/" + name;
        struct stat facts
        {};
        if (stat(path.c_str(), &facts) == 0 && S_ISSOCK(facts.st_mode) && isPrivateFolder(folder)) {
            paths.push_back(path);
        }
    }
    return paths;
}

} // namespace cannery::control
