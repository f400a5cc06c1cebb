// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/column_builder.h"
#include "core/features/normalizer.h"

namespace cannery::spec {
class FeatureColumn;
} // namespace cannery::spec

namespace cannery::features {

/// sequence_numeric_column: the numbers of a list as float32, normalized, then cut into steps of as
/// many as the shape has. Numbers that the last step lacks are the default, which is not
/// normalized, as in TensorFlow; so is a missing number of a row of fixed length. A row may have no
/// steps.
class SequenceNumericColumn : public FeatureColumn
{
public:
    /// Error: "features.sequence_default_type".
    static Result<ColumnPointer> create(const spec::FeatureColumn& spec, ColumnBuilder& builder);

    SequenceNumericColumn(ColumnInfo info, RawUse use, float padding, Normalizer normalizer)
        : FeatureColumn(std::move(info)), m_use(std::move(use)), m_padding(padding),
          m_normalizer(normalizer)
    {}

    void addUses(std::vector<RawUse>& uses) const override { uses.push_back(m_use); }
    /// Errors: "features.sequence_type", "features.no_list".
    Result<void> encodeSteps(const RawRows& rows, SequenceBlock& out) const override;
    Result<storage::EmittedValue> emit(FeatureGraph& graph) const override;

private:
    RawUse m_use;
    float m_padding;
    Normalizer m_normalizer;
};

} // namespace cannery::features
