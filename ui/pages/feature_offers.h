// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/bucket_boundaries.h"
#include "ui/models/column_facts.h"
#include "ui/pages/feature_edits.h"

#include <QCoreApplication>
#include <QList>
#include <QString>
#include <QStringList>

#include <optional>

namespace cannery::ui {

struct FieldNode;

/// What can be made of the columns of a table and of the feature columns that there are.
struct OfferSource
{
    const FieldNode* root = nullptr;
    const DataFacts* data = nullptr;
    QString rawColumn;     ///< the selected column of the table; may be empty
    QString featureColumn; ///< the selected feature column; may be empty
};

/// One kind of feature column, as the menu offers it.
struct FeatureOffer
{
    Q_DECLARE_TR_FUNCTIONS(FeatureOffer)

public:
    QString kind; ///< "bucketized_column"
    QString label;
    QString help;
    QString hindrance; ///< why it cannot be made of what is selected, a sentence; empty: it can
    QList<NewColumn> columns;
};

/// All kinds of the schema, in its order; those that do not fit say why.
QList<FeatureOffer> featureOffers(const OfferSource& source);

/// What suits a column of the table: a normalized number; a vocabulary of few texts, with an
/// indicator for the network; many texts hashed, with an embedding for the network. Only what the
/// sides of the estimator can use.
QList<NewColumn> sensibleColumns(const OfferSource& source);

/// A cross of these, hashed into as many buckets as keep sharing rare; each is a column of the
/// table ("feature") or, if there is one of that name that gives ids, a feature column.
std::optional<NewColumn> crossOf(const OfferSource& source, const QStringList& inputs);
/// What can be crossed: categories of the table, and feature columns that give ids but no hashed
/// ones.
QStringList crossable(const OfferSource& source);
/// "feature: \"sex\"" or "column: \"age_buckets\"".
QString crossInput(const OfferSource& source, const QString& name);

/// Wrappers that make a column of categories dense, for a network: an indicator, an embedding.
QList<FeatureOffer> denseOffers(const OfferSource& source);

/// Whether a feature column gives ids, dense numbers, or numbers that can be cut; from the schema.
bool givesIds(const FieldNode& column);
bool givesDense(const FieldNode& column);
bool givesNumbers(const FieldNode& column);

/// How many different values a raw column, or ids a feature column has; -1: unknown.
qint64 valueCount(const OfferSource& source, const QString& name);

/// The numbers of a numeric feature column as its normalizer leaves them; empty if they are not
/// known.
NumberDistribution normalizedNumbers(const OfferSource& source, const QString& numericColumn);

} // namespace cannery::ui
