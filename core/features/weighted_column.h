// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/column_builder.h"

#include <string>

namespace cannery::spec {
class FeatureColumn;
} // namespace cannery::spec

namespace cannery::features {

/// weighted_categorical_column: the ids of a categorical column, each with the weight at the same
/// position in another feature.
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
    void addEdges(std::vector<RawEdges>& edges) const override;
    /// Errors: "features.weight_count" if a row has a different number of weights than of
    /// categories, "features.weight_type" for text, "features.weight_dtype" for fractions if the
    /// column wants integers.
    Result<void> encodeIds(const RawRows& rows, EncodeScratch& scratch, IdRows& out) const override;
    std::string idText(std::int64_t id) const override { return m_ids->idText(id); }
    Result<storage::EmittedValue> emit(FeatureGraph& graph) const override;

private:
    ColumnPointer m_ids;
    std::string m_weightFeature;
    DType m_weightType; ///< as the column wants them; encoded as floats
};

} // namespace cannery::features
