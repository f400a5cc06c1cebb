// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"

#include <vector>

namespace cannery::layers {

/// A layer that computes something else in a training step than in inference.
class EmitsTraining
{
public:
    virtual ~EmitsTraining() = default;

    /// As Layer::emit(). Adds the operations of a step that change its untrained variables.
    virtual storage::EmittedValue emitTraining(const EmitContext& context,
                                               std::vector<storage::NodeRef>& updates) const = 0;
};

} // namespace cannery::layers
