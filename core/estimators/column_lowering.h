// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/estimators/estimator.h"
#include "core/layers/layer_graph_builder.h"

#include <map>
#include <string>
#include <vector>

namespace cannery::estimators {

/// What all parts of a model share while they are lowered.
struct LoweringContext
{
    const LoweringRequest& request;
    layers::LayerGraphBuilder& builder;
    /// Tables of shared embeddings already created, by collection.
    std::map<std::string, graph::VariableId> sharedTables = {};
};

/// Where the columns of a part go.
struct ColumnScope
{
    std::string variables; ///< "dnn": scope of the optimizer that trains the embeddings
    std::string node;      ///< "dnn/input_from_feature_columns/input_layer"
    bool categoriesStay =
        true; ///< a linear model reads ids; a DNN reads a bucketized column as an indicator
};

/// The columns with these handles as values of the graph, in the order of their TensorFlow names:
/// numeric ones dense, categorical ones as ids, indicators as such, embeddings as the output of an
/// embedding layer; those of sequences as sequences. Shared embeddings give several values. Errors:
/// "estimators.unknown_column", "estimators.duplicate_column".
Result<std::vector<graph::ValueId>> lowerColumns(LoweringContext& context,
                                                 const std::vector<std::string>& handles,
                                                 const ColumnScope& scope);

} // namespace cannery::estimators
