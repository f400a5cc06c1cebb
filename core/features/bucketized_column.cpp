// SPDX-License-Identifier: Apache-2.0
#include "core/features/bucketized_column.h"

#include "core/features/category_cells.h"
#include "core/features/feature_graph.h"
#include "core/features/numeric_column.h"
#include "core/spec/feature_columns.pb.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <span>

namespace cannery::features {

namespace {

constexpr ErrorKind kSource{
    "features.bucketized_source",
    "Bucketized column '{}' needs a numeric column of one dimension, but '{}' is {}."};
constexpr ErrorKind kBoundaries{
    "features.bucketized_boundaries",
    "The boundaries of bucketized column '{}' must be strictly increasing; {} follows {}."};

/// Below this many boundaries, counting them is faster than searching.
constexpr std::size_t kFewBoundaries = 48;
/// Values counted together, side by side in vector registers.
constexpr std::size_t kLanes = 16;

/// How many boundaries are not above the value; all of them for NaN.
std::int32_t bucketOf(float value, std::span<const float> boundaries)
{
    return static_cast<std::int32_t>(std::upper_bound(boundaries.begin(), boundaries.end(), value) -
                                     boundaries.begin());
}

void countBoundaries(const float* values, std::span<const float> boundaries, std::int32_t* buckets)
{
    std::fill_n(buckets, kLanes, 0);
    for (const float boundary : boundaries) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            // Written so that NaN counts as above every boundary, as upper_bound() has it.
            buckets[lane] += values[lane] < boundary ? 0 : 1;
        }
    }
}

template <typename Id>
void findBuckets(std::span<const float> values, std::span<const float> boundaries, Id* ids)
{
    std::size_t i = 0;
    if (boundaries.size() <= kFewBoundaries) {
        std::array<std::int32_t, kLanes> buckets;
        for (; i + kLanes <= values.size(); i += kLanes) {
            countBoundaries(values.data() + i, boundaries, buckets.data());
            std::copy(buckets.begin(), buckets.end(), ids + i);
        }
    }
    for (; i < values.size(); ++i) {
        // The remainder by searching gives the same buckets as counting.
        ids[i] = bucketOf(values[i], boundaries);
    }
}

Result<std::vector<float>> boundariesOf(const spec::BucketizedColumn& column,
                                        const std::string& name)
{
    std::vector<float> boundaries;
    for (int i = 0; i < column.boundaries_size(); ++i) {
        if (i > 0 && !(column.boundaries(i) > column.boundaries(i - 1))) {
            return fail(ErrorCode::InvalidArgument, kBoundaries, name, column.boundaries(i),
                        column.boundaries(i - 1));
        }
        boundaries.push_back(static_cast<float>(column.boundaries(i)));
    }
    return boundaries;
}

/// Where each bucket begins among the raw numbers.
std::vector<std::int32_t> placesOf(std::span<const float> boundaries, const RawOrder& order)
{
    std::vector<std::int32_t> places;
    // The boundary on the normalized scale becomes a place among raw numbers, so that the graph
    // compares numbers as they come and rounds nothing.
    for (const float boundary : boundaries) {
        places.push_back(order.firstAtLeast(boundary));
    }
    return places;
}

/// The bucket of each raw number, int32 [batch, elements].
storage::NodeRef emitBuckets(storage::GraphDefBuilder& graph, const storage::NodeRef& numbers,
                             std::int64_t elements, const std::vector<std::int32_t>& places,
                             const RawOrder& order)
{
    // Every place has a float of its own here, so TensorFlow's Bucketize takes boundaries of raw
    // numbers.
    if (std::ranges::all_of(places, [&](auto p) { return order.comparesAsNumber(p); })) {
        std::vector<float> boundaries;
        for (const std::int32_t place : places) {
            boundaries.push_back(order.numberAt(place));
        }
        return graph.add("Bucketize", "Bucketize", {numbers},
                         {{"T", DType::Float32}, {"boundaries", boundaries}});
    }
    const storage::Attrs shapes{{"T", DType::Int32}, {"Tshape", DType::Int64}};
    const storage::NodeRef list =
        graph.add("Reshape", "list",
                  {emitPlaces(graph, numbers, {&order, 1}, RawOrder::kNowhere),
                   graph.constant("list/shape", std::vector<std::int64_t>{1, -1})},
                  shapes);
    const storage::NodeRef buckets =
        graph.add("UpperBound", "UpperBound",
                  {graph.constant("begins", places, Shape{1, std::ssize(places)}), list},
                  {{"T", DType::Int32}, {"out_type", DType::Int32}});
    return graph.add(
        "Reshape", "buckets",
        {buckets, graph.constant("buckets/shape", std::vector<std::int64_t>{-1, elements})},
        shapes);
}

} // namespace

Result<ColumnPointer> BucketizedColumn::create(const spec::FeatureColumn& spec,
                                               ColumnBuilder& builder)
{
    const spec::BucketizedColumn& column = spec.bucketized_column();
    CANNERY_TRY_ASSIGN(ColumnPointer source, builder.column(column.source_column()));
    auto numeric = std::dynamic_pointer_cast<const NumericColumn>(source);
    if (numeric == nullptr) {
        return fail(ErrorCode::InvalidArgument, kSource, spec.name(), column.source_column(),
                    "not numeric");
    }
    if (numeric->shape().rank() > 1) {
        return fail(ErrorCode::InvalidArgument, kSource, spec.name(), column.source_column(),
                    "of shape " + numeric->shape().toString());
    }
    CANNERY_TRY_ASSIGN(std::vector<float> boundaries, boundariesOf(column, spec.name()));
    // As in TensorFlow, a column of several numbers has one block of buckets per element.
    const auto buckets = static_cast<std::int64_t>(boundaries.size()) + 1;
    CANNERY_TRY_ASSIGN(ColumnInfo info,
                       builder.info(spec.name(), SlotKind::Ids, buckets * source->info().width));
    return std::make_shared<const BucketizedColumn>(std::move(info), std::move(numeric),
                                                    std::move(boundaries));
}

void BucketizedColumn::addUses(std::vector<RawUse>& uses) const
{
    m_source->addUses(uses);
}

void BucketizedColumn::addEdges(std::vector<RawEdges>& edges) const
{
    const RawOrder order(m_source->normalizer());
    edges.push_back(
        {.feature = m_source->feature(), .places = placesOf(m_boundaries, order), .order = order});
}

template <typename Ids>
Result<void> BucketizedColumn::encode(const RawRows& rows, EncodeScratch& scratch, Ids& out) const
{
    // The source's numbers are normalized already, as the boundaries expect.
    CANNERY_TRY(m_source->encodeDense(rows, scratch.numbers));
    const std::span<const float> values = scratch.numbers.values;
    const std::int64_t width = scratch.numbers.width;
    startIds(out, rows.count(), rows.count() * width);
    findBuckets(values, m_boundaries, out.ids.data());
    for (std::int64_t row = 0; row < rows.count(); ++row) {
        out.rowOffsets[static_cast<std::size_t>(row) + 1] = (row + 1) * width;
    }
    // Element k's buckets follow those of element k - 1.
    for (std::int64_t i = 0; width > 1 && i < rows.count() * width; ++i) {
        auto& id = out.ids[static_cast<std::size_t>(i)];
        putId(id + i % width * bucketCount(), id);
    }
    for (std::int64_t i = 0; recordsCells(out) && i < rows.count() * width; ++i) {
        recordCell(out, i % width);
    }
    return {};
}

Result<void> BucketizedColumn::encodeIds(const RawRows& rows, EncodeScratch& scratch,
                                         IdRows& out) const
{
    return encode(rows, scratch, out);
}

Result<void> BucketizedColumn::encodeSlot(const RawRows& rows, EncodeScratch& scratch,
                                          IdBlock& out) const
{
    return encode(rows, scratch, out);
}

/// "< 18", "18 ≤ … < 25", "≥ 25"; for several numbers, "[1] ≥ 25".
std::string BucketizedColumn::idText(std::int64_t id) const
{
    const auto bucket = static_cast<std::size_t>(id % bucketCount());
    const std::string which =
        m_source->info().width > 1 ? fmt::format("[{}] ", id / bucketCount()) : std::string();
    if (m_boundaries.empty()) {
        return which;
    }
    if (bucket == 0) {
        return fmt::format("{}< {}", which, m_boundaries.front());
    }
    return bucket == m_boundaries.size()
               ? fmt::format("{}≥ {}", which, m_boundaries.back())
               : fmt::format("{}{} ≤ … < {}", which, m_boundaries[bucket - 1],
                             m_boundaries[bucket]);
}

Result<storage::EmittedValue> BucketizedColumn::emit(FeatureGraph& graph) const
{
    CANNERY_TRY_ASSIGN(const storage::NodeRef numbers, m_source->emitRaw(graph));
    storage::GraphDefBuilder& nodes = graph.graph();
    const RawOrder order(m_source->normalizer());
    const std::int64_t elements = m_source->info().width;
    storage::NodeRef buckets =
        emitBuckets(nodes, numbers, elements, placesOf(m_boundaries, order), order);
    // The same shift by element in the graph.
    if (elements > 1) {
        std::vector<std::int32_t> offsets;
        for (std::int64_t element = 0; element < elements; ++element) {
            offsets.push_back(static_cast<std::int32_t>(element * bucketCount()));
        }
        buckets = nodes.add("AddV2", "add", {buckets, nodes.constant("offsets", offsets)},
                            {{"T", DType::Int32}});
    }
    const storage::NodeRef ids =
        nodes.add("Cast", "Cast", {buckets}, {{"SrcT", DType::Int32}, {"DstT", DType::Int64}});
    return cellsOfDense(nodes, ids, DType::Int64).value();
}

} // namespace cannery::features
