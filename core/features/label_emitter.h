// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/feature_emitter.h"

#include <map>
#include <string>
#include <vector>

namespace cannery::spec {
class Experiment;
} // namespace cannery::spec

namespace cannery::storage {
class GraphDefBuilder;
} // namespace cannery::storage

namespace cannery::features {

struct EmittedLabels
{
    storage::NodeRef values;            ///< floats [batch, label width], as in EncodedRows
    std::vector<ReceiverTensor> inputs; ///< one per head
};

/// The placeholders of the labels, and the nodes that turn them into what heads read. A label is
/// [batch, elements of a row]: texts if its head has a label_vocabulary, int64 for classes and for
/// columns of integers, else float32. A cell of several classes is [batch, longest row], padded
/// with "" or -1. Errors: "features.no_labels" for a model without labels.
Result<EmittedLabels> emitLabels(storage::GraphDefBuilder& graph,
                                 const spec::Experiment& experiment,
                                 const std::map<std::string, DType>& dtypes);

} // namespace cannery::features
