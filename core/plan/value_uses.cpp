// SPDX-License-Identifier: Apache-2.0
#include "core/plan/value_uses.h"

#include "kernels/ops/vector_ops.h"

namespace cannery::plan {

namespace {

constexpr ErrorKind kStepsUsedTwice{
    "plan.steps_used_twice",
    "The {} '{}' feed more than one trained layer, which only dense values can; give each layer "
    "its own."};

std::size_t at(std::int32_t id)
{
    return static_cast<std::size_t>(id);
}

} // namespace

Result<void> ValueUses::find(const graph::LayerGraph& graph, const std::vector<bool>& wantsGradient)
{
    m_uses.clear();
    m_useOf.clear();
    m_usesOf.assign(graph.values.size(), {});
    std::vector<bool> isUsed(graph.values.size(), false);
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
        const std::vector<graph::ValueId>& inputs = graph.nodes[node].inputs;
        for (std::size_t input = 0; input < inputs.size(); ++input) {
            const graph::ValueId id = inputs[input];
            if (!wantsGradient[at(id)]) {
                continue;
            }
            if (!isUsed[at(id)]) {
                isUsed[at(id)] = true; // the first use has the value's own gradient
                continue;
            }
            const graph::Value& value = graph.value(id);
            if (value.kind != graph::ValueKind::Dense) {
                return fail(ErrorCode::Unimplemented, kStepsUsedTwice, graph::name(value.kind),
                            value.name);
            }
            m_useOf[{node, input}] = m_uses.size();
            m_usesOf[at(id)].push_back(m_uses.size());
            m_uses.push_back({.value = id});
        }
    }
    return {};
}

void ValueUses::reserve(FloatArena& arena, const graph::LayerGraph& graph, std::int64_t maxRows)
{
    for (Use& use : m_uses) {
        use.offset = arena.add(maxRows * graph.value(use.value).width);
    }
}

void ValueUses::bind(FloatArena& arena, const std::vector<layers::ValueBuffer>& values)
{
    for (Use& use : m_uses) {
        use.total = &values[at(use.value)];
        use.buffer = *use.total;
        use.buffer.grad = arena.at(use.offset);
    }
}

const layers::ValueBuffer* ValueUses::bufferOf(std::size_t node, std::size_t input) const
{
    const auto found = m_useOf.find({node, input});
    return found == m_useOf.end() ? nullptr : &m_uses[found->second].buffer;
}

void ValueUses::sum(graph::ValueId value, const layers::StepContext& step) const
{
    for (const std::size_t index : m_usesOf[at(value)]) {
        const Use& use = m_uses[index];
        kernels::vectorKernels().add(step.pool, use.buffer.gradient(step.range()),
                                     use.total->gradient(step.range()));
    }
}

void ValueUses::placeSum(graph::ValueId value, const layers::Placement& placement) const
{
    kernels::AcceleratorProgram& program = placement.program;
    for (const std::size_t index : m_usesOf[at(value)]) {
        const Use& use = m_uses[index];
        program.add(kernels::CopyValues{.src = program.at(use.buffer.gradient(placement.rows)),
                                        .dst = program.at(use.total->gradient(placement.rows)),
                                        .accumulate = true},
                    placement.label);
    }
}

} // namespace cannery::plan
