// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <vector>

namespace cannery::app {

/// Whose processes a process in the background is counted among.
enum class SessionKind
{
    OwnScope, ///< a scope of systemd's, which a desktop that ends a session's processes leaves
              ///< alone
    Plain,    ///< a session of its own, nothing more
};

/// The ways that can be tried here, best first.
std::vector<SessionKind> sessionKinds();

/// Starts this program once more with the words it was called with, in a session of its own,
/// without a terminal. Returns the end of a pipe to read from; the other end is what
/// backgroundPipe() gives there. A way that leads nowhere shows as a pipe that ends at once.
Result<int> startBackgroundSelf(SessionKind kind);

/// Whether this process was started so.
bool isInBackground();
/// In a process that was started so: its end of the pipe. Below 0 elsewhere, and when it was lost
/// on the way.
int backgroundPipe();

} // namespace cannery::app
