// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/branches.h"
#include "kernels/cuda/runtime.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace cannery::kernels::cuda {

/// As many queues as a GPU reads from at once, unless CUDA_DEVICE_MAX_CONNECTIONS says otherwise.
inline constexpr std::size_t kBranches = 8;

/// The working memory of a step, of each branch for one operation at a time.
class BranchWorkspaces
{
public:
    /// The first branch is given what operations of the others need, too: all can run there.
    void need(std::size_t branch, std::int64_t bytes);
    std::int64_t bytes() const;
    /// In memory of bytes(), 256-byte aligned as it is; all of them are if null.
    std::array<std::byte*, kBranches> in(std::byte* memory) const;

private:
    std::array<std::int64_t, kBranches> m_most{};
};

/// What the branches of a step are captured with.
struct BranchResources
{
    std::array<Stream, kBranches> streams{}; ///< the first one is the stream that is captured
    std::span<const Event> events;           ///< eventsOf() of them
    std::array<std::byte*, kBranches> workspaces{};
};

/// Events that a capture of these branches needs.
std::size_t eventsOf(std::span<const BranchPlace> places);

/// Queues operations in their branches while the first stream is captured. Other streams join the
/// capture where they are needed, and have come back to the first one at the end.
CallStatus runInBranches(Runtime& runtime, std::span<const Operation> operations,
                         std::span<const BranchPlace> places, const BranchResources& resources);

} // namespace cannery::kernels::cuda
