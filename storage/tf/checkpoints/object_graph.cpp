// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/checkpoints/object_graph.h"

#include "core/base/memory_guard.h"
#include "storage/tf/checkpoints/checkpoint_format.h"
#include "storage/tf/proto_arena.h"
#include "storage/tf/proto_convert.h"
#include "storage/tf/schema/trackable_object_graph.pb.h"

#include <algorithm>
#include <map>
#include <utility>

namespace cannery::storage {

namespace {

constexpr std::string_view kVariableValue = "VARIABLE_VALUE";

constexpr ErrorKind kNotObjectBased{
    "checkpoint.not_object_based",
    "The checkpoint {} has no object graph; its tensors have the names of variables."};

/// One attribute name as escaped in keys.
std::string escaped(std::string_view name)
{
    // As TensorFlow's trackable objects escape their local names.
    std::string text;
    for (const char c : name) {
        if (c == '.') {
            text += "..";
        } else if (c == '/') {
            text += ".S";
        } else {
            text += c;
        }
    }
    return text;
}

ObjectGraph fromProto(const tensorflow::TrackableObjectGraph& proto)
{
    ObjectGraph graph;
    for (const auto& object : proto.nodes()) {
        ObjectGraph::Node node;
        for (const auto& child : object.children()) {
            node.children.push_back({child.local_name(), child.node_id()});
        }
        for (const auto& attribute : object.attributes()) {
            node.attributes.push_back(
                {attribute.name(), attribute.full_name(), attribute.checkpoint_key()});
        }
        for (const auto& slot : object.slot_variables()) {
            node.slots.push_back(
                {slot.slot_name(), slot.original_variable_node_id(), slot.slot_variable_node_id()});
        }
        graph.nodes.push_back(std::move(node));
    }
    return graph;
}

/// Checks that every node number exists, and every key is in the checkpoint.
bool isConsistent(const ObjectGraph& graph, const CheckpointReader& reader)
{
    const auto known = [&](int node) {
        return node >= 0 && node < static_cast<int>(graph.nodes.size());
    };
    bool good = !graph.nodes.empty();
    for (const ObjectGraph::Node& node : graph.nodes) {
        for (const ObjectGraph::Child& child : node.children) {
            good = good && known(child.node);
        }
        for (const ObjectGraph::Slot& slot : node.slots) {
            good = good && known(slot.original) && known(slot.slot);
        }
        for (const ObjectGraph::Attribute& attribute : node.attributes) {
            good = good && reader.find(attribute.checkpointKey) != nullptr;
        }
    }
    return good;
}

const ObjectGraph::Attribute* variableValue(const ObjectGraph::Node& node)
{
    const auto found = std::find_if(
        node.attributes.begin(), node.attributes.end(),
        [](const ObjectGraph::Attribute& attribute) { return attribute.name == kVariableValue; });
    return found == node.attributes.end() ? nullptr : &*found;
}

/// The first path found breadth-first, for each node that has one; `order` lists them as found.
std::map<int, std::string> breadthFirst(const ObjectGraph& graph, std::vector<int>& order)
{
    std::map<int, std::string> paths{{0, ""}};
    order.assign(1, 0);
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::string base = paths[order[i]];
        for (const auto& child : graph.nodes[static_cast<std::size_t>(order[i])].children) {
            const std::string path =
                base.empty() ? escaped(child.name) : base + "/" + escaped(child.name);
            if (paths.emplace(child.node, path).second) {
                order.push_back(child.node);
            }
        }
    }
    return paths;
}

} // namespace

bool isObjectBased(const CheckpointReader& reader)
{
    return reader.find(kObjectGraphKey) != nullptr;
}

Result<ObjectGraph> readObjectGraph(const CheckpointReader& reader)
{
    if (!isObjectBased(reader)) {
        return fail(ErrorCode::FailedPrecondition, kNotObjectBased, reader.prefix());
    }
    return guardMemory("the objects of a checkpoint", [&]() -> Result<ObjectGraph> {
        CANNERY_TRY_ASSIGN(const HostTensor tensor, reader.read(kObjectGraphKey));
        google::protobuf::Arena arena;
        tensorflow::TrackableObjectGraph& proto =
            detail::onArena<tensorflow::TrackableObjectGraph>(arena);
        if (tensor.strings.size() == 1) {
            CANNERY_TRY_ASSIGN(const bool parsed,
                               detail::parseMessage(tensor.strings.front(), proto));
            ObjectGraph graph = fromProto(proto);
            if (parsed && isConsistent(graph, reader)) {
                return graph;
            }
        }
        return fail(ErrorCode::DataLoss, detail::kCheckpointDamaged, reader.prefix(),
                    "its object graph does not fit its tensors");
    });
}

std::vector<ObjectVariable> objectVariables(const ObjectGraph& graph)
{
    std::vector<ObjectVariable> variables;
    if (graph.nodes.empty()) {
        return variables;
    }
    std::vector<int> order;
    const std::map<int, std::string> paths = breadthFirst(graph, order);
    const auto append = [&](const std::string& path, int node) {
        if (const auto* value = variableValue(graph.nodes[static_cast<std::size_t>(node)])) {
            variables.push_back({path, value->fullName, value->checkpointKey});
        }
    };
    for (const int node : order) {
        append(paths.at(node), node);
    }
    for (const int node : order) {
        for (const auto& slot : graph.nodes[static_cast<std::size_t>(node)].slots) {
            const auto original = paths.find(slot.original);
            // A slot that also has its own path is already listed.
            if (original != paths.end() && paths.count(slot.slot) == 0) {
                append(original->second + "/.OPTIMIZER_SLOT/" + paths.at(node) + "/" +
                           escaped(slot.name),
                       slot.slot);
            }
        }
    }
    return variables;
}

int findObject(const ObjectGraph& graph, const std::vector<std::string>& names)
{
    if (graph.nodes.empty()) {
        return -1;
    }
    int node = 0;
    for (const std::string& name : names) {
        const auto& children = graph.nodes[static_cast<std::size_t>(node)].children;
        const auto found = std::find_if(children.begin(), children.end(),
                                        [&](const auto& child) { return child.name == name; });
        if (found == children.end()) {
            return -1;
        }
        node = found->node;
    }
    return node;
}

} // namespace cannery::storage
