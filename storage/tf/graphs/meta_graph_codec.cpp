// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/graphs/meta_graph_codec.h"

#include "storage/io/beneath.h"
#include "storage/tf/proto_arena.h"
#include "storage/tf/proto_convert.h"
#include "storage/tf/schema/meta_graph.pb.h"
#include "storage/tf/schema/variable.pb.h"

namespace cannery::storage::detail {

namespace {

/// The producer version whose operations our graphs use.
constexpr const char* kTensorFlowVersion = "2.15.1";
constexpr const char* kAssetType = "type.googleapis.com/tensorflow.AssetFileDef";
constexpr const char* kAssets = "saved_model_assets";
constexpr const char* kMainOp = "saved_model_main_op";
constexpr const char* kLegacyInitOp = "legacy_init_op";
constexpr const char* kInitSignature = "__saved_model_init_op";
constexpr const char* kTables = "table_initializer";
constexpr const char* kVariables = "variables";
constexpr const char* kLocalVariables = "local_variables";
constexpr const char* kTrainOp = "saved_model_train_op";

constexpr ErrorKind kBadCollection{
    "saved_model.bad_collection",
    "The SavedModel's collection {} contains something that is not a {}; the file is damaged."};

constexpr ErrorKind kAssetOutside{"saved_model.asset_outside",
                                  "The SavedModel names the file {} as an asset, which is not in "
                                  "its folder of assets; it is damaged, or malicious."};

void infoToProto(const TensorInfo& info, tensorflow::TensorInfo& proto)
{
    proto.set_dtype(static_cast<tensorflow::DataType>(info.dtype));
    proto.mutable_tensor_shape()->set_unknown_rank(info.hasUnknownRank);
    if (!info.hasUnknownRank) {
        toProto(info.shape, *proto.mutable_tensor_shape());
    }
    if (info.sparse) {
        proto.mutable_coo_sparse()->set_values_tensor_name(info.sparse->values);
        proto.mutable_coo_sparse()->set_indices_tensor_name(info.sparse->indices);
        proto.mutable_coo_sparse()->set_dense_shape_tensor_name(info.sparse->denseShape);
    } else {
        proto.set_name(info.name);
    }
}

TensorInfo infoFromProto(const tensorflow::TensorInfo& proto)
{
    TensorInfo info;
    info.name = proto.name();
    info.dtype = static_cast<DType>(proto.dtype());
    info.hasUnknownRank = proto.tensor_shape().unknown_rank();
    for (const auto& dim : proto.tensor_shape().dim()) {
        info.shape.dims.push_back(dim.size());
    }
    if (proto.has_coo_sparse()) {
        info.sparse = TensorInfo::Sparse{proto.coo_sparse().values_tensor_name(),
                                         proto.coo_sparse().indices_tensor_name(),
                                         proto.coo_sparse().dense_shape_tensor_name()};
    }
    return info;
}

std::string serialized(const VariableInfo& variable)
{
    tensorflow::VariableDef proto;
    proto.set_variable_name(variable.variable);
    proto.set_initializer_name(variable.initializer);
    proto.set_snapshot_name(variable.snapshot);
    proto.set_initial_value_name(variable.initialValue);
    proto.set_is_resource(true);
    proto.set_trainable(variable.trainable);
    proto.set_aggregation(static_cast<tensorflow::VariableAggregation>(variable.aggregation));
    return serializeDeterministically(proto);
}

void addVariables(const MetaGraph& metaGraph, tensorflow::MetaGraphDef& proto)
{
    auto& collections = *proto.mutable_collection_def();
    for (const VariableInfo& variable : metaGraph.variables) {
        const std::string bytes = serialized(variable);
        collections[kVariables].mutable_bytes_list()->add_value(bytes);
        if (variable.trainable) {
            collections["trainable_variables"].mutable_bytes_list()->add_value(bytes);
        }
        // Estimators create the global step alone with this aggregation.
        if (variable.aggregation == VariableAggregation::OnlyFirstReplica) {
            collections["global_step"].mutable_bytes_list()->add_value(bytes);
        }
    }
    for (const VariableInfo& variable : metaGraph.localVariables) {
        // Both, as tf.compat.v1.metrics adds its variables.
        for (const char* key : {kLocalVariables, "metric_variables"}) {
            collections[key].mutable_bytes_list()->add_value(serialized(variable));
        }
    }
}

void addAssets(const MetaGraph& metaGraph, tensorflow::MetaGraphDef& proto)
{
    auto& collections = *proto.mutable_collection_def();
    for (const AssetInfo& asset : metaGraph.assets) {
        tensorflow::AssetFileDef file;
        file.mutable_tensor_info()->set_name(asset.tensor);
        file.set_filename(asset.fileName);
        google::protobuf::Any* any = collections[kAssets].mutable_any_list()->add_value();
        any->set_type_url(kAssetType);
        any->set_value(serializeDeterministically(file));
        collections["asset_filepaths"].mutable_node_list()->add_value(asset.tensor);
    }
}

Result<void> readVariables(const tensorflow::MetaGraphDef& metaGraph, const char* key,
                           std::vector<VariableInfo>& variables)
{
    const auto collection = metaGraph.collection_def().find(key);
    if (collection == metaGraph.collection_def().end()) {
        return {};
    }
    for (const std::string& bytes : collection->second.bytes_list().value()) {
        google::protobuf::Arena arena;
        auto& proto = onArena<tensorflow::VariableDef>(arena);
        if (!proto.ParseFromString(bytes)) {
            return fail(ErrorCode::DataLoss, kBadCollection, key, "VariableDef");
        }
        variables.push_back({.variable = proto.variable_name(),
                             .initializer = proto.initializer_name(),
                             .snapshot = proto.snapshot_name(),
                             .initialValue = proto.initial_value_name(),
                             .trainable = proto.trainable(),
                             .aggregation = static_cast<VariableAggregation>(proto.aggregation())});
    }
    return {};
}

Result<void> readAsset(const tensorflow::AssetFileDef& file, MetaGraph& metaGraph)
{
    // The name becomes a path below assets/, and the file may come from anyone.
    if (!isNameBeneath(file.filename())) {
        return fail(ErrorCode::PermissionDenied, kAssetOutside, file.filename());
    }
    metaGraph.assets.push_back({file.tensor_info().name(), file.filename(), {}});
    return {};
}

Result<void> readAssets(const tensorflow::MetaGraphDef& proto, MetaGraph& metaGraph)
{
    // TensorFlow 2 has a field for assets, TensorFlow 1 a collection.
    for (const tensorflow::AssetFileDef& file : proto.asset_file_def()) {
        CANNERY_TRY(readAsset(file, metaGraph));
    }
    const auto collection = proto.collection_def().find(kAssets);
    if (!metaGraph.assets.empty() || collection == proto.collection_def().end()) {
        return {};
    }
    for (const google::protobuf::Any& any : collection->second.any_list().value()) {
        google::protobuf::Arena arena;
        auto& file = onArena<tensorflow::AssetFileDef>(arena);
        if (!file.ParseFromString(any.value())) {
            return fail(ErrorCode::DataLoss, kBadCollection, kAssets, "AssetFileDef");
        }
        CANNERY_TRY(readAsset(file, metaGraph));
    }
    return {};
}

/// The node of the init operation, found as loaders find it.
std::string initOpOf(const tensorflow::MetaGraphDef& proto)
{
    const auto signature = proto.signature_def().find(kInitSignature);
    if (signature != proto.signature_def().end()) {
        const auto output = signature->second.outputs().find(kInitSignature);
        if (output != signature->second.outputs().end()) {
            return NodeRef(output->second.name()).node;
        }
    }
    for (const char* key : {kMainOp, kLegacyInitOp}) {
        const auto collection = proto.collection_def().find(key);
        if (collection != proto.collection_def().end() &&
            collection->second.node_list().value_size() > 0) {
            return collection->second.node_list().value(0);
        }
    }
    return {};
}

void readSignatures(const tensorflow::MetaGraphDef& proto, MetaGraph& metaGraph)
{
    for (const auto& [key, value] : proto.signature_def()) {
        // How TensorFlow 2 names the init operation (see initOpOf()): nothing to serve.
        if (key == kInitSignature) {
            continue;
        }
        Signature& signature = metaGraph.signatures[key];
        signature.methodName = value.method_name();
        for (const auto& [name, info] : value.inputs()) {
            signature.inputs.emplace(name, infoFromProto(info));
        }
        for (const auto& [name, info] : value.outputs()) {
            signature.outputs.emplace(name, infoFromProto(info));
        }
    }
}

} // namespace

void toProto(const MetaGraph& metaGraph, tensorflow::MetaGraphDef& proto)
{
    auto& info = *proto.mutable_meta_info_def();
    info.mutable_tags()->Add(metaGraph.tags.begin(), metaGraph.tags.end());
    info.set_tensorflow_version(kTensorFlowVersion);
    // Attributes with their default values are left out: a TensorFlow that does not know them yet
    // can load the graph.
    info.set_stripped_default_attrs(true);
    const bool isGraph = proto.mutable_graph_def()->ParseFromString(metaGraph.graph);
    CANNERY_CHECK(isGraph);
    if (metaGraph.saver) {
        tensorflow::SaverDef& saver = *proto.mutable_saver_def();
        saver.set_filename_tensor_name(metaGraph.saver->filenameTensor);
        saver.set_save_tensor_name(metaGraph.saver->saveTensor);
        saver.set_restore_op_name(metaGraph.saver->restoreOp);
        saver.set_sharded(metaGraph.saver->isSharded);
        // The defaults of tf.compat.v1.train.Saver.
        saver.set_max_to_keep(5);
        saver.set_keep_checkpoint_every_n_hours(10000);
        saver.set_version(tensorflow::SaverDef::V2);
    }
    for (const auto& [key, signature] : metaGraph.signatures) {
        tensorflow::SignatureDef& target = (*proto.mutable_signature_def())[key];
        target.set_method_name(signature.methodName);
        for (const auto& [name, tensor] : signature.inputs) {
            infoToProto(tensor, (*target.mutable_inputs())[name]);
        }
        for (const auto& [name, tensor] : signature.outputs) {
            infoToProto(tensor, (*target.mutable_outputs())[name]);
        }
    }
    addVariables(metaGraph, proto);
    addAssets(metaGraph, proto);
    auto& collections = *proto.mutable_collection_def();
    for (const std::string& table : metaGraph.tableInitializers) {
        collections[kTables].mutable_node_list()->add_value(table);
    }
    if (!metaGraph.trainOp.empty()) {
        collections[kTrainOp].mutable_node_list()->add_value(metaGraph.trainOp);
    }
    if (!metaGraph.initOp.empty()) {
        collections[kMainOp].mutable_node_list()->add_value(metaGraph.initOp);
    }
}

Result<MetaGraph> fromProto(const tensorflow::MetaGraphDef& proto)
{
    MetaGraph metaGraph;
    metaGraph.tags.assign(proto.meta_info_def().tags().begin(), proto.meta_info_def().tags().end());
    metaGraph.tensorflowVersion = proto.meta_info_def().tensorflow_version();
    metaGraph.graph = serializeDeterministically(proto.graph_def());
    readSignatures(proto, metaGraph);
    if (proto.has_saver_def()) {
        metaGraph.saver = SaverInfo{
            proto.saver_def().filename_tensor_name(), proto.saver_def().save_tensor_name(),
            proto.saver_def().restore_op_name(), proto.saver_def().sharded()};
    }
    CANNERY_TRY(readVariables(proto, kVariables, metaGraph.variables));
    CANNERY_TRY(readVariables(proto, kLocalVariables, metaGraph.localVariables));
    const auto trainOp = proto.collection_def().find(kTrainOp);
    if (trainOp != proto.collection_def().end() && trainOp->second.node_list().value_size() > 0) {
        metaGraph.trainOp = NodeRef(trainOp->second.node_list().value(0)).node;
    }
    CANNERY_TRY(readAssets(proto, metaGraph));
    metaGraph.initOp = initOpOf(proto);
    const auto tables = proto.collection_def().find(kTables);
    if (tables != proto.collection_def().end()) {
        for (const std::string& table : tables->second.node_list().value()) {
            metaGraph.tableInitializers.push_back(NodeRef(table).node);
        }
    }
    return metaGraph;
}

} // namespace cannery::storage::detail
