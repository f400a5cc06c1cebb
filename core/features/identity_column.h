// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/column_builder.h"

#include <optional>

namespace cannery::spec {
class FeatureColumn;
} // namespace cannery::spec

namespace cannery::features {

/// categorical_column_with_identity: an integer is its own id. One outside [0, num_buckets)
/// becomes the default; without a default it passes unchanged (a lookup drops negative ones, and
/// FeatureEncoder refuses those too large).
class IdentityColumn : public FeatureColumn
{
public:
    /// Error: "features.identity_default".
    static Result<ColumnPointer> create(const spec::FeatureColumn& spec, ColumnBuilder& builder);
    /// sequence_categorical_column_with_identity. Error: as above.
    static Result<ColumnPointer> createSequence(const spec::FeatureColumn& spec,
                                                ColumnBuilder& builder);

    IdentityColumn(ColumnInfo info, std::string feature, std::optional<std::int64_t> defaultValue)
        : FeatureColumn(std::move(info)), m_feature(std::move(feature)),
          m_defaultValue(defaultValue)
    {}

    void addUses(std::vector<RawUse>& uses) const override;
    Result<void> encodeIds(const RawRows& rows, EncodeScratch& scratch, IdRows& out) const override;
    bool idsAreBelowWidth() const override { return m_defaultValue.has_value(); }
    Result<void> encodeSlot(const RawRows& rows, EncodeScratch& scratch,
                            IdBlock& out) const override;
    std::string idText(std::int64_t id) const override;
    Result<storage::EmittedValue> emit(FeatureGraph& graph) const override;

private:
    template <typename Ids>
    Result<void> encode(const RawRows& rows, Ids& out) const;

    std::string m_feature;
    std::optional<std::int64_t> m_defaultValue;
};

} // namespace cannery::features
