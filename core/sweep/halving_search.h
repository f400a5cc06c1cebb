// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/sweep/search.h"

namespace cannery::sweep {

/// Asynchronous successive halving: Li et al., "A System for Massively Parallel Hyperparameter
/// Tuning" (MLSys 2020), algorithm 2 (ASHA). A worker that is free continues the best trial among
/// the top 1/reduction_factor of the highest rung that has one to continue, and begins a new trial
/// if there is none. Rung k ends after min_steps · reduction_factor^k steps, the last one after
/// train_spec.max_steps.
///
/// Which job ends first is decided by an imagined clock on which every step takes the same time
/// and sweep.parallel_runs workers share the jobs; so the decisions are those of one possible
/// asynchronous run, and always the same.
Result<std::unique_ptr<Search>> makeHalvingSearch(const spec::Experiment& experiment,
                                                  ParameterSpace space);

} // namespace cannery::sweep
