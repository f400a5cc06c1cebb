// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/graph/lowered_model.h"
#include "core/heads/head.h"
#include "core/heads/loss_head.h"
#include "core/spec/heads.pb.h"

#include <memory>
#include <span>
#include <string_view>

namespace cannery::heads {

struct HeadRow
{
    spec::Head::KindCase key;
    std::string_view name;           ///< of the field of spec::Head
    std::string_view tensorflowName; ///< "BinaryClassHead"; empty for a head that only Cannery has
    /// Reads its own case of the message.
    Result<std::unique_ptr<Head>> (*make)(const spec::Head&);
};

/// Every head, in the order of the schema.
std::span<const HeadRow> headCatalog();

/// The head that the message describes. An error if none is set, or if its arguments are
/// inconsistent (vocabulary of the wrong length, threshold outside (0, 1), unnamed head of a
/// multi_head).
Result<std::unique_ptr<Head>> makeHead(const spec::Head& message);
/// The same for a network that leaves the activation behind its outputs to the head, one for each
/// head of a multi_head; empty: none does. Only a loss_head whose loss goesBehindActivation() takes
/// one.
Result<std::unique_ptr<Head>> makeHead(const spec::Head& message,
                                       std::span<const OutputActivation> activations);
/// The head of a model: its own, or the one that its message describes.
Result<std::unique_ptr<Head>> makeHead(const graph::LoweredModel& model);

} // namespace cannery::heads
