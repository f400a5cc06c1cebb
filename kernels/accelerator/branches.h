// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/operations.h"

#include <cstddef>
#include <span>
#include <vector>

namespace cannery::kernels {

/// When an operation of a step may run. Those of one branch run one after the other, in the order
/// of the step; those of different branches run side by side, unless one waits for the other.
struct BranchPlace
{
    std::size_t branch = 0;
    std::vector<std::size_t> waitsFor; ///< earlier operations of other branches
    bool isAwaited = false;            ///< by one of another branch
};

/// Branches of a step, at most so many, in which each operation finds what it finds when all of
/// them run one after the other: what it conflicts with (see used_memory.h) comes before it as
/// there. All products are in branch 0, since they share memory for rounded factors, and most of
/// them keep a device busy. What meets the other members of a group must come in the same order
/// everywhere, and waits for them: it is in the last branch, which has little else. The same
/// operations give the same branches.
std::vector<BranchPlace> placeInBranches(std::span<const Operation> operations,
                                         std::size_t mostBranches);

} // namespace cannery::kernels
