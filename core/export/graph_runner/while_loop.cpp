// SPDX-License-Identifier: Apache-2.0
#include "core/export/graph_runner/while_loop.h"

#include <algorithm>

namespace cannery::exporting {

using storage::GraphNode;

namespace {

constexpr ErrorKind kBroken{"export.graph_loop",
                            "The loop of the exported graph that ends at {} lacks its {}."};

/// The node that makes an input, if it is of this operation.
const GraphNode* inputOf(const NodesByName& nodes, const GraphNode* node, std::size_t index,
                         std::string_view op)
{
    if (node == nullptr || index >= node->inputs.size()) {
        return nullptr;
    }
    const auto found = nodes.find(nodeOf(node->inputs[index]));
    return found != nodes.end() && found->second->op == op ? found->second : nullptr;
}

std::string frameOf(const GraphNode& enter)
{
    const auto frame = enter.attrs.find("frame_name");
    const auto* name =
        frame == enter.attrs.end() ? nullptr : std::get_if<std::string>(&frame->second.value());
    return name == nullptr ? std::string() : *name;
}

} // namespace

std::string nodeOf(std::string_view tensor)
{
    return std::string(tensor.substr(0, tensor.rfind(':')));
}

bool isExit(const GraphNode& node)
{
    return node.op == "Exit";
}

std::vector<std::string> WhileLoop::inputs() const
{
    std::vector<std::string> needed;
    for (const GraphNode* enter : enters) {
        needed.insert(needed.end(), enter->inputs.begin(), enter->inputs.end());
    }
    return needed;
}

Result<WhileLoop> loopOf(const NodesByName& nodes, const GraphNode& exit)
{
    const auto broken = [&](std::string_view part) {
        return fail(ErrorCode::InvalidArgument, kBroken, exit.name, part);
    };
    // From the Exit backwards: Switch of (Merge of (Enter, NextIteration), LoopCond).
    const GraphNode* choice = inputOf(nodes, &exit, 0, "Switch");
    const GraphNode* condition = inputOf(nodes, choice, 1, "LoopCond");
    const GraphNode* entered = inputOf(nodes, inputOf(nodes, choice, 0, "Merge"), 0, "Enter");
    if (condition == nullptr || entered == nullptr) {
        return broken("beginning");
    }
    // Everything of the loop has the frame name of its Enter nodes.
    WhileLoop loop{.condition = condition->name};
    const std::string frame = frameOf(*entered);
    std::map<const GraphNode*, std::size_t> byMerge;
    for (const auto& [name, node] : nodes) {
        if (node->op == "Enter" && frameOf(*node) == frame) {
            // A constant of the loop enters without a Merge; a variable has one.
            loop.enters.push_back(node);
        } else if (const GraphNode* enter = inputOf(nodes, node, 0, "Enter");
                   enter != nullptr && node->op == "Merge" && frameOf(*enter) == frame) {
            const GraphNode* next = inputOf(nodes, node, 1, "NextIteration");
            if (next == nullptr) {
                return broken("next iteration");
            }
            byMerge.emplace(node, loop.variables.size());
            loop.variables.push_back({.initial = enter->name, .merge = name, .next = next->name});
        }
    }
    // Which Switch and Exit belong to a variable shows in the Merge before them.
    for (const auto& [name, node] : nodes) {
        const GraphNode* at = isExit(*node) ? inputOf(nodes, node, 0, "Switch") : node;
        const GraphNode* merge = at == nullptr ? nullptr : inputOf(nodes, at, 0, "Merge");
        if (const auto found = byMerge.find(merge); found != byMerge.end()) {
            WhileLoop::Variable& variable = loop.variables[found->second];
            if (node->op == "Switch") {
                variable.choice = name;
            } else if (isExit(*node)) {
                variable.exit = name;
            }
        }
    }
    return loop;
}

} // namespace cannery::exporting
