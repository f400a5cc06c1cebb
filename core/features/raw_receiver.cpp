// SPDX-License-Identifier: Apache-2.0
#include "core/features/receiver_emitter.h"

#include <algorithm>
#include <vector>

namespace cannery::features {

using storage::GraphDefBuilder;
using storage::HostTensor;
using storage::NodeRef;

namespace {

constexpr ErrorKind kNotGiven{
    "features.receiver_lacks",
    "The receiver has no feature '{}', which the model needs in every row; add it, or give its "
    "column a default_value."};
constexpr ErrorKind kUnknownType{"features.receiver_unknown",
                                 "The receiver should take the feature '{}', but neither the model "
                                 "nor data.column gives its type."};
constexpr ErrorKind kEmptyRequest{
    "features.receiver_empty",
    "A raw receiver needs at least one feature; this model reads none, so name one."};

Shape rowsOf(const RawFeature& feature)
{
    std::vector<std::int64_t> dims{-1};
    if (feature.sparse) {
        dims.push_back(-1);
    } else {
        dims.insert(dims.end(), feature.shape.dims.begin(), feature.shape.dims.end());
    }
    return Shape(std::move(dims));
}

/// Integers as floats where a missing one stays missing, unless they are categories too.
DType placeholderType(const RawPlan& plan)
{
    const DType type = plan.rawType();
    return plan.keepsMissing() && !plan.isCategory && isInteger(type) ? DType::Float32 : type;
}

RawTensor addPlaceholder(const RawFeature& feature, DType dtype, GraphDefBuilder& graph,
                         EmittedFeatures& out)
{
    const Shape shape = rowsOf(feature);
    const NodeRef node = graph.placeholder(scopeName(feature.name), dtype, shape);
    out.receiver.push_back({feature.name, node, dtype, shape});
    return {feature, dtype, node, {}};
}

/// The default of a number, repeated in every row.
NodeRef repeated(const std::vector<double>& numbers, const RawFeature& feature,
                 const NodeRef& batchSize, GraphDefBuilder& graph)
{
    const auto scope = graph.enterScope(scopeName(feature.name) + "_missing");
    // One row of the default, tiled to the size of the batch.
    std::vector<std::int64_t> dims = feature.shape.dims;
    dims.insert(dims.begin(), 1);
    const auto row =
        HostTensor::of(std::vector<float>(numbers.begin(), numbers.end()), Shape(std::move(dims)));
    std::vector<NodeRef> multiples{batchSize};
    for (int i = 0; i < feature.shape.rank(); ++i) {
        multiples.push_back(graph.constant("one", std::int32_t{1}));
    }
    const NodeRef times =
        graph.add("Pack", "multiples", multiples,
                  {{"N", static_cast<std::int64_t>(multiples.size())}, {"T", DType::Int32}});
    return graph.add("Tile", "Tile", {graph.constant("row", row), times}, {{"T", DType::Float32}});
}

/// The value of a feature that is never provided.
Result<RawTensor> missing(const RawPlan& plan, const NodeRef& batchSize, GraphDefBuilder& graph)
{
    RawTensor raw{plan.feature, DType::Float32, {}, {}};
    // A number without a default and a weight cannot be left out; a category is then missing.
    if (plan.isNumber ? !plan.numberDefaults.has_value() : plan.isWeight) {
        return fail(ErrorCode::InvalidArgument, kNotGiven, plan.feature.name);
    }
    if (plan.isNumber) {
        raw.dense = repeated(*plan.numberDefaults, plan.feature, batchSize, graph);
        raw.mayLackNumbers = plan.keepsMissing();
    } else {
        raw.dtype = plan.isCategory ? plan.categoryType : DType::Float32;
        raw.cells = noCells(graph, batchSize, raw.dtype);
    }
    return raw;
}

} // namespace

NodeRef emitBatchSize(GraphDefBuilder& graph, const ReceiverTensor& input)
{
    const auto scope = graph.enterScope("batch_size");
    const auto at = [&](const char* name, std::int32_t place) {
        return graph.constant(name, std::vector<std::int32_t>{place});
    };
    const NodeRef shape = graph.add("Shape", "Shape", {input.tensor}, {{"T", input.dtype}});
    return graph.add("StridedSlice", "strided_slice",
                     {shape, at("begin", 0), at("end", 1), at("strides", 1)},
                     {{"T", DType::Int32}, {"Index", DType::Int32}, {"shrink_axis_mask", 1}});
}

Result<void> emitRawReceiver(const std::map<std::string, RawPlan>& plans,
                             const std::map<std::string, RawFeature>& unused,
                             const EmitOptions& options, FeatureGraph& features,
                             EmittedFeatures& out)
{
    GraphDefBuilder& graph = features.graph();
    const std::vector<std::string>& given = options.rawFeatures;
    for (const auto& [name, plan] : plans) {
        if (given.empty() || std::find(given.begin(), given.end(), name) != given.end()) {
            RawTensor raw = addPlaceholder(plan.feature, placeholderType(plan), graph, out);
            raw.mayLackNumbers = plan.isNumber && plan.numberDefaults.has_value();
            features.addRaw(std::move(raw));
        }
    }
    for (const auto& [name, feature] : unused) {
        if (feature.dtype == DType::Invalid) {
            return fail(ErrorCode::InvalidArgument, kUnknownType, name);
        }
        // The placeholder is an input that nothing reads: clients may send it.
        addPlaceholder(feature, feature.dtype, graph, out);
    }
    if (out.receiver.empty()) {
        return fail(ErrorCode::InvalidArgument, kEmptyRequest);
    }
    // Any input gives the size of the batch.
    out.batchSize = emitBatchSize(graph, out.receiver.front());
    for (const auto& [name, plan] : plans) {
        if (!given.empty() && std::find(given.begin(), given.end(), name) == given.end()) {
            CANNERY_TRY_ASSIGN(RawTensor raw, missing(plan, out.batchSize, graph));
            features.addRaw(std::move(raw));
        }
    }
    return {};
}

} // namespace cannery::features
