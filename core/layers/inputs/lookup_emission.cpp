// SPDX-License-Identifier: Apache-2.0
#include "core/layers/inputs/lookup.h"

namespace cannery::layers {

namespace {

using storage::NodeRef;

/// The entries of a sparse value that are used.
struct Entries
{
    NodeRef rows;    ///< int64 [n]: which row of the batch
    NodeRef ids;     ///< int64 [n]
    NodeRef weights; ///< float [n]; only if `weighted`
    bool weighted = false;
};

NodeRef rowsOf(storage::GraphDefBuilder& graph, const NodeRef& indices)
{
    const NodeRef begin = graph.constant("rows/begin", std::vector<std::int32_t>{0, 0});
    const NodeRef end = graph.constant("rows/end", std::vector<std::int32_t>{0, 1});
    const NodeRef strides = graph.constant("rows/strides", std::vector<std::int32_t>{1, 1});
    return graph.add("StridedSlice", "rows", {indices, begin, end, strides},
                     {{"T", DType::Int64},
                      {"Index", DType::Int32},
                      {"begin_mask", 1},
                      {"end_mask", 1},
                      {"shrink_axis_mask", 2}});
}

NodeRef select(storage::GraphDefBuilder& graph, const char* name, const NodeRef& values,
               const NodeRef& positions, const NodeRef& axis, DType dtype)
{
    return graph.add("GatherV2", name, {values, positions, axis},
                     {{"Tparams", dtype}, {"Tindices", DType::Int64}, {"Taxis", DType::Int32}});
}

/// With a combiner other than sum, TensorFlow's safe lookup drops weights <= 0, which would make
/// the divisor 0 or negative.
/// Drops negative ids and, if requested, weights that are not positive.
Entries prune(storage::GraphDefBuilder& graph, const storage::EmittedValue& value,
              bool onlyPositiveWeights)
{
    const NodeRef allIds = nodeRef(value.ids);
    const bool weighted = !value.weights.empty();
    NodeRef keep =
        graph.add("GreaterEqual", "is_valid", {allIds, graph.constant("zero_id", std::int64_t{0})},
                  {{"T", DType::Int64}});
    if (weighted && onlyPositiveWeights) {
        const NodeRef positive = graph.add(
            "Greater", "is_positive", {nodeRef(value.weights), graph.constant("zero_weight", 0.0F)},
            {{"T", DType::Float32}});
        keep = graph.add("LogicalAnd", "is_kept", {keep, positive});
    }
    const NodeRef where = graph.add("Where", "where", {keep}, {{"T", DType::Bool}});
    const NodeRef flat = graph.constant("flat", std::vector<std::int32_t>{-1});
    const NodeRef positions = graph.add("Reshape", "positions", {where, flat},
                                        {{"T", DType::Int64}, {"Tshape", DType::Int32}});
    const NodeRef axis = graph.constant("axis", std::int32_t{0});
    Entries entries;
    entries.rows = select(graph, "kept_rows", rowsOf(graph, nodeRef(value.indices)), positions,
                          axis, DType::Int64);
    entries.ids = select(graph, "kept_ids", allIds, positions, axis, DType::Int64);
    entries.weighted = weighted;
    if (weighted) {
        entries.weights =
            select(graph, "kept_weights", nodeRef(value.weights), positions, axis, DType::Float32);
    }
    return entries;
}

Entries allEntries(storage::GraphDefBuilder& graph, const storage::EmittedValue& value)
{
    const bool weighted = !value.weights.empty();
    return {.rows = rowsOf(graph, nodeRef(value.indices)),
            .ids = nodeRef(value.ids),
            .weights = weighted ? nodeRef(value.weights) : NodeRef{},
            .weighted = weighted};
}

/// Unsorted, unlike TensorFlow's segment_sum: it takes the number of rows, so
/// rows without ids get zeros.
NodeRef sumPerRow(const EmitContext& context, const char* name, const NodeRef& values,
                  const NodeRef& rows)
{
    return context.graph.add(
        "UnsortedSegmentSum", name, {values, rows, context.batchSize},
        {{"T", DType::Float32}, {"Tindices", DType::Int64}, {"Tnumsegments", DType::Int32}});
}

NodeRef binaryNode(storage::GraphDefBuilder& graph, const char* op, const char* name,
                   const NodeRef& left, const NodeRef& right)
{
    return graph.add(op, name, {left, right}, {{"T", DType::Float32}});
}

NodeRef asColumn(storage::GraphDefBuilder& graph, const char* name, const NodeRef& vector)
{
    return graph.add("ExpandDims", name, {vector, graph.constant("last", std::int32_t{1})},
                     {{"T", DType::Float32}, {"Tdim", DType::Int32}});
}

/// x * limit / max(|x|, limit) for each row, as tf.clip_by_norm.
NodeRef clipRows(storage::GraphDefBuilder& graph, const NodeRef& rows, float limit)
{
    const NodeRef squares = graph.add("Square", "squares", {rows}, {{"T", DType::Float32}});
    const NodeRef axis = graph.constant("norm_axis", std::vector<std::int32_t>{1});
    const NodeRef sum =
        graph.add("Sum", "square_sum", {squares, axis},
                  {{"T", DType::Float32}, {"Tidx", DType::Int32}, {"keep_dims", true}});
    const NodeRef norm = graph.add("Sqrt", "norm", {sum}, {{"T", DType::Float32}});
    const NodeRef bound = graph.constant("max_norm", limit);
    const NodeRef scaled = binaryNode(graph, "Mul", "scaled", rows, bound);
    return binaryNode(graph, "RealDiv", "clipped", scaled,
                      binaryNode(graph, "Maximum", "divisor", norm, bound));
}

} // namespace

storage::NodeRef nodeRef(const std::string& tensor)
{
    const std::size_t colon = tensor.rfind(':');
    if (colon == std::string::npos) {
        return {tensor, 0};
    }
    return {tensor.substr(0, colon), std::stoi(tensor.substr(colon + 1))};
}

storage::NodeRef emitLookup(const EmitContext& context, const storage::EmittedValue& ids,
                            const storage::GraphVariable& table,
                            const kernels::SparseCombineOptions& options)
{
    storage::GraphDefBuilder& graph = context.graph;
    // A lookup that is not "safe" takes every entry as it is.
    const bool summed = options.combiner == kernels::Combiner::Sum;
    const Entries entries = options.anyWeight ? allEntries(graph, ids) : prune(graph, ids, !summed);
    NodeRef rows = graph.add("ResourceGather", "lookup", {table.handle, entries.ids},
                             {{"dtype", DType::Float32}, {"Tindices", DType::Int64}});
    if (options.maxNorm) {
        rows = clipRows(graph, rows, *options.maxNorm);
    }
    if (entries.weighted) {
        rows = binaryNode(graph, "Mul", "weighted", rows,
                          asColumn(graph, "weight_column", entries.weights));
    }
    const NodeRef sum = sumPerRow(context, "sum", rows, entries.rows);
    if (summed) {
        return sum;
    }
    const bool mean = options.combiner == kernels::Combiner::Mean;
    NodeRef weights = entries.weights;
    // Without weights each entry counts 1, and the divisor is the number of entries or its root.
    if (!entries.weighted) {
        const NodeRef shape = graph.add("Shape", "entry_count", {entries.ids},
                                        {{"T", DType::Int64}, {"out_type", DType::Int32}});
        weights = graph.add("Fill", "ones", {shape, graph.constant("one", 1.0F)},
                            {{"T", DType::Float32}, {"index_type", DType::Int32}});
    } else if (!mean) {
        // sqrtn divides by sqrt(sum of squared weights).
        weights = graph.add("Square", "weight_squares", {weights}, {{"T", DType::Float32}});
    }
    NodeRef divisor = sumPerRow(context, "divisor_sum", weights, entries.rows);
    if (!mean) {
        divisor = graph.add("Sqrt", "divisor_root", {divisor}, {{"T", DType::Float32}});
    }
    // A row without entries divides 0 by 0, and is 0.
    return binaryNode(graph, "DivNoNan", "combined", sum,
                      asColumn(graph, "divisor_column", divisor));
}

storage::NodeRef emitIndicator(const EmitContext& context, const storage::EmittedValue& ids,
                               std::int64_t width)
{
    storage::GraphDefBuilder& graph = context.graph;
    // Negative ids are words outside of the vocabulary, which an indicator leaves out.
    const Entries entries = prune(graph, ids, false);
    // OneHot gives a row of zeros for an id at or beyond the depth.
    NodeRef hot = graph.add("OneHot", "one_hot",
                            {entries.ids, graph.constant("depth", static_cast<std::int32_t>(width)),
                             graph.constant("on", 1.0F), graph.constant("off", 0.0F)},
                            {{"T", DType::Float32}, {"TI", DType::Int64}});
    if (entries.weighted) {
        hot = binaryNode(graph, "Mul", "weighted", hot,
                         asColumn(graph, "weight_column", entries.weights));
    }
    return sumPerRow(context, "counts", hot, entries.rows);
}

} // namespace cannery::layers
