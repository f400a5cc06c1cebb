// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <string>
#include <vector>

namespace cannery::control {

/// The longest path that the system takes for a local socket.
inline constexpr std::size_t kLongestSocketPath = 107;

/// Absolute, without links and trailing slashes: one run folder, one name.
std::string canonicalRunFolder(const std::string& runFolder);

/// "<16 hex digits>.sock": the same for every spelling of a run folder's path.
std::string socketName(const std::string& runFolder);

/// Where sockets may be, best first: `$XDG_RUNTIME_DIR/cannery`, `/run/user/<uid>/cannery`,
/// `/tmp/cannery-<uid>`; those whose sockets' paths would be too long are left out. Nothing is
/// made.
std::vector<std::string> socketFolders();

/// A folder that only this user can enter: made when missing. "control.unsafe_folder" when it
/// belongs to somebody else, is a link, or is open to others and cannot be closed.
Result<void> makePrivateFolder(const std::string& folder);
/// True when the folder is there and passes the same test.
bool isPrivateFolder(const std::string& folder);

/// The path for a new socket, in the first folder that can be made.
Result<std::string> socketPathToListen(const std::string& runFolder);

/// The sockets that an engine of this run folder may listen at, existing ones only.
std::vector<std::string> socketPathsToTry(const std::string& runFolder);

} // namespace cannery::control
