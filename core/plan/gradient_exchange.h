// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/plan/network.h"

#include <span>

namespace cannery::plan {

/// Adds up what the processes of a cluster have computed in one step. All of them call it in the
/// same step with parts of the same sizes.
class GradientExchange
{
public:
    virtual ~GradientExchange() = default;

    /// Replaces every part by its sum over all processes, in the order of their shards: the same
    /// bits in each process. Errors: a lost peer; the contents are then undefined.
    virtual Result<void> sum(std::span<float> dense, std::span<const SparsePart> sparse) = 0;
};

} // namespace cannery::plan
