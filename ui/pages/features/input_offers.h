// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/editing/offer_source.h"
#include "ui/editors/name_chips.h"

#include <QList>
#include <QString>

namespace cannery::ui {

/// What can be added to the inputs of a cross, first what can; the others say why not.
QList<NameOffer> crossInputOffers(const OfferSource& source, const QString& cross);

/// The same for the columns that share a table of vectors: they must be of one kind and have as
/// many ids.
QList<NameOffer> memberOffers(const OfferSource& source, const QString& group);

} // namespace cannery::ui
