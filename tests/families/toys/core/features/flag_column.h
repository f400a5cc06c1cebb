// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/column_builder.h"

namespace cannery::spec {
class FeatureColumn;
} // namespace cannery::spec

namespace cannery::features {

/// flag_column: 1 where a number is at least the threshold, otherwise 0.
class FlagColumn : public FeatureColumn
{
public:
    static Result<ColumnPointer> create(const spec::FeatureColumn& spec, ColumnBuilder& builder);

    FlagColumn(ColumnInfo info, ColumnPointer numbers, float threshold)
        : FeatureColumn(std::move(info)), m_numbers(std::move(numbers)), m_threshold(threshold)
    {}

    void addUses(std::vector<RawUse>& uses) const override { m_numbers->addUses(uses); }
    Result<void> encodeDense(const RawRows& rows, DenseBlock& out) const override;
    Result<storage::EmittedValue> emit(FeatureGraph& graph) const override;

private:
    ColumnPointer m_numbers;
    float m_threshold;
};

} // namespace cannery::features
