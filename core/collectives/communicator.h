// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace cannery::collectives {

/// In which order allReduce() adds up.
enum class Summation
{
    Tree,  ///< as one binary tree over the ranks
    Quick, ///< the quickest: it depends on the number of ranks and values, but on nothing else
    Ring,  ///< part by part around a ring; as Quick otherwise
};

/// A group of processes that compute together. Every process calls the same functions in the same
/// order, with the same sizes unless it says otherwise; each returns when this process has its
/// result. One thread, but for abort().
///
/// Errors: "collectives.peer_lost", "collectives.timed_out". The group is then of no use any more:
/// every later call fails, and the contents of what was to be received are undefined.
class Communicator
{
public:
    virtual ~Communicator() = default;

    virtual int rank() const = 0;
    virtual int size() const = 0;

    /// Replaces the values by their sums over all ranks, the same bits in each: one binary tree
    /// over the ranks, whose left part is the largest power of two below their number. If each rank
    /// brings the sum of an aligned block of leaves, as many as a power of two, the bits do not
    /// depend on the number of ranks. (Or in the order of another Summation.)
    virtual Result<void> allReduce(std::span<float> values) = 0;
    /// all[r] = what rank r has, of any size.
    virtual Result<void> allGatherV(std::span<const std::byte> own,
                                    std::vector<std::vector<std::byte>>& all) = 0;
    /// The same for sizes that every rank knows: parts[r] is what rank r has, and all but the own
    /// one are filled. Parts may be empty.
    virtual Result<void> allGatherV(std::span<const std::span<std::byte>> parts) = 0;
    /// Rank r gets sent[r] as its received[own rank]; the sizes agree, and may be 0. What is for
    /// this rank itself stays where it is.
    virtual Result<void> allToAllV(std::span<const std::span<const std::byte>> sent,
                                   std::span<const std::span<std::byte>> received) = 0;
    /// Replaces the bytes by those of one rank.
    virtual Result<void> broadcast(std::span<std::byte> bytes, int root) = 0;

    /// Any thread: calls in progress fail soon.
    virtual void abort() noexcept = 0;
    /// Any thread: the rank that the call in progress waits for, if nothing has come or gone for so
    /// long, and for as long as its messages may take on a slow network (1 MiB/s) on top. That peer
    /// may just be busy elsewhere.
    virtual std::optional<int> stuckWith(std::chrono::milliseconds silence) const = 0;
};

} // namespace cannery::collectives
