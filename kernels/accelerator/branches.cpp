// SPDX-License-Identifier: Apache-2.0
#include "kernels/accelerator/branches.h"

#include "kernels/accelerator/used_memory.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <variant>

namespace cannery::kernels {

namespace {

/// Of each branch: how many of the step's operations, from the first on, are known to be done as
/// far as they are in this branch.
using Clock = std::vector<std::size_t>;

void merge(Clock& clock, const Clock& other)
{
    std::ranges::transform(clock, other, clock.begin(),
                           [](std::size_t a, std::size_t b) { return std::max(a, b); });
}

/// Places one operation after the other: each in the branch where it can begin first, if every
/// operation took the same time.
class Placer
{
public:
    // Exchanges between devices get a branch of their own where there are several: they wait for
    // others.
    Placer(std::size_t branches, bool hasGroup)
        : m_branches(branches), m_spread(hasGroup && branches > 1 ? branches - 1 : branches),
          m_free(branches), m_known(branches, Clock(branches))
    {}

    void place(const Operation& operation)
    {
        m_uses.push_back(usedMemory(operation));
        const std::vector<std::size_t> needs = directNeeds();
        std::size_t ready = 0;
        for (const std::size_t need : needs) {
            ready = std::max(ready, m_ends[need]);
        }
        enter(branchOf(operation, needs, ready), needs, ready);
    }

    std::vector<BranchPlace> places;

private:
    /// The earlier operations that the last one conflicts with, later ones first, but for those
    /// that are done when another one is. Few are compared: a step of 1,209 operations (an LSTM
    /// over 200 steps), or one of 520 on 26 tables, is placed in about a millisecond.
    std::vector<std::size_t> directNeeds() const
    {
        std::vector<std::size_t> needs;
        Clock known(m_branches);
        for (std::size_t earlier = places.size(); earlier-- > 0;) {
            const bool isKnown = earlier < known[places[earlier].branch];
            if (!isKnown && conflict(m_uses[earlier], m_uses.back())) {
                needs.push_back(earlier);
                merge(known, m_done[earlier]);
            }
        }
        return needs;
    }

    std::size_t branchOf(const Operation& operation, const std::vector<std::size_t>& needs,
                         std::size_t ready) const
    {
        // Products fill the device anyway, so they stay in one branch, whose library has one
        // workspace.
        if (std::holds_alternative<Product>(operation)) {
            return 0;
        }
        return meetsOthers(operation) ? m_branches - 1 : bestBranch(needs, ready);
    }

    /// Among equals: the branch of what is needed last, then the first one.
    std::size_t bestBranch(const std::vector<std::size_t>& needs, std::size_t ready) const
    {
        std::size_t best = needs.empty() ? 0 : places[needs.front()].branch;
        for (std::size_t branch = 0; branch < m_spread; ++branch) {
            // Strictly earlier: staying in the branch needs no event.
            if (std::max(ready, m_free[branch]) < std::max(ready, m_free[best])) {
                best = branch;
            }
        }
        return best;
    }

    void enter(std::size_t branch, const std::vector<std::size_t>& needs, std::size_t ready)
    {
        BranchPlace place{.branch = branch, .waitsFor = {}};
        Clock& known = m_known[branch];
        for (const std::size_t need : needs) {
            // Known already if an earlier wait of this branch covers it: no second event.
            if (need >= known[places[need].branch]) {
                place.waitsFor.push_back(need);
                places[need].isAwaited = true;
                merge(known, m_done[need]);
            }
        }
        known[branch] = places.size() + 1;
        m_free[branch] = std::max(ready, m_free[branch]) + 1;
        m_ends.push_back(m_free[branch]);
        m_done.push_back(known);
        places.push_back(std::move(place));
    }

    std::size_t m_branches;
    std::size_t m_spread;            ///< those that anything may be in
    std::vector<std::size_t> m_free; ///< when a branch has done what is in it
    std::vector<Clock> m_known;      ///< at the end of each branch
    std::vector<std::vector<UsedMemory>> m_uses;
    std::vector<std::size_t> m_ends;
    std::vector<Clock> m_done; ///< when an operation is done, itself included
};

} // namespace

std::vector<BranchPlace> placeInBranches(std::span<const Operation> operations,
                                         std::size_t mostBranches)
{
    Placer placer(mostBranches, std::ranges::any_of(operations, meetsOthers));
    for (const Operation& operation : operations) {
        placer.place(operation);
    }
    return std::move(placer.places);
}

} // namespace cannery::kernels
