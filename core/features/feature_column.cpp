#include "core/features/feature_column.h"

#include "core/base/check.h"

namespace cannery::features {

Result<void> FeatureColumn::encodeDense(const RawRows&, DenseBlock&) const
{
    CANNERY_CHECK(m_info.kind == SlotKind::Dense && "a dense column encodes itself");
    return {};
}

Result<void> FeatureColumn::encodeIds(const RawRows&, IdRows&) const
{
    CANNERY_CHECK(m_info.kind == SlotKind::Ids && "a categorical column encodes itself");
    return {};
}

} // namespace cannery::features
