// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/column_builder.h"

#include <string>

namespace cannery::spec {
class FeatureColumn;
} // namespace cannery::spec

namespace cannery::features {

/// weighted_categorical_column: the ids of a categorical column, each with the number that stands
/// at its place in another feature.
class WeightedColumn : public FeatureColumn
{
public:
    /// Error: "features.not_categorical".
    static Result<ColumnPointer> create(const spec::FeatureColumn& spec, ColumnBuilder& builder);

    WeightedColumn(ColumnInfo info, ColumnPointer ids, std::string weightFeature, DType weightType)
        : FeatureColumn(std::move(info)), m_ids(std::move(ids)),
          m_weightFeature(std::move(weightFeature)), m_weightType(weightType)
    {}

    void addUses(std::vector<RawUse>& uses) const override;
    /// Errors: "features.weight_count" where a row has other numbers of weights than of
    /// categories, "features.weight_type" of text, "features.weight_dtype" of fractions where the
    /// column asks for whole numbers.
    Result<void> encodeIds(const RawRows& rows, EncodeScratch& scratch, IdRows& out) const override;
    Result<storage::EmittedValue> emit(FeatureGraph& graph) const override;

private:
    ColumnPointer m_ids;
    std::string m_weightFeature;
    DType m_weightType; ///< as the column asks for them; encoded as floats
};

} // namespace cannery::features
