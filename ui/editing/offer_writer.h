// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/editing/feature_offers.h"

namespace cannery::ui {

/// A column of this kind, made of what is selected, or why it cannot be made. Label and help are
/// left to the caller.
FeatureOffer offerOf(const OfferSource& source, const QString& kind);

} // namespace cannery::ui
