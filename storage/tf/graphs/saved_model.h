// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tf/graphs/graph_def_builder.h"
#include "storage/tf/tensor.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cannery::storage {

/// Method names known to TF Serving.
inline constexpr std::string_view kPredictMethod = "tensorflow/serving/predict";
inline constexpr std::string_view kClassifyMethod = "tensorflow/serving/classify";
inline constexpr std::string_view kRegressMethod = "tensorflow/serving/regress";

/// A tensor of a signature; a sparse one names its three parts instead.
struct TensorInfo
{
    std::string name; ///< "node:0"
    DType dtype = DType::Invalid;
    Shape shape; ///< -1 is an unknown dimension
    bool hasUnknownRank = false;
    struct Sparse
    {
        std::string values;
        std::string indices;
        std::string denseShape;

        bool operator==(const Sparse&) const = default;
    };
    std::optional<Sparse> sparse;

    bool operator==(const TensorInfo&) const = default;
};

struct Signature
{
    std::string methodName;
    std::map<std::string, TensorInfo> inputs;
    std::map<std::string, TensorInfo> outputs;

    bool operator==(const Signature&) const = default;
};

/// How a loader restores the variables.
struct SaverInfo
{
    std::string filenameTensor; ///< "save/Const:0"
    std::string saveTensor;     ///< "save/Identity:0"
    std::string restoreOp;      ///< "save/restore_all"
    bool isSharded = true;

    bool operator==(const SaverInfo&) const = default;
};

/// A variable as the collections of a MetaGraph name it.
struct VariableInfo
{
    std::string variable;     ///< "v:0"
    std::string initializer;  ///< "v/Assign"
    std::string snapshot;     ///< "v/Read/ReadVariableOp:0"
    std::string initialValue; ///< "v/Initializer/zeros:0"
    bool trainable = true;
    VariableAggregation aggregation = VariableAggregation::None;

    bool operator==(const VariableInfo&) const = default;
};

struct AssetInfo
{
    std::string tensor; ///< "node:0"
    std::string fileName;
    std::string sourcePath; ///< only for writing

    bool operator==(const AssetInfo&) const = default;
};

/// One MetaGraph: a graph with everything that a loader needs to run it.
struct MetaGraph
{
    std::vector<std::string> tags{"serve"};
    std::string graph; ///< serialised GraphDef
    std::map<std::string, Signature> signatures;
    std::vector<VariableInfo> variables;
    std::vector<VariableInfo> localVariables; ///< in no checkpoint: the sums of metrics
    std::vector<AssetInfo> assets;
    std::optional<SaverInfo> saver;             ///< none if there are no variables
    std::string trainOp;                        ///< one step of training; may be empty
    std::string initOp;                         ///< run after restoring; may be empty
    std::vector<std::string> tableInitializers; ///< "node"
    std::string tensorflowVersion;              ///< only read
};

/// What a MetaGraph for training or evaluation has beyond one that serves.
struct MetaGraphPurpose
{
    std::vector<std::string> tags{"serve"};
    std::vector<GraphVariable> localVariables; ///< from addLocalVariable()
    NodeRef trainOp;                           ///< without a node: none
};

/// Completes a graph to a MetaGraph: emits saver (if there are variables) and init operation, and
/// takes the variables, assets and tables. Call it once, last.
MetaGraph makeMetaGraph(GraphDefBuilder& graph, std::map<std::string, Signature> signatures,
                        const MetaGraphPurpose& purpose = {});

/// A float32 variable of zeros that no checkpoint has, of this name below the open scope, which
/// must be free there. The init operation of a MetaGraph of this purpose sets it to zeros.
GraphVariable addLocalVariable(GraphDefBuilder& graph, std::string_view name, const Shape& shape);

/// Emits the nodes that save and restore these variables, as TensorFlow's Saver does, into the
/// scope "save". `names` are their keys in the checkpoint; the variables' own names if empty.
SaverInfo emitSaver(GraphDefBuilder& graph, const std::vector<const GraphVariable*>& variables,
                    const std::vector<std::string>& names = {});

/// MetaGraphDef in wire format, as in an event file or `.meta`.
std::string serializeMetaGraph(const MetaGraph& metaGraph);

} // namespace cannery::storage
