// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/heads/prediction.h"
#include "core/heads/signature.h"
#include "storage/tf/graphs/node_ref.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cannery::storage {
class GraphDefBuilder;
}

namespace cannery::heads {

// What TensorFlow's SequentialHeadWrapper does with the predictions of the head within.

/// Tells predictions of steps (Head::predict() of their logits) which row they are of, and adds the
/// mask: true for every step, since no row is padded.
void groupBySteps(std::span<const std::int64_t> stepOffsets, const std::string& mask,
                  std::vector<Prediction>& predictions);

/// Steps in a TensorFlow graph, padded.
struct EmittedSteps
{
    storage::NodeRef logits; ///< float [batch, steps, logitsWidth]
    storage::NodeRef counts; ///< int64 [batch]: how many steps each row has
};

/// Gives the signatures of a head that has predicted padded steps (Head::emit() of these logits)
/// the shapes of steps, and their "predict" the mask, a bool tensor [?, ?]. TensorFlow's own
/// exports lack it, although without it a client cannot tell steps from padding.
void emitStepPredictions(storage::GraphDefBuilder& graph, const EmittedSteps& steps,
                         const std::string& mask, std::vector<Signature>& signatures);

} // namespace cannery::heads
