// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/optimizers/optimizer.h"
#include "core/spec/optimizers.pb.h"
#include "storage/tf/graphs/node_ref.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace cannery::optimizers {

class UpdateEmitter;

struct OptimizerRow
{
    spec::Optimizer::KindCase key;
    std::string_view name;      ///< of the field of spec::Optimizer: "rmsprop"
    std::string_view className; ///< TensorFlow's: "RMSprop"
    /// Reads its own case of the message; the common part has already been read. Null: it has no
    /// gradients, and trains a whole model in steps of its own (plan::OwnStep).
    std::unique_ptr<Optimizer> (*make)(const spec::Optimizer&, OptimizerCommon);
    /// Adds the nodes of one update, and returns the last operation. Null: TensorFlow has none of
    /// its own for it.
    storage::NodeRef (*emit)(const spec::Optimizer&, UpdateEmitter&) = nullptr;
    bool countsSteps =
        true; ///< false for those of tf.compat.v1.train, which know the global step only
    /// The same for `rules: keras`. Null: tf.keras.optimizers has no such optimizer.
    std::unique_ptr<Optimizer> (*makeKeras)(const spec::Optimizer&, OptimizerCommon) = nullptr;
};

/// Every optimizer, in the order of the schema.
std::span<const OptimizerRow> optimizerCatalog();

/// The optimizer that the (resolved) message describes; a schedule's noise is drawn with the seed.
/// An error if none is set or it has no gradients, if its schedule is invalid, if it does not fit
/// its rules (spec::rulesProblem), or if TensorFlow rejects the combination.
Result<std::unique_ptr<Optimizer>> makeOptimizer(const spec::Optimizer& message,
                                                 std::uint64_t seed);

} // namespace cannery::optimizers
