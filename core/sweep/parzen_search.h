// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/sweep/search.h"

namespace cannery::sweep {

/// The tree-structured Parzen estimator: Bergstra et al., "Algorithms for Hyper-Parameter
/// Optimization" (NeurIPS 2011), section 4. The best 15 % of the trials so far give a density l of
/// good values, the others a density g; of 24 combinations drawn from l, the one with the greatest
/// l/g is tried. Densities are products over the parameters: of ranges, in which a uniform prior
/// and a Gaussian at each trial, as wide as the greater distance to its neighbours, weigh the same;
/// and of choices, counted after one trial of each.
///
/// The i-th trial learns from those up to i - sweep.parallel_runs, and from no others that may have
/// ended by then: as many can run side by side, and the values are always the same.
Result<std::unique_ptr<Search>> makeParzenSearch(const spec::Experiment& experiment,
                                                 ParameterSpace space);

} // namespace cannery::sweep
