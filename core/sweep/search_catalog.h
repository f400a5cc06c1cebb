// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/sweep/search.h"

#include <memory>
#include <span>
#include <string_view>

namespace cannery::sweep {

/// How many jobs of a search that learns from its results are decided before the first of them has
/// one, if the experiment does not say how many run at once: not by the machine's cores, or the
/// values would depend on them.
inline constexpr std::int64_t kUsualParallelRuns = 4;

struct SearchRow
{
    spec::Sweep::MethodCase key;
    std::string_view name; ///< of the field of spec::Sweep
    /// Reads its own case of the message.
    Result<std::unique_ptr<Search>> (*make)(const spec::Experiment&, ParameterSpace);
    bool learns = false; ///< its values depend on scores
};

/// Every method, in the order of the schema.
std::span<const SearchRow> searchCatalog();

/// The search that a checked experiment's sweep describes. "sweep.none" if it has none,
/// "sweep.too_many_runs" for more than kMostRuns.
Result<std::unique_ptr<Search>> makeSearch(const spec::Experiment& experiment);

/// A text that is the same for experiments whose runs belong to one sweep: they differ at most in
/// how many runs there are, how many run at once and, unless the method learns from it, by which
/// metric they are compared.
std::string sweepIdentity(const spec::Experiment& experiment);

} // namespace cannery::sweep
