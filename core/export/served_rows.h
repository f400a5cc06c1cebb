// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/pipeline/feature_batch.h"
#include "core/export/graph_runner/graph_runner.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace cannery::exporting {

/// Raw features as a client sends them to a served model: missing cells are omitted. Excludes rows
/// that cannot be sent like this (a list of numbers with a missing one).
struct ServedRows
{
    std::vector<std::int64_t> rows; ///< those that can be sent: indices into the batch
    NamedTensors inputs;            ///< of the predict signature, one row each, in that order
};

/// One serialized tf.Example per row, under the key "examples"; `keys` are those that the graph
/// parses.
ServedRows servedExamples(const data::FeatureBatch& batch,
                          const std::map<std::string, DType>& keys);

/// One tensor per feature, for the inputs of a signature; `numbers` are the features that are read
/// as numbers (features::numberFeatures). Nothing if the batch lacks one.
std::optional<ServedRows> servedTensors(const data::FeatureBatch& batch,
                                        const std::map<std::string, storage::TensorInfo>& inputs,
                                        const std::set<std::string>& numbers);

} // namespace cannery::exporting
