// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/feature_column.h"
#include "core/features/normalizer.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cannery::spec {
class FeatureColumn;
} // namespace cannery::spec

namespace cannery::features {

class ColumnBuilder;

/// numeric_column: the value as float32, then normalizer_fn. A missing value becomes the default,
/// which is then normalized like any other value. Row-major elements of any shape.
class NumericColumn : public FeatureColumn
{
public:
    static Result<std::shared_ptr<const FeatureColumn>> create(const spec::FeatureColumn& spec,
                                                               ColumnBuilder& builder);
    /// A numeric column of shape [1] without a default: the meaning of a weight_column given as a
    /// feature.
    static std::shared_ptr<const FeatureColumn> ofFeature(const std::string& feature);

    /// `ids`: numbers have to be ids below it, see spec::tokenIdsOf().
    NumericColumn(ColumnInfo info, RawUse use, Normalizer normalizer,
                  std::optional<std::int64_t> ids = std::nullopt)
        : FeatureColumn(std::move(info)), m_use(std::move(use)), m_normalizer(normalizer),
          m_ids(ids)
    {}

    void addUses(std::vector<RawUse>& uses) const override { uses.push_back(m_use); }
    /// Errors: "features.missing_number", "features.number_type", "features.number_shape",
    /// "features.token_id".
    Result<void> encodeDense(const RawRows& rows, DenseBlock& out) const override;
    Result<storage::EmittedValue> emit(FeatureGraph& graph) const override;
    /// The numbers before they are normalized.
    Result<storage::NodeRef> emitRaw(FeatureGraph& graph) const;

    const Shape& shape() const { return m_use.shape; }
    const std::string& feature() const { return m_use.feature; }
    const Normalizer& normalizer() const { return m_normalizer; }

private:
    Result<void> check(const data::FeatureValues& values) const;
    Result<void> fillMissing(const RawRows& rows, const data::FeatureValues& values,
                             DenseBlock& out) const;
    Result<void> checkIds(const RawRows& rows, const DenseBlock& block) const;

    RawUse m_use;
    Normalizer m_normalizer;
    std::optional<std::int64_t> m_ids;
};

} // namespace cannery::features
