#include "core/features/bucketized_column.h"

#include "core/features/feature_graph.h"
#include "core/features/numeric_column.h"
#include "core/spec/feature_columns.pb.h"

#include <algorithm>

namespace cannery::features {

namespace {

constexpr ErrorKind kSource{
    "features.bucketized_source",
    "Bucketized column '{}' needs a numeric column of one dimension, but '{}' is {}."};
constexpr ErrorKind kBoundaries{
    "features.bucketized_boundaries",
    "The boundaries of bucketized column '{}' must grow strictly; {} stands after {}."};

/// Below this many boundaries counting them is faster than searching.
constexpr std::size_t kFewBoundaries = 16;

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

} // namespace

Result<ColumnPointer> BucketizedColumn::create(const spec::FeatureColumn& spec,
                                               ColumnBuilder& builder)
{
    const spec::BucketizedColumn& column = spec.bucketized_column();
    CANNERY_TRY_ASSIGN(ColumnPointer source, builder.column(column.source_column()));
    const auto* numeric = dynamic_cast<const NumericColumn*>(source.get());
    if (numeric == nullptr) {
        return fail(ErrorCode::InvalidArgument, kSource, spec.name(), column.source_column(),
                    "not numeric");
    }
    if (numeric->shape().rank() > 1) {
        return fail(ErrorCode::InvalidArgument, kSource, spec.name(), column.source_column(),
                    "of shape " + numeric->shape().toString());
    }
    CANNERY_TRY_ASSIGN(std::vector<float> boundaries, boundariesOf(column, spec.name()));
    const auto buckets = static_cast<std::int64_t>(boundaries.size()) + 1;
    CANNERY_TRY_ASSIGN(ColumnInfo info,
                       builder.info(spec.name(), SlotKind::Ids, buckets * source->info().width));
    return std::make_shared<const BucketizedColumn>(std::move(info), std::move(source),
                                                    std::move(boundaries));
}

std::int64_t BucketizedColumn::bucketOf(float value) const
{
    if (m_boundaries.size() > kFewBoundaries) {
        // Finds the first boundary above the value; none is above NaN.
        return std::upper_bound(m_boundaries.begin(), m_boundaries.end(), value) -
               m_boundaries.begin();
    }
    std::int64_t bucket = 0;
    for (const float boundary : m_boundaries) {
        bucket += value < boundary ? 0 : 1;
    }
    return bucket;
}

Result<void> BucketizedColumn::encodeIds(const RawRows& rows, IdRows& out) const
{
    DenseBlock numbers;
    CANNERY_TRY(m_source->encodeDense(rows, numbers));
    out.start(rows.count());
    out.ids.reserve(numbers.values.size());
    const float* value = numbers.values.data();
    for (std::int64_t row = 0; row < rows.count(); ++row) {
        for (std::int64_t element = 0; element < numbers.width; ++element) {
            out.ids.push_back(bucketOf(*value++) + element * bucketCount());
            if (out.recordCells) {
                out.cells.push_back(static_cast<std::int32_t>(element));
            }
        }
        out.endRow();
    }
    return {};
}

Result<storage::EmittedValue> BucketizedColumn::emit(FeatureGraph& graph) const
{
    CANNERY_TRY_ASSIGN(const storage::EmittedValue numbers, graph.column(*m_source));
    storage::GraphDefBuilder& nodes = graph.graph();
    storage::NodeRef buckets =
        nodes.add("Bucketize", "Bucketize", {storage::NodeRef{numbers.dense}},
                  {{"T", DType::Float32}, {"boundaries", m_boundaries}});
    const std::int64_t elements = m_source->info().width;
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
