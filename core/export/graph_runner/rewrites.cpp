// SPDX-License-Identifier: Apache-2.0
#include "core/export/graph_runner/rewrites.h"

#include "storage/tf/tensor.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace cannery::exporting {

using storage::GraphNode;
using storage::HostTensor;

namespace {

class Rewriter
{
public:
    explicit Rewriter(std::vector<GraphNode>& nodes) : m_nodes(nodes)
    {
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            m_places.emplace(nodes[i].name, i);
        }
    }

    bool run()
    {
        bool isChanged = false;
        // Counted before the loop: constants are appended, which need no rewriting.
        for (std::size_t i = 0, count = m_nodes.size(); i < count; ++i) {
            isChanged = divideByProduct(i) || takeLog1p(i) || isChanged;
        }
        return isChanged;
    }

private:
    const GraphNode* find(const std::string& tensor) const
    {
        const auto found = m_places.find(tensor.substr(0, tensor.find(':')));
        return found == m_places.end() ? nullptr : &m_nodes[found->second];
    }

    /// The floats of a constant.
    std::optional<HostTensor> constant(const std::string& tensor) const
    {
        const GraphNode* node = find(tensor);
        if (node == nullptr || node->op != "Const") {
            return std::nullopt;
        }
        const auto value = node->attrs.find("value");
        const auto* held =
            value == node->attrs.end() ? nullptr : std::get_if<HostTensor>(&value->second.value());
        return held != nullptr && held->dtype == DType::Float32 ? std::optional(*held)
                                                                : std::nullopt;
    }

    /// Grappler's ConstantFolding turns x / c into x * (1 / c), which rounds twice.
    bool divideByProduct(std::size_t at)
    {
        if (m_nodes[at].op != "RealDiv" || m_nodes[at].inputs.size() != 2) {
            return false;
        }
        std::optional<HostTensor> divisor = constant(m_nodes[at].inputs[1]);
        if (!divisor) {
            return false;
        }
        for (float& value : divisor->values<float>()) {
            value = 1 / value;
        }
        GraphNode reciprocal{.name = m_nodes[at].name + "/reciprocal",
                             .op = "Const",
                             .inputs = {},
                             .controls = {},
                             .attrs = {{"dtype", DType::Float32}, {"value", *std::move(divisor)}}};
        m_nodes[at].op = "Mul";
        m_nodes[at].inputs[1] = reciprocal.name;
        m_nodes.push_back(std::move(reciprocal));
        return true;
    }

    /// Grappler's ArithmeticOptimizer turns log(x + 1) into log1p(x), which is exact near 0.
    bool takeLog1p(std::size_t at)
    {
        if (m_nodes[at].op != "Log" || m_nodes[at].inputs.size() != 1) {
            return false;
        }
        const GraphNode* sum = find(m_nodes[at].inputs[0]);
        if (sum == nullptr || sum->op != "AddV2" || sum->inputs.size() != 2) {
            return false;
        }
        const std::optional<HostTensor> added = constant(sum->inputs[1]);
        if (!added ||
            !std::ranges::all_of(added->values<float>(), [](float v) { return v == 1; })) {
            return false;
        }
        const std::string number = sum->inputs[0];
        m_nodes[at].op = "Log1p";
        m_nodes[at].inputs[0] = number;
        return true;
    }

    std::vector<GraphNode>& m_nodes;
    std::unordered_map<std::string, std::size_t> m_places;
};

} // namespace

bool rewriteArithmetic(std::vector<GraphNode>& nodes)
{
    return Rewriter(nodes).run();
}

} // namespace cannery::exporting
