// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/check.h"

#include <span>
#include <string_view>
#include <vector>

namespace cannery::kernels {

/// One row of an op's list. The list is ordered, best first, and its last row, the reference,
/// accepts everything. `Problem` is what is known at planning time: shapes and options. `Kernels`
/// is the op's table of functions.
template <typename Problem, typename Kernels>
struct Implementation
{
    std::string_view name;
    /// Empty if the row accepts the problem, otherwise a sentence that says why not.
    std::string_view (*refusal)(const Problem&) = nullptr;
    const Kernels* kernels = nullptr;
};

/// Why a row was passed over.
struct Refusal
{
    std::string_view implementation;
    std::string_view reason;
};

/// For rows that take any problem.
template <typename Problem>
std::string_view acceptsAll(const Problem&)
{
    return {};
}

/// The first row that accepts the problem. With `refusals`, also records which rows refused, and
/// why.
template <typename Problem, typename Kernels>
const Implementation<Problem, Kernels>&
choose(std::span<const Implementation<Problem, Kernels>> list, const Problem& problem,
       std::vector<Refusal>* refusals = nullptr)
{
    for (const auto& row : list) {
        const std::string_view reason = row.refusal(problem);
        if (reason.empty()) {
            return row;
        }
        if (refusals != nullptr) {
            refusals->push_back({row.name, reason});
        }
    }
    CANNERY_CHECK(!"the last row of a list accepts every problem");
    return list.back();
}

} // namespace cannery::kernels
