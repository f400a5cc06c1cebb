// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/editing/feature_edits.h"
#include "ui/editing/feature_facts.h"
#include "ui/editing/offer_source.h"

#include <QCoreApplication>
#include <QList>
#include <QString>
#include <QStringList>

#include <optional>

namespace cannery::ui {

/// One kind of feature column, as the menu offers it.
struct FeatureOffer
{
    Q_DECLARE_TR_FUNCTIONS(FeatureOffer)

public:
    QString kind; ///< "bucketized_column"
    QString label;
    QString help;
    QString hindrance; ///< why it cannot be made of what is selected, a sentence; empty if it can
    QList<NewColumn> columns;
};

/// All kinds of the schema, in its order; those that do not fit say why.
QList<FeatureOffer> featureOffers(const OfferSource& source);

/// What suits a column of the table: a normalized number; a vocabulary of few texts, with an
/// indicator for the network; many texts hashed, with an embedding for the network. Only what the
/// sides of the estimator can use.
QList<NewColumn> sensibleColumns(const OfferSource& source);
/// The same for one side alone.
QList<NewColumn> sensibleColumns(const OfferSource& source, FeatureSide side);

/// A cross of these, hashed into as many buckets as keep sharing rare; each is a column of the
/// table ("feature") or, if there is one of that name that gives ids, a feature column.
std::optional<NewColumn> crossOf(const OfferSource& source, const QStringList& inputs);
/// Wrappers that make a column of categories dense, for a network: an indicator, an embedding.
QList<FeatureOffer> denseOffers(const OfferSource& source);

} // namespace cannery::ui
