// SPDX-License-Identifier: Apache-2.0
#include "core/features/weighted_column.h"

#include "core/features/feature_graph.h"
#include "core/spec/feature_columns.pb.h"

namespace cannery::features {

namespace {

constexpr ErrorKind kWeightCount{
    "features.weight_count",
    "{}: weighted column '{}' has {} categories but '{}' has {} weights; write one weight for each "
    "category, in the same order."};
constexpr ErrorKind kWeightType{
    "features.weight_type",
    "Feature '{}' is text, but holds the weights of column '{}'. Give it the dtype float32."};
constexpr ErrorKind kWeightDtype{
    "features.weight_dtype",
    "Feature '{}' holds {} numbers, but weighted column '{}' has dtype {}, an integer type. Remove "
    "that dtype, or give data.column of the feature an integer dtype."};

/// The number in a cell; a missing one means no weight.
float weightAt(const data::FeatureValues& values, std::int64_t element)
{
    if (isInvalid(values, element)) {
        return 0;
    }
    return std::visit(
        [&](const auto& elements) -> float {
            if constexpr (std::is_same_v<std::decay_t<decltype(elements)>, StringColumn>) {
                return 0;
            } else {
                return static_cast<float>(elements[static_cast<std::size_t>(element)]);
            }
        },
        values.elements);
}

} // namespace

Result<ColumnPointer> WeightedColumn::create(const spec::FeatureColumn& spec,
                                             ColumnBuilder& builder)
{
    const spec::WeightedColumn& column = spec.weighted_categorical_column();
    CANNERY_TRY_ASSIGN(ColumnPointer ids,
                       builder.categorical(column.categorical_column(), spec.name()));
    CANNERY_TRY_ASSIGN(ColumnInfo info,
                       builder.info(spec.name(), SlotKind::Ids, ids->info().width));
    info.weighted = true;
    return std::make_shared<const WeightedColumn>(std::move(info), std::move(ids),
                                                  column.weight_feature_key(),
                                                  static_cast<DType>(column.dtype()));
}

void WeightedColumn::addUses(std::vector<RawUse>& uses) const
{
    m_ids->addUses(uses);
    uses.push_back({.feature = m_weightFeature,
                    .role = RawRole::Weight,
                    .dtype = m_weightType,
                    .defaults = {}});
}

void WeightedColumn::addEdges(std::vector<RawEdges>& edges) const
{
    m_ids->addEdges(edges);
}

Result<void> WeightedColumn::encodeIds(const RawRows& rows, EncodeScratch& scratch,
                                       IdRows& out) const
{
    // Ids that were dropped leave gaps, so each id keeps the place of its cell for its weight.
    out.recordCells = true;
    const Result<void> encoded = m_ids->encodeIds(rows, scratch, out);
    out.recordCells = false;
    CANNERY_TRY(encoded);
    CANNERY_TRY_ASSIGN(const data::FeatureValues* weights, rows.find(m_weightFeature));
    if (weights->dtype == DType::String) {
        return fail(ErrorCode::InvalidArgument, kWeightType, m_weightFeature, info().name);
    }
    if (isInteger(m_weightType) && !isInteger(weights->dtype)) {
        return fail(ErrorCode::InvalidArgument, kWeightDtype, m_weightFeature, name(weights->dtype),
                    info().name, name(m_weightType));
    }
    out.weights.reserve(out.ids.size());
    const RowCells rowCells(*weights, rows);
    for (std::int64_t row = 0; row < rows.count(); ++row) {
        const auto begin = static_cast<std::size_t>(out.rowOffsets[static_cast<std::size_t>(row)]);
        const auto end =
            static_cast<std::size_t>(out.rowOffsets[static_cast<std::size_t>(row) + 1]);
        const CellRange cells = rowCells.of(row);
        const std::int64_t weightCount = cells.end - cells.begin;
        const auto idCount = static_cast<std::int64_t>(end - begin);
        // Dense weights may have more cells than there are ids left; a list must match.
        const bool tooFew = idCount > 0 && out.cells[end - 1] >= weightCount;
        if (tooFew || (weights->sparse && weightCount != idCount)) {
            return fail(ErrorCode::InvalidArgument, kWeightCount, rows.place(row), info().name,
                        idCount, m_weightFeature, weightCount);
        }
        for (std::size_t i = begin; i < end; ++i) {
            out.weights.push_back(weightAt(*weights, cells.begin + out.cells[i]));
        }
    }
    return {};
}

Result<storage::EmittedValue> WeightedColumn::emit(FeatureGraph& graph) const
{
    CANNERY_TRY_ASSIGN(storage::EmittedValue value, graph.column(*m_ids));
    std::vector<RawUse> uses;
    m_ids->addUses(uses);
    const SparseNodes ids{{value.indices}, {value.ids}, {value.denseShape}};
    CANNERY_TRY_ASSIGN(const storage::NodeRef weights,
                       graph.weights(m_weightFeature, uses.front().feature, ids));
    value.weights = weights.input();
    return value;
}

} // namespace cannery::features
