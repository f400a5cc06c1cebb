// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/base/result.h"
#include "core/collectives/gloo_communicator.h"

#include <memory>
#include <string>
#include <string_view>

namespace gloo::rendezvous {
class Context;
}

namespace cannery::collectives {

inline constexpr ErrorKind kPeerLost{"collectives.peer_lost",
                                     "The connection with another worker was lost ({})."};

/// Connects a process with every other. (Gloo itself cannot be told to give up while it connects,
/// and waits for each peer five times as long as it is told to.) Errors: those of connectGloo().
Result<std::shared_ptr<gloo::rendezvous::Context>> connectMesh(const GlooOptions& options);

/// Gloo's messages name its own source files, which help nobody.
std::string withoutPlace(std::string_view message);

} // namespace cannery::collectives
