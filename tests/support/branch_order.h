// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/branches.h"

#include <cstddef>
#include <set>
#include <vector>

namespace cannery::tests {

/// The operations of a step in branches that are done when each of them begins.
inline std::vector<std::set<std::size_t>>
doneBefore(const std::vector<kernels::BranchPlace>& places)
{
    std::vector<std::set<std::size_t>> done(places.size());
    for (std::size_t at = 0; at < places.size(); ++at) {
        std::vector<std::size_t> previous = places[at].waitsFor;
        for (std::size_t earlier = 0; earlier < at; ++earlier) {
            if (places[earlier].branch == places[at].branch) {
                previous.push_back(earlier);
            }
        }
        for (const std::size_t earlier : previous) {
            done[at].insert(earlier);
            done[at].insert(done[earlier].begin(), done[earlier].end());
        }
    }
    return done;
}

} // namespace cannery::tests
