// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <string>
#include <vector>

namespace cannery::control {

/// The longest path that the system accepts for a local socket.
inline constexpr std::size_t kLongestSocketPath = 107;

/// Absolute, without links and trailing slashes: one run folder, one name.
std::string canonicalRunFolder(const std::string& runFolder);

/// "<16 hex digits>.sock": the same for every spelling of a run folder's path.
std::string socketName(const std::string& runFolder);

/// Folders for sockets, best first: `$XDG_RUNTIME_DIR/cannery`, `/run/user/<uid>/cannery`,
/// `/tmp/cannery-<uid>`; those whose sockets' paths would be too long are left out. Creates
/// nothing.
std::vector<std::string> socketFolders();

/// A folder that only this user can enter: created if missing. "control.unsafe_folder" if it
/// belongs to another user, is a link, or is open to others and cannot be made private.
Result<void> makePrivateFolder(const std::string& folder);
/// True if the folder exists and is private.
bool isPrivateFolder(const std::string& folder);

/// The path for a new socket, in the first folder that can be created.
Result<std::string> socketPathToListen(const std::string& runFolder);

/// The existing sockets at which an engine of this run folder may listen.
std::vector<std::string> socketPathsToTry(const std::string& runFolder);

} // namespace cannery::control
