// SPDX-License-Identifier: Apache-2.0
#include "core/trees/ensemble.h"
#include "core/trees/tree_ensemble.pb.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>

namespace cannery::trees {

namespace {

constexpr ErrorKind kDamaged{"trees.damaged",
                             "The boosted trees cannot be read: {}. The checkpoint is damaged, or "
                             "belongs to another experiment."};

/// `output`: that of Tree.
void putLeaf(const std::vector<float>& value, std::int32_t output, wire::Leaf& leaf)
{
    // A tree that changes one of several outputs stores that one only, as a sparse vector with one
    // entry.
    if (output >= 0) {
        leaf.mutable_sparse_vector()->add_index(output);
        leaf.mutable_sparse_vector()->add_value(value.empty() ? 0.0F : value.front());
    } else if (value.size() == 1) {
        leaf.set_scalar(value.front());
    } else {
        leaf.mutable_vector()->mutable_value()->Assign(value.begin(), value.end());
    }
}

wire::DefaultDirection direction(const Node& node)
{
    return node.missingLeft ? wire::DEFAULT_LEFT : wire::DEFAULT_RIGHT;
}

template <typename Split>
void putSplit(const Node& node, Split& split)
{
    split.set_feature_id(node.feature);
    split.set_dimension_id(node.dimension);
    split.set_left_id(node.left);
    split.set_right_id(node.right);
}

void putNode(const Node& node, std::int32_t output, wire::Node& out)
{
    switch (node.kind) {
    case SplitKind::Leaf:
        // TensorFlow reads every leaf, so one without a value is written as 0.
        putLeaf(node.value.empty() ? std::vector<float>(1, 0.0F) : node.value, output,
                *out.mutable_leaf());
        return;
    case SplitKind::Bucket:
        putSplit(node, *out.mutable_bucketized_split());
        out.mutable_bucketized_split()->set_threshold(node.threshold);
        out.mutable_bucketized_split()->set_default_direction(direction(node));
        break;
    case SplitKind::Category:
        putSplit(node, *out.mutable_categorical_split());
        out.mutable_categorical_split()->set_value(node.threshold);
        break;
    case SplitKind::Number:
        putSplit(node, *out.mutable_dense_split());
        out.mutable_dense_split()->set_threshold(node.cut);
        out.mutable_dense_split()->set_default_direction(direction(node));
        break;
    case SplitKind::Categories:
        putSplit(node, *out.mutable_category_set_split());
        out.mutable_category_set_split()->mutable_categories()->Assign(node.categories.begin(),
                                                                       node.categories.end());
        out.mutable_category_set_split()->set_default_direction(direction(node));
        break;
    }
    out.mutable_metadata()->set_gain(node.gain);
    // What the node predicted before it was split; TensorFlow puts it back when the tree is pruned.
    if (!node.value.empty()) {
        putLeaf(node.value, output, *out.mutable_metadata()->mutable_original_leaf());
    }
}

/// One number too many if an output is none of the model's: see isTree().
std::vector<float> takeLeaf(const wire::Leaf& leaf, std::int64_t outputs)
{
    if (leaf.has_sparse_vector()) {
        const wire::SparseVector& sparse = leaf.sparse_vector();
        std::vector<float> value(static_cast<std::size_t>(outputs));
        for (int i = 0; i < sparse.index_size(); ++i) {
            const bool isThere =
                sparse.index(i) >= 0 && sparse.index(i) < outputs && i < sparse.value_size();
            if (!isThere) {
                value.resize(static_cast<std::size_t>(outputs) + 1);
                break;
            }
            value[static_cast<std::size_t>(sparse.index(i))] = sparse.value(i);
        }
        return value;
    }
    if (leaf.has_vector()) {
        return {leaf.vector().value().begin(), leaf.vector().value().end()};
    }
    // The root of a tree that has not grown is a scalar 0, also with several outputs: no value.
    return std::vector<float>(outputs == 1 || leaf.scalar() != 0 ? 1 : 0, leaf.scalar());
}

template <typename Split>
void takeSplit(const Split& split, SplitKind kind, Node& node)
{
    node.kind = kind;
    node.feature = split.feature_id();
    node.dimension = split.dimension_id();
    node.left = split.left_id();
    node.right = split.right_id();
    if constexpr (requires { split.default_direction(); }) {
        node.missingLeft = split.default_direction() == wire::DEFAULT_LEFT;
    }
}

Node takeNode(const wire::Node& from, std::int64_t outputs)
{
    Node node;
    node.gain = from.metadata().gain();
    if (from.metadata().has_original_leaf()) {
        node.value = takeLeaf(from.metadata().original_leaf(), outputs);
    }
    switch (from.node_case()) {
    case wire::Node::kBucketizedSplit:
        takeSplit(from.bucketized_split(), SplitKind::Bucket, node);
        node.threshold = from.bucketized_split().threshold();
        break;
    case wire::Node::kCategoricalSplit:
        takeSplit(from.categorical_split(), SplitKind::Category, node);
        node.threshold = from.categorical_split().value();
        break;
    case wire::Node::kDenseSplit:
        takeSplit(from.dense_split(), SplitKind::Number, node);
        node.cut = from.dense_split().threshold();
        break;
    case wire::Node::kCategorySetSplit:
        takeSplit(from.category_set_split(), SplitKind::Categories, node);
        node.categories.assign(from.category_set_split().categories().begin(),
                               from.category_set_split().categories().end());
        // goesLeft() searches by halves, and the file may list them in any order.
        std::ranges::sort(node.categories);
        break;
    default:
        node.value = takeLeaf(from.leaf(), outputs);
        break;
    }
    return node;
}

/// Children lie behind their parents, so that no walk is endless, and no node has two parents.
bool isTree(const Tree& tree, std::int32_t features, std::int64_t outputs)
{
    const std::size_t values = tree.output >= 0 ? 1 : static_cast<std::size_t>(outputs);
    const auto count = static_cast<std::int32_t>(tree.nodes.size());
    std::vector<bool> seen(tree.nodes.size());
    for (std::int32_t at = 0; at < count; ++at) {
        const Node& node = tree.nodes[static_cast<std::size_t>(at)];
        if (!node.value.empty() && node.value.size() != values) {
            return false;
        }
        if (node.isLeaf()) {
            continue;
        }
        if (node.feature < 0 || node.feature >= features || node.dimension < 0) {
            return false;
        }
        for (const std::int32_t child : {node.left, node.right}) {
            if (child <= at || child >= count || seen[static_cast<std::size_t>(child)]) {
                return false;
            }
            seen[static_cast<std::size_t>(child)] = true;
        }
    }
    return count > 0;
}

/// The only output that the leaves of a tree have a value of, if they say so; otherwise -1.
std::int32_t outputOf(const wire::Tree& tree)
{
    std::int32_t output = -1;
    for (const wire::Node& node : tree.nodes()) {
        const wire::Leaf& leaf = node.has_leaf() ? node.leaf() : node.metadata().original_leaf();
        // A tree counts as one of a single output only if all of its leaves say the same one.
        const bool isOther = leaf.sparse_vector().index_size() != 1 ||
                             (output >= 0 && leaf.sparse_vector().index(0) != output);
        if (isOther && (node.has_leaf() || node.metadata().has_original_leaf())) {
            return -1;
        }
        output = isOther ? output : leaf.sparse_vector().index(0);
    }
    return output;
}

Tree takeTree(const wire::TreeEnsemble& from, int index, std::int64_t outputs)
{
    Tree tree;
    const std::int32_t output = outputOf(from.trees(index));
    tree.output = output >= 0 && output < outputs ? output : -1;
    for (const wire::Node& node : from.trees(index).nodes()) {
        Node& taken = tree.nodes.emplace_back(takeNode(node, outputs));
        if (tree.output >= 0 && !taken.value.empty()) {
            taken.value = {taken.value[static_cast<std::size_t>(tree.output)]};
        }
    }
    tree.weight = from.tree_weights(index);
    const wire::TreeMetadata& metadata = from.tree_metadata(index);
    tree.layersGrown = metadata.num_layers_grown();
    tree.isFinal = metadata.is_finalized();
    for (const auto& pruned : metadata.post_pruned_nodes_meta()) {
        tree.pruned.push_back(
            {pruned.new_node_id(), {pruned.logit_change().begin(), pruned.logit_change().end()}});
    }
    return tree;
}

} // namespace

/// TensorFlow's TreeEnsemble, with the same bytes each time. Without trees it is empty.
std::string Ensemble::serialize() const
{
    if (trees.empty()) {
        return {};
    }
    wire::TreeEnsemble message;
    for (const Tree& tree : trees) {
        wire::Tree& made = *message.add_trees();
        for (const Node& node : tree.nodes) {
            putNode(node, tree.output, *made.add_nodes());
        }
        message.add_tree_weights(tree.weight);
        wire::TreeMetadata& metadata = *message.add_tree_metadata();
        metadata.set_num_layers_grown(tree.layersGrown);
        metadata.set_is_finalized(tree.isFinal);
        for (const PrunedNode& pruned : tree.pruned) {
            auto& update = *metadata.add_post_pruned_nodes_meta();
            update.set_new_node_id(pruned.newNode);
            update.mutable_logit_change()->Assign(pruned.change.begin(), pruned.change.end());
        }
    }
    wire::GrowingMetadata& growing = *message.mutable_growing_metadata();
    growing.set_num_trees_attempted(treesAttempted);
    growing.set_num_layers_attempted(layersAttempted);
    growing.set_last_layer_node_start(lastLayerBegin);
    growing.set_last_layer_node_end(lastLayerEnd);
    std::string bytes;
    {
        google::protobuf::io::StringOutputStream stream(&bytes);
        google::protobuf::io::CodedOutputStream coded(&stream);
        // Maps and unknown fields would otherwise come in an order that differs by process.
        coded.SetSerializationDeterministic(true);
        message.SerializeToCodedStream(&coded);
    }
    return bytes;
}

Result<Ensemble> Ensemble::parse(std::span<const std::byte> bytes, std::int32_t features,
                                 std::int64_t outputs)
{
    wire::TreeEnsemble message;
    if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
        return fail(ErrorCode::DataLoss, kDamaged, "they are no TreeEnsemble message");
    }
    // Weights and metadata are lists beside the trees, which are read by index below.
    if (message.tree_weights_size() != message.trees_size() ||
        message.tree_metadata_size() != message.trees_size()) {
        return fail(ErrorCode::DataLoss, kDamaged, "trees lack their weights or metadata");
    }
    Ensemble ensemble;
    for (int index = 0; index < message.trees_size(); ++index) {
        Tree& tree = ensemble.trees.emplace_back(takeTree(message, index, outputs));
        if (!isTree(tree, features, outputs)) {
            return fail(ErrorCode::DataLoss, kDamaged,
                        fmt::format("tree {} has a node that does not fit the model", index));
        }
    }
    const wire::GrowingMetadata& growing = message.growing_metadata();
    ensemble.treesAttempted = growing.num_trees_attempted();
    ensemble.layersAttempted = growing.num_layers_attempted();
    ensemble.lastLayerBegin = growing.last_layer_node_start();
    ensemble.lastLayerEnd = growing.last_layer_node_end();
    // Growing goes on at these nodes after a restore, so they must exist.
    const auto last =
        static_cast<std::int32_t>(ensemble.trees.empty() ? 0 : ensemble.trees.back().nodes.size());
    if (ensemble.lastLayerBegin < 0 || ensemble.lastLayerEnd < ensemble.lastLayerBegin ||
        ensemble.lastLayerEnd > last) {
        return fail(ErrorCode::DataLoss, kDamaged, "the last layer has nodes that are not there");
    }
    return ensemble;
}

} // namespace cannery::trees
