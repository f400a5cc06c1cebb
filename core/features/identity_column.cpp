// SPDX-License-Identifier: Apache-2.0
#include "core/features/identity_column.h"

#include "core/features/category_cells.h"
#include "core/features/feature_graph.h"
#include "core/features/sequence_categorical_column.h"
#include "core/spec/feature_columns.pb.h"

namespace cannery::features {

namespace {

constexpr ErrorKind kIdentityDefault{
    "features.identity_default",
    "The default_value {} of feature column '{}' is not in [0, {}), the range of its buckets."};

/// `Message`: ids of a value per row or per step.
template <typename Message>
Result<ColumnPointer> columnOfIds(const Message& column, const spec::FeatureColumn& spec,
                                  ColumnBuilder& builder)
{
    std::optional<std::int64_t> defaultValue;
    if (column.has_default_value()) {
        defaultValue = column.default_value();
        if (*defaultValue < 0 || *defaultValue >= column.num_buckets()) {
            return fail(ErrorCode::InvalidArgument, kIdentityDefault, *defaultValue, spec.name(),
                        column.num_buckets());
        }
    }
    CANNERY_TRY_ASSIGN(ColumnInfo info,
                       builder.info(spec.name(), SlotKind::Ids, column.num_buckets()));
    return std::make_shared<const IdentityColumn>(std::move(info), column.key(), defaultValue);
}

} // namespace

Result<ColumnPointer> IdentityColumn::create(const spec::FeatureColumn& spec,
                                             ColumnBuilder& builder)
{
    return columnOfIds(spec.categorical_column_with_identity(), spec, builder);
}

Result<ColumnPointer> IdentityColumn::createSequence(const spec::FeatureColumn& spec,
                                                     ColumnBuilder& builder)
{
    CANNERY_TRY_ASSIGN(
        ColumnPointer ids,
        columnOfIds(spec.sequence_categorical_column_with_identity(), spec, builder));
    return SequenceCategoricalColumn::of(std::move(ids));
}

void IdentityColumn::addUses(std::vector<RawUse>& uses) const
{
    uses.push_back(
        {.feature = m_feature, .role = RawRole::Category, .dtype = DType::Int64, .defaults = {}});
}

template <typename Ids>
Result<void> IdentityColumn::encode(const RawRows& rows, Ids& out) const
{
    CANNERY_TRY_ASSIGN(const data::FeatureValues* values, rows.find(m_feature));
    CANNERY_TRY(checkCategoryType(*values, DType::Int64, info().name));
    const std::int64_t buckets = info().width;
    const auto idOf = [&](std::int64_t cell) {
        // Without a default, an id outside of the range is reported by the encoder where it is
        // looked up.
        return m_defaultValue && (cell < 0 || cell >= buckets) ? *m_defaultValue : cell;
    };
    readCategoriesOf(*values, std::get<std::vector<std::int64_t>>(values->elements), rows, idOf,
                     out);
    return {};
}

Result<void> IdentityColumn::encodeIds(const RawRows& rows, EncodeScratch&, IdRows& out) const
{
    return encode(rows, out);
}

Result<void> IdentityColumn::encodeSlot(const RawRows& rows, EncodeScratch&, IdBlock& out) const
{
    return encode(rows, out);
}

std::string IdentityColumn::idText(std::int64_t id) const
{
    return std::to_string(id);
}

Result<storage::EmittedValue> IdentityColumn::emit(FeatureGraph& graph) const
{
    CANNERY_TRY_ASSIGN(SparseNodes cells, graph.category(m_feature));
    if (!m_defaultValue) {
        return cells.value();
    }
    storage::GraphDefBuilder& nodes = graph.graph();
    const storage::Attrs ids{{"T", DType::Int64}};
    const auto tooSmall =
        nodes.add("Less", "Less", {cells.values, nodes.constant("zero", std::int64_t{0})}, ids);
    const auto tooLarge =
        nodes.add("GreaterEqual", "GreaterEqual",
                  {cells.values, nodes.constant("num_buckets", info().width)}, ids);
    const auto outside = nodes.add("LogicalOr", "out_of_range", {tooSmall, tooLarge});
    cells.values =
        nodes.add("SelectV2", "values",
                  {outside, nodes.constant("default_value", *m_defaultValue), cells.values}, ids);
    return cells.value();
}

} // namespace cannery::features
