// SPDX-License-Identifier: Apache-2.0
#include "core/features/weight_encoder.h"

#include "core/features/numeric_column.h"
#include "core/features/raw_rows.h"
#include "core/features/sequence_numeric_column.h"
#include "core/spec/feature_columns.pb.h"
#include "core/spec/heads.pb.h"
#include "core/spec/message_access.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

namespace cannery::features {

namespace {

constexpr ErrorKind kWeightColumn{
    "features.weight_column", "The weight_column '{}' must be numeric with one number per row."};
constexpr ErrorKind kWeightNan{"features.weight_nan", "{}: the weight in '{}' is not a number."};
constexpr ErrorKind kWeightSteps{
    "features.weight_steps",
    "{}: '{}' has {} weights, but the sequence '{}' has {} steps. Correct the row: with "
    "return_sequences there is one weight for each step."};
constexpr ErrorKind kStepWeight{
    "features.step_weight_column",
    "With return_sequences the weight_column is a raw feature, a list of numbers, but '{}' is a "
    "feature column. Write weight_column {{ feature: … }}."};

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

/// A number for each step, of a list.
ColumnPointer stepWeight(const std::string& feature)
{
    ColumnInfo info{feature, feature, SlotKind::Sequence, 1, false, true};
    return std::make_shared<const SequenceNumericColumn>(
        std::move(info), RawUse{.feature = feature, .role = RawRole::Steps}, 0.0F, Normalizer());
}

Result<void> addWeight(const spec::Head& head, bool isOfSteps, ColumnBuilder& builder,
                       std::vector<ColumnPointer>& weights)
{
    const spec::InputReference* reference = weightOf(head);
    if (reference == nullptr || reference->kind_case() == spec::InputReference::KIND_NOT_SET) {
        return {};
    }
    if (isOfSteps) {
        if (!reference->has_feature()) {
            return fail(ErrorCode::InvalidArgument, kStepWeight, reference->column());
        }
        weights.push_back(stepWeight(reference->feature()));
        return {};
    }
    // A raw feature is read as a numeric column of one number, as TensorFlow does.
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

Result<std::vector<ColumnPointer>> weightColumnsOf(const spec::Head& head, bool areOfSteps,
                                                   ColumnBuilder& builder)
{
    std::vector<ColumnPointer> weights;
    // The head's own, then those of a multi_head's parts; only one of the two exists.
    CANNERY_TRY(addWeight(head, areOfSteps, builder, weights));
    for (const spec::Head& part : head.multi_head().heads()) {
        CANNERY_TRY(addWeight(part, areOfSteps, builder, weights));
    }
    return weights;
}

} // namespace

Result<WeightEncoder> WeightEncoder::create(const spec::Head& head, bool areOfSteps,
                                            ColumnBuilder& builder)
{
    WeightEncoder result;
    CANNERY_TRY_ASSIGN(result.m_columns, weightColumnsOf(head, areOfSteps, builder));
    return result;
}

Result<void> WeightEncoder::encode(const RawRows& rows, std::vector<float>& out) const
{
    DenseBlock column;
    out.resize(static_cast<std::size_t>(rows.count()) * m_columns.size());
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        CANNERY_TRY(m_columns[i]->encodeDense(rows, column));
        for (std::size_t row = 0; row < column.values.size(); ++row) {
            if (std::isnan(column.values[row])) {
                return fail(ErrorCode::InvalidArgument, kWeightNan,
                            rows.place(static_cast<std::int64_t>(row)), m_columns[i]->info().name);
            }
            out[row * m_columns.size() + i] = column.values[row];
        }
    }
    return {};
}

Result<void> WeightEncoder::encodeSteps(const RawRows& rows, const std::string& sequence,
                                        EncodedRows& out) const
{
    SequenceBlock column;
    for (const ColumnPointer& weight : m_columns) { // a sequential head has one at most
        CANNERY_TRY(weight->encodeSteps(rows, column));
        for (std::int64_t row = 0; row < rows.count(); ++row) {
            const auto at = static_cast<std::size_t>(row);
            const std::int64_t first = column.rowOffsets[at];
            const std::int64_t count = column.rowOffsets[at + 1] - first;
            const std::int64_t steps = out.labelOffsets[at + 1] - out.labelOffsets[at];
            if (count != steps) {
                return fail(ErrorCode::InvalidArgument, kWeightSteps, rows.place(row),
                            weight->info().name, count, sequence, steps);
            }
            const auto values =
                std::span(column.values)
                    .subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
            if (std::ranges::any_of(values, [](float value) { return std::isnan(value); })) {
                return fail(ErrorCode::InvalidArgument, kWeightNan, rows.place(row),
                            weight->info().name);
            }
        }
        out.weights = std::move(column.values);
    }
    return {};
}

} // namespace cannery::features
