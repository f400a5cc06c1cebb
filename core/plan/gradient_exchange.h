// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/plan/network_gradients.h"

#include <functional>
#include <span>

namespace cannery::plan {

/// Adds up what the processes of a cluster have computed in one step. All of them make the same
/// calls in every step, with parts of the same sizes in the same order. One thread.
class GradientExchange
{
public:
    virtual ~GradientExchange() = default;

    /// Fills `all`, equal parts for each process in order, with what each has in its own part.
    /// Before the first begin() of a step. Errors: as finish().
    virtual Result<void> gather(std::span<double> all) = 0;
    /// How NetworkGradients::packs() cuts the dense parts.
    virtual PackSizes packSizes() const = 0;
    /// These dense parts are complete: they may be summed from now on, while others are computed.
    /// `isLast`: no other follows in this step. They must stay in place until finish() returns.
    virtual void begin(std::span<float> pack, bool isLast) = 0;
    /// Returns when all packs, and these parts, are replaced by their sums over all processes: the
    /// same bits in each. Errors: a lost peer; the contents are then undefined.
    virtual Result<void> finish(std::span<const SparsePart> sparse) = 0;
    /// From now on `lost` is called, by any thread, as soon as another process is known to be lost;
    /// if it is empty, nothing is called any more once this returns.
    virtual void whenLost(std::function<void()> lost) = 0;
};

} // namespace cannery::plan
