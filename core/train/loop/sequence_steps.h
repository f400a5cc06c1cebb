// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/encoded_dataset.h"
#include "core/graph/layer_graph.h"

#include <cstdint>
#include <optional>

namespace cannery::train {

/// How many steps the sequences of a batch can have, all rows together: those of its rows if they
/// are the longest of the table, which have this layout. Nothing if the model reads no sequence;
/// otherwise reads the rows once. Errors: of reading rows back from the disk.
Result<std::optional<std::int64_t>> mostSteps(const graph::LayerGraph& graph,
                                              const features::InputLayout& layout,
                                              const features::EncodedDataset& rows,
                                              std::int64_t batchSize);

} // namespace cannery::train
