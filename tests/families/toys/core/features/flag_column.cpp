// SPDX-License-Identifier: Apache-2.0
#include "core/features/flag_column.h"

#include "core/features/feature_graph.h"
#include "core/features/numeric_column.h"
#include "core/spec/feature_columns.pb.h"

namespace cannery::features {

Result<ColumnPointer> FlagColumn::create(const spec::FeatureColumn& spec, ColumnBuilder& builder)
{
    const spec::FlagColumn& column = spec.flag_column();
    CANNERY_TRY_ASSIGN(ColumnInfo info, builder.info(spec.name(), SlotKind::Dense, 1));
    return std::make_shared<const FlagColumn>(std::move(info),
                                              NumericColumn::ofFeature(column.key()),
                                              static_cast<float>(column.threshold()));
}

Result<void> FlagColumn::encodeDense(const RawRows& rows, DenseBlock& out) const
{
    CANNERY_TRY(m_numbers->encodeDense(rows, out));
    for (float& value : out.values) {
        value = value >= m_threshold ? 1.0F : 0.0F;
    }
    return {};
}

Result<storage::EmittedValue> FlagColumn::emit(FeatureGraph& graph) const
{
    CANNERY_TRY_ASSIGN(const storage::EmittedValue numbers, graph.column(*m_numbers));
    storage::GraphDefBuilder& nodes = graph.graph();
    const storage::NodeRef reached =
        nodes.add("GreaterEqual", "reached",
                  {storage::NodeRef{numbers.dense}, nodes.constant("threshold", m_threshold)},
                  {{"T", DType::Float32}});
    storage::EmittedValue value;
    value.dense =
        nodes.add("Cast", "flag", {reached}, {{"SrcT", DType::Bool}, {"DstT", DType::Float32}})
            .input();
    return value;
}

} // namespace cannery::features
