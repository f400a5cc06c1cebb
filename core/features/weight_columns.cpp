// SPDX-License-Identifier: Apache-2.0
#include "core/features/weight_columns.h"

#include "core/features/feature_column.h"
#include "core/features/numeric_column.h"
#include "core/spec/heads.pb.h"
#include "core/spec/message_access.h"

namespace cannery::features {

namespace {

constexpr ErrorKind kWeightColumn{
    "features.weight_column", "The weight_column '{}' must be numeric with one number per row."};

/// For the heads that have one.
const spec::InputReference* weightOf(const spec::Head& head)
{
    const auto* member = spec::memberOf(head);
    const auto* field =
        member == nullptr ? nullptr : member->GetDescriptor()->FindFieldByName("weight_column");
    return field == nullptr ? nullptr
                            : dynamic_cast<const spec::InputReference*>(
                                  &member->GetReflection()->GetMessage(*member, field));
}

Result<void> addWeight(const spec::Head& head, ColumnBuilder& builder,
                       std::vector<ColumnPointer>& weights)
{
    const spec::InputReference* reference = weightOf(head);
    if (reference == nullptr || reference->kind_case() == spec::InputReference::KIND_NOT_SET) {
        return {};
    }
    if (reference->has_feature()) {
        weights.push_back(NumericColumn::ofFeature(reference->feature()));
        return {};
    }
    CANNERY_TRY_ASSIGN(ColumnPointer column, builder.column(reference->column()));
    if (column->info().kind != SlotKind::Dense || column->info().width != 1) {
        return fail(ErrorCode::InvalidArgument, kWeightColumn, reference->column());
    }
    weights.push_back(std::move(column));
    return {};
}

} // namespace

Result<std::vector<ColumnPointer>> weightColumns(const spec::Head& head, ColumnBuilder& builder)
{
    std::vector<ColumnPointer> weights;
    CANNERY_TRY(addWeight(head, builder, weights));
    for (const spec::Head& part : head.multi_head().heads()) {
        CANNERY_TRY(addWeight(part, builder, weights));
    }
    return weights;
}

} // namespace cannery::features
