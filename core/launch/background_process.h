// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/descriptor.h"
#include "core/base/result.h"

#include <vector>

namespace cannery::launch {

/// Which session a background process belongs to.
enum class SessionKind
{
    OwnScope, ///< a systemd scope, which survives when the desktop ends the session
    Plain,    ///< a session of its own
};

/// The ways to try here, best first.
std::vector<SessionKind> sessionKinds();

/// Starts this program again with the same arguments, in a session of its own and without a
/// terminal. Returns the read end of a pipe; the child gets the write end from backgroundPipe(). If
/// a way does not work here, the pipe ends at once.
Result<Descriptor> startBackgroundSelf(SessionKind kind);

/// Whether this process was started by startBackgroundSelf().
bool isInBackground();
/// In a process started that way: its end of the pipe. Negative elsewhere, or if it was lost.
int backgroundPipe();

} // namespace cannery::launch
