// SPDX-License-Identifier: Apache-2.0
#include "core/features/feature_column.h"

#include "core/base/check.h"

namespace cannery::features {

void FeatureColumn::addEdges(std::vector<RawEdges>& /*edges*/) const {}

Result<void> FeatureColumn::encodeDense(const RawRows&, DenseBlock&) const
{
    CANNERY_CHECK(m_info.kind == SlotKind::Dense && "a dense column encodes itself");
    return {};
}

Result<void> FeatureColumn::encodeSteps(const RawRows&, SequenceBlock&) const
{
    CANNERY_CHECK(m_info.kind == SlotKind::Sequence && "a numeric sequence encodes itself");
    return {};
}

Result<void> FeatureColumn::encodeIds(const RawRows&, EncodeScratch&, IdRows&) const
{
    CANNERY_CHECK(m_info.kind == SlotKind::Ids && "a categorical column encodes itself");
    return {};
}

Result<void> FeatureColumn::encodeIds(const RawRows& rows, IdRows& out) const
{
    EncodeScratch scratch;
    return encodeIds(rows, scratch, out);
}

std::string FeatureColumn::idText(std::int64_t /*id*/) const
{
    return {};
}

Result<void> FeatureColumn::encodeSlot(const RawRows&, EncodeScratch&, IdBlock&) const
{
    CANNERY_CHECK(!idsAreBelowWidth() && "a column of bounded ids encodes its slot");
    return {};
}

} // namespace cannery::features
