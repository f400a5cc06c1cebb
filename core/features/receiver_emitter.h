// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/feature_emitter.h"
#include "core/features/feature_graph.h"
#include "core/features/raw_plan.h"

#include <map>
#include <string>

namespace cannery::features {

/// The placeholder of serialized tf.Example and the ParseExampleV2 behind it. Dense numbers and
/// stacked features are parsed to fixed length with the table's defaults, everything else to cells,
/// so that zero or several values are accepted as by TensorFlow's own exports. Adds every raw
/// feature to `features`.
Result<void> emitParsingReceiver(const std::map<std::string, RawPlan>& plans,
                                 FeatureGraph& features, EmittedFeatures& out);

/// One placeholder per feature, [batch, shape of a row]; a feature of split cells is [batch,
/// longest row] padded with "", -1 (weights: any number) or, for a numeric sequence, NaN. `unused`
/// are requested features that no column reads. Errors: "features.receiver_lacks",
/// "features.receiver_unknown", "features.receiver_empty".
Result<void> emitRawReceiver(const std::map<std::string, RawPlan>& plans,
                             const std::map<std::string, RawFeature>& unused,
                             const EmitOptions& options, FeatureGraph& features,
                             EmittedFeatures& out);

/// The first dimension of an input, an int32 scalar.
storage::NodeRef emitBatchSize(storage::GraphDefBuilder& graph, const ReceiverTensor& input);

} // namespace cannery::features
