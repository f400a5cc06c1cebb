// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/graphs/saved_model.h"

#include "storage/tf/graphs/meta_graph_codec.h"
#include "storage/tf/proto_convert.h"
#include "storage/tf/schema/meta_graph.pb.h"

#include <algorithm>

namespace cannery::storage {

namespace {

/// A variable with its key in the checkpoint.
struct SavedVariable
{
    std::string key;
    const GraphVariable* variable = nullptr;
};

std::vector<SavedVariable> sortedByKey(const std::vector<const GraphVariable*>& variables,
                                       const std::vector<std::string>& names)
{
    CANNERY_CHECK(names.empty() || names.size() == variables.size());
    std::vector<SavedVariable> saved;
    for (std::size_t i = 0; i < variables.size(); ++i) {
        saved.push_back({names.empty() ? variables[i]->spec.name : names[i], variables[i]});
    }
    std::sort(saved.begin(), saved.end(),
              [](const SavedVariable& a, const SavedVariable& b) { return a.key < b.key; });
    return saved;
}

/// Shared by SaveV2 and RestoreV2: the constants that name tensors and slices.
struct Names
{
    NodeRef tensors;
    NodeRef slices;
    std::vector<DType> dtypes;
};

Names emitNames(GraphDefBuilder& graph, const std::string& op,
                const std::vector<SavedVariable>& saved)
{
    std::vector<std::string> keys;
    Names names;
    for (const SavedVariable& variable : saved) {
        keys.push_back(variable.key);
        names.dtypes.push_back(variable.variable->spec.dtype);
    }
    names.tensors = graph.constant(op + "/tensor_names", keys);
    names.slices = graph.constant(op + "/shape_and_slices", std::vector<std::string>(saved.size()));
    return names;
}

NodeRef emitSave(GraphDefBuilder& graph, const NodeRef& prefix,
                 const std::vector<SavedVariable>& saved)
{
    // The nodes of a sharded tf.compat.v1.train.Saver, here with one shard.
    const NodeRef part = graph.constant("Const_1", "_temp/part");
    const NodeRef joined = graph.add("StringJoin", "StringJoin", {prefix, part}, {{"N", 2}});
    const NodeRef shards = graph.constant("num_shards", std::int32_t{1});
    const NodeRef shard = graph.constant("ShardedFilename/shard", std::int32_t{0});
    const NodeRef file = graph.add("ShardedFilename", "ShardedFilename", {joined, shard, shards});
    const Names names = emitNames(graph, "SaveV2", saved);
    std::vector<NodeRef> inputs{file, names.tensors, names.slices};
    for (const SavedVariable& variable : saved) {
        inputs.push_back(variable.variable->read);
    }
    const NodeRef save = graph.add("SaveV2", "SaveV2", inputs, {{"dtypes", names.dtypes}});
    const Attrs text{{"T", DType::String}};
    // The name is passed on once the shard is written.
    const NodeRef written = graph.add("Identity", "control_dependency", {file}, text, {save});
    const NodeRef prefixes = graph.add("Pack", "MergeV2Checkpoints/checkpoint_prefixes", {file},
                                       {{"N", 1}, {"T", DType::String}}, {written});
    const NodeRef merged =
        graph.add("MergeV2Checkpoints", "MergeV2Checkpoints", {prefixes, prefix});
    return graph.add("Identity", "Identity", {prefix}, text, {merged, written});
}

NodeRef emitRestore(GraphDefBuilder& graph, const NodeRef& prefix,
                    const std::vector<SavedVariable>& saved)
{
    const Names names = emitNames(graph, "RestoreV2", saved);
    const NodeRef restored =
        graph.add("RestoreV2", "RestoreV2", {prefix, names.tensors, names.slices},
                  {{"dtypes", names.dtypes}});
    std::vector<NodeRef> assigned;
    for (std::size_t i = 0; i < saved.size(); ++i) {
        const GraphVariable& variable = *saved[i].variable;
        const NodeRef value =
            graph.identity("Identity", restored.at(static_cast<int>(i)), variable.spec.dtype);
        assigned.push_back(graph.add("AssignVariableOp", "AssignVariableOp",
                                     {variable.handle, value}, {{"dtype", variable.spec.dtype}}));
    }
    const NodeRef shard = graph.group("restore_shard", assigned);
    return graph.group("restore_all", {shard});
}

VariableInfo infoOf(const GraphVariable& variable)
{
    return {.variable = variable.handle.tensor(),
            .initializer = variable.assign.node,
            .snapshot = variable.read.tensor(),
            .initialValue = variable.initialValue.tensor(),
            .trainable = variable.spec.trainable,
            .aggregation = variable.spec.aggregation};
}

} // namespace

SaverInfo emitSaver(GraphDefBuilder& graph, const std::vector<const GraphVariable*>& variables,
                    const std::vector<std::string>& names)
{
    const std::vector<SavedVariable> saved = sortedByKey(variables, names);
    const auto root = graph.enterExactly("");
    const auto scope = graph.enterScope("save");
    const Attrs scalarText{{"dtype", DType::String}, {"shape", Shape{}}};
    const NodeRef input = graph.constant("filename/input", "model");
    const NodeRef fileName = graph.add("PlaceholderWithDefault", "filename", {input}, scalarText);
    const NodeRef prefix = graph.add("PlaceholderWithDefault", "Const", {fileName}, scalarText);
    const NodeRef save = emitSave(graph, prefix, saved);
    const NodeRef restore = emitRestore(graph, prefix, saved);
    return {prefix.tensor(), save.tensor(), restore.node, true};
}

GraphVariable addLocalVariable(GraphDefBuilder& graph, std::string_view name, const Shape& shape)
{
    const std::string own(name);
    const std::string absolute = graph.scope().empty() ? own : graph.scope() + "/" + own;
    GraphVariable made;
    made.spec = {.name = absolute, .shape = shape, .trainable = false};
    made.handle =
        graph.add("VarHandleOp", name, {},
                  {{"dtype", DType::Float32}, {"shape", shape}, {"shared_name", absolute}});
    CANNERY_CHECK(made.handle.node == absolute);
    const auto scope = graph.enterExactly(absolute);
    const Attrs dtype{{"dtype", DType::Float32}};
    made.initialValue =
        graph.constant("Initializer/zeros", HostTensor::zeros(DType::Float32, shape));
    graph.add("VarIsInitializedOp", "IsInitialized/VarIsInitializedOp", {made.handle});
    made.assign = graph.add("AssignVariableOp", "Assign", {made.handle, made.initialValue}, dtype);
    made.read = graph.add("ReadVariableOp", "Read/ReadVariableOp", {made.handle}, dtype);
    return made;
}

MetaGraph makeMetaGraph(GraphDefBuilder& graph, std::map<std::string, Signature> signatures,
                        const MetaGraphPurpose& purpose)
{
    MetaGraph metaGraph;
    metaGraph.tags = purpose.tags;
    metaGraph.trainOp = purpose.trainOp.node;
    metaGraph.signatures = std::move(signatures);
    std::vector<const GraphVariable*> variables;
    for (const auto& variable : graph.variables()) {
        variables.push_back(variable.get());
        if (variable->spec.inCollections) {
            metaGraph.variables.push_back(infoOf(*variable));
        }
    }
    std::vector<NodeRef> initializers = graph.tableInitializers();
    // Set when the model is loaded, as they are in no checkpoint.
    for (const GraphVariable& variable : purpose.localVariables) {
        metaGraph.localVariables.push_back(infoOf(variable));
        initializers.push_back(variable.assign);
    }
    for (const GraphAsset& asset : graph.assets()) {
        metaGraph.assets.push_back({asset.path.tensor(), asset.fileName, asset.sourcePath});
    }
    for (const NodeRef& table : graph.tableInitializers()) {
        metaGraph.tableInitializers.push_back(table.node);
    }
    {
        const auto root = graph.enterExactly("");
        const NodeRef tables = graph.group("init_all_tables", initializers);
        metaGraph.initOp = graph.group("group_deps", {tables}).node;
    }
    if (!variables.empty()) {
        metaGraph.saver = emitSaver(graph, variables);
    }
    metaGraph.graph = graph.serialized();
    return metaGraph;
}

std::string serializeMetaGraph(const MetaGraph& metaGraph)
{
    tensorflow::MetaGraphDef proto;
    detail::toProto(metaGraph, proto);
    return detail::serializeDeterministically(proto);
}

} // namespace cannery::storage
