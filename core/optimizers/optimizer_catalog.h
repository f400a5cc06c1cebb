// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/optimizers/optimizer.h"
#include "core/spec/optimizers.pb.h"

#include <memory>
#include <span>
#include <string_view>

namespace cannery::optimizers {

struct OptimizerRow
{
    spec::Optimizer::KindCase key;
    std::string_view name;      ///< of the field of spec::Optimizer: "rmsprop"
    std::string_view className; ///< Keras's: "RMSprop"
    /// Reads its own case of the message; the common part has already been read.
    std::unique_ptr<Optimizer> (*make)(const spec::Optimizer&, OptimizerCommon);
};

/// Every optimizer, in the order of the schema.
std::span<const OptimizerRow> optimizerCatalog();

/// The optimizer that the (resolved) message describes. An error if none is set, if its schedule is
/// invalid, or if TensorFlow rejects the combination.
Result<std::unique_ptr<Optimizer>> makeOptimizer(const spec::Optimizer& message);

} // namespace cannery::optimizers
