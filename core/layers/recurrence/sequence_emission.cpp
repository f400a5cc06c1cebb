// SPDX-License-Identifier: Apache-2.0
#include "core/layers/recurrence/sequence_emission.h"

#include "core/layers/inputs/lookup.h"
#include "core/spec/tensorflow_names.h"

#include <limits>

namespace cannery::layers {

namespace {

using storage::NodeRef;

/// Stands where a row has no more steps.
/// No id of a column: the least integer cannot be one.
constexpr std::int64_t kNoStep = std::numeric_limits<std::int64_t>::min();

/// The ids of a sequence as a dense tensor.
struct StepIds
{
    NodeRef ids;    ///< int64 [batch, steps]
    NodeRef counts; ///< int64 [batch]
};

StepIds emitStepIds(storage::GraphDefBuilder& graph, const storage::EmittedValue& value)
{
    const NodeRef padding = graph.constant("no_step", kNoStep);
    const NodeRef ids =
        graph.add("SparseToDense", "step_ids",
                  {nodeRef(value.indices), nodeRef(value.denseShape), nodeRef(value.ids), padding},
                  {{"T", DType::Int64}, {"Tindices", DType::Int64}});
    const NodeRef isStep = graph.add("NotEqual", "is_step", {ids, padding}, {{"T", DType::Int64}});
    const NodeRef ones =
        graph.add("Cast", "steps", {isStep}, {{"SrcT", DType::Bool}, {"DstT", DType::Float32}});
    const NodeRef axis = graph.constant("step_axis", std::vector<std::int32_t>{1});
    const NodeRef sum =
        graph.add("Sum", "step_sum", {ones, axis},
                  {{"T", DType::Float32}, {"Tidx", DType::Int32}, {"keep_dims", false}});
    const NodeRef counts =
        graph.add("Cast", "step_counts", {sum}, {{"SrcT", DType::Float32}, {"DstT", DType::Int64}});
    return {.ids = ids, .counts = counts};
}

/// The number of steps of a padded tensor, an int32 scalar.
NodeRef emitStepTotal(storage::GraphDefBuilder& graph, const NodeRef& sequence)
{
    const NodeRef shape = graph.add("Shape", "sequence_shape", {sequence},
                                    {{"T", DType::Float32}, {"out_type", DType::Int32}});
    return graph.add(
        "GatherV2", "step_total",
        {shape, graph.constant("second", std::int32_t{1}),
         graph.constant("first", std::int32_t{0})},
        {{"Tparams", DType::Int32}, {"Tindices", DType::Int32}, {"Taxis", DType::Int32}});
}

/// The same numbers at every step.
NodeRef emitRepeated(storage::GraphDefBuilder& graph, const NodeRef& context, const NodeRef& steps)
{
    const NodeRef once = graph.add("ExpandDims", "context_step",
                                   {context, graph.constant("context_axis", std::int32_t{1})},
                                   {{"T", DType::Float32}, {"Tdim", DType::Int32}});
    const NodeRef one = graph.constant("once", std::int32_t{1});
    const NodeRef multiples =
        graph.add("Pack", "multiples", {one, steps, one}, {{"N", 3}, {"T", DType::Int32}});
    return graph.add("Tile", "context", {once, multiples},
                     {{"T", DType::Float32}, {"Tmultiples", DType::Int32}});
}

/// x * limit / max(|x|, limit) for each step, as tf.clip_by_norm.
NodeRef clipSteps(storage::GraphDefBuilder& graph, const NodeRef& steps, float limit)
{
    const NodeRef squares = graph.add("Square", "squares", {steps}, {{"T", DType::Float32}});
    const NodeRef axis = graph.constant("norm_axis", std::vector<std::int32_t>{2});
    const NodeRef sum =
        graph.add("Sum", "square_sum", {squares, axis},
                  {{"T", DType::Float32}, {"Tidx", DType::Int32}, {"keep_dims", true}});
    const NodeRef norm = graph.add("Sqrt", "norm", {sum}, {{"T", DType::Float32}});
    const NodeRef bound = graph.constant("max_norm", limit);
    const NodeRef scaled = graph.add("Mul", "scaled", {steps, bound}, {{"T", DType::Float32}});
    const NodeRef divisor = graph.add("Maximum", "divisor", {norm, bound}, {{"T", DType::Float32}});
    return graph.add("RealDiv", "clipped", {scaled, divisor}, {{"T", DType::Float32}});
}

} // namespace

/// As one batch of rows, so that a product sees every step.
NodeRef emitFlatSteps(storage::GraphDefBuilder& graph, const NodeRef& sequence, std::int64_t width)
{
    const NodeRef shape = graph.constant(
        "flat_shape", std::vector<std::int32_t>{-1, static_cast<std::int32_t>(width)});
    return graph.add("Reshape", "flat", {sequence, shape},
                     {{"T", DType::Float32}, {"Tshape", DType::Int32}});
}

NodeRef emitPaddedSteps(const EmitContext& context, const NodeRef& sequence, const NodeRef& rows,
                        std::int64_t width)
{
    storage::GraphDefBuilder& graph = context.graph;
    const NodeRef shape = graph.add("Pack", "padded_shape",
                                    {context.batchSize, emitStepTotal(graph, sequence),
                                     graph.constant("width", static_cast<std::int32_t>(width))},
                                    {{"N", 3}, {"T", DType::Int32}});
    return graph.add("Reshape", "padded", {rows, shape},
                     {{"T", DType::Float32}, {"Tshape", DType::Int32}});
}

storage::EmittedValue emitSequenceLookup(const EmitContext& context, std::optional<float> maxNorm)
{
    storage::GraphDefBuilder& graph = context.graph;
    const StepIds steps = emitStepIds(graph, context.inputs[0]);
    const NodeRef zero = graph.constant("zero_id", std::int64_t{0});
    // An unknown id is looked up as 0 and replaced by zeros afterwards: a gather must not be given
    // -1.
    const NodeRef isKnown =
        graph.add("GreaterEqual", "is_known", {steps.ids, zero}, {{"T", DType::Int64}});
    const NodeRef ids = graph.add("Maximum", "known_ids", {steps.ids, zero}, {{"T", DType::Int64}});
    NodeRef rows = graph.add("ResourceGather", "lookup", {context.variables[0]->handle, ids},
                             {{"dtype", DType::Float32}, {"Tindices", DType::Int64}});
    if (maxNorm) {
        rows = clipSteps(graph, rows, *maxNorm);
    }
    const NodeRef mask =
        graph.add("ExpandDims", "mask", {isKnown, graph.constant("last", std::int32_t{2})},
                  {{"T", DType::Bool}, {"Tdim", DType::Int32}});
    const NodeRef values =
        graph.add("SelectV2", "embedded", {mask, rows, graph.constant("nothing", 0.0F)},
                  {{"T", DType::Float32}});
    return {.dense = values.input(), .stepCounts = steps.counts.input()};
}

storage::EmittedValue emitSequenceInput(const EmitContext& context)
{
    storage::GraphDefBuilder& graph = context.graph;
    storage::EmittedValue result;
    std::vector<NodeRef> parts;
    for (std::size_t index = 0; index < context.inputs.size(); ++index) {
        const graph::Value& value = context.layers.value(context.node.inputs[index]);
        const storage::EmittedValue& input = context.inputs[index];
        auto scope = graph.enterScope(spec::scopeSafe(value.name));
        std::string counts = input.stepCounts;
        if (value.kind == graph::ValueKind::Indicator) {
            const StepIds steps = emitStepIds(graph, input);
            counts = steps.counts.input();
            parts.push_back(graph.add(
                "OneHot", "one_hot",
                {steps.ids, graph.constant("depth", static_cast<std::int32_t>(value.width)),
                 graph.constant("on", 1.0F), graph.constant("off", 0.0F)},
                {{"T", DType::Float32}, {"TI", DType::Int64}}));
        } else if (value.kind != graph::ValueKind::Sequence) {
            // Repeated as often as the first sequence has steps, all of which have the same.
            parts.push_back(
                emitRepeated(graph, nodeRef(input.dense), emitStepTotal(graph, parts.front())));
        } else {
            parts.push_back(nodeRef(input.dense));
        }
        result.stepCounts = result.stepCounts.empty() ? counts : result.stepCounts;
    }
    if (parts.size() == 1) {
        result.dense = graph.identity("concat", parts.front(), DType::Float32).input();
        return result;
    }
    const auto count = static_cast<std::int64_t>(parts.size());
    parts.push_back(graph.constant("concat/axis", std::int32_t{2}));
    result.dense = graph
                       .add("ConcatV2", "concat", parts,
                            {{"N", count}, {"T", DType::Float32}, {"Tidx", DType::Int32}})
                       .input();
    return result;
}

} // namespace cannery::layers
