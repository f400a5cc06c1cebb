// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/column_builder.h"

#include <memory>
#include <vector>

namespace cannery::spec {
class FeatureColumn;
} // namespace cannery::spec

namespace cannery::features {

class NumericColumn;

/// bucketized_column: the number of boundaries <= x, compared as float32 (NaN: all of them, the
/// last bucket). Element i of a source of shape [n] gives id bucket + i * (boundaries + 1).
class BucketizedColumn : public FeatureColumn
{
public:
    /// Errors: "features.bucketized_source", "features.bucketized_boundaries".
    static Result<ColumnPointer> create(const spec::FeatureColumn& spec, ColumnBuilder& builder);

    BucketizedColumn(ColumnInfo info, std::shared_ptr<const NumericColumn> source,
                     std::vector<float> boundaries)
        : FeatureColumn(std::move(info)), m_source(std::move(source)),
          m_boundaries(std::move(boundaries))
    {}

    void addUses(std::vector<RawUse>& uses) const override;
    void addEdges(std::vector<RawEdges>& edges) const override;
    Result<void> encodeIds(const RawRows& rows, EncodeScratch& scratch, IdRows& out) const override;
    bool idsAreBelowWidth() const override { return true; }
    Result<void> encodeSlot(const RawRows& rows, EncodeScratch& scratch,
                            IdBlock& out) const override;
    std::string idText(std::int64_t id) const override;
    /// From the raw numbers: see RawOrder.
    Result<storage::EmittedValue> emit(FeatureGraph& graph) const override;

private:
    template <typename Ids>
    Result<void> encode(const RawRows& rows, EncodeScratch& scratch, Ids& out) const;
    std::int64_t bucketCount() const { return static_cast<std::int64_t>(m_boundaries.size()) + 1; }

    std::shared_ptr<const NumericColumn> m_source;
    std::vector<float> m_boundaries;
};

} // namespace cannery::features
