// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/field_schema.h"
#include "ui/models/column_facts.h"

#include <QString>
#include <QStringList>

namespace cannery::ui {

/// What can be made of the columns of a table and of the feature columns that there are.
struct OfferSource
{
    const FieldNode* root = nullptr;
    const DataFacts* data = nullptr;
    QString rawColumn;      ///< the selected column of the table; may be empty
    QString featureColumn;  ///< the selected feature column; may be empty
    bool isRawLast = false; ///< the column of the table was chosen after the feature column
};

/// The feature column of that name, or null.
const FieldNode* columnNamed(const FieldNode& root, const QString& name);
/// The kind of a feature column that is set.
const FieldNode& kindNode(const FieldNode& column);

/// Whether a feature column gives ids, dense numbers, or numbers that can be cut; from the schema.
bool givesIds(const FieldNode& column);
bool givesDense(const FieldNode& column);
bool givesNumbers(const FieldNode& column);

/// Assumed where the number of values is not known.
inline constexpr qint64 kUnknownCount = 1000;

/// How many different values a raw column, or ids a feature column has; -1: unknown.
qint64 valueCount(const OfferSource& source, const QString& name);

/// What can be crossed: categories of the table, and feature columns that give ids but no hashed
/// ones.
QStringList crossable(const OfferSource& source);
/// "feature: \"sex\"" or "column: \"age_buckets\"".
QString crossInput(const OfferSource& source, const QString& name);

} // namespace cannery::ui
