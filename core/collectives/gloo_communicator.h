// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/collectives/communicator.h"
#include "core/collectives/key_value_store.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace cannery::collectives {

struct GlooOptions
{
    int rank = 0;
    int size = 1;
    KeyValueStore* store = nullptr; ///< used while connecting only
    std::string prefix;             ///< of keys in the store: unique to this group
    std::string host;               ///< a name or address of this machine that the others reach
    Summation summation = Summation::Tree;
    std::chrono::milliseconds connectTimeout = std::chrono::seconds(60);
    /// Asked several times a second, by another thread, while connecting: whether that is in vain,
    /// as a peer is lost. May be empty.
    std::function<bool()> isInVain;
    std::chrono::milliseconds timeout = std::chrono::seconds(30); ///< of each call
};

/// Connects every process with every other over TCP (Gloo), at ports that the system chooses.
/// Neither encrypted nor authenticated: for trusted networks. The process ignores SIGPIPE from then
/// on. Errors: "collectives.no_connection", "collectives.peer_lost" if it was in vain, those of the
/// store.
Result<std::unique_ptr<Communicator>> connectGloo(const GlooOptions& options);

} // namespace cannery::collectives
