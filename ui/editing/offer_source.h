// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/field_schema.h"
#include "ui/models/tables/column_facts.h"

#include <QHash>
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
    /// Numbers of ids that the engine has found, by feature column; may be null.
    const QHash<QString, qint64>* widths = nullptr;
};

/// The feature column of that name, or null.
const FieldNode* columnNamed(const FieldNode& root, const QString& name);
/// The kind of a feature column that is set.
const FieldNode& kindNode(const FieldNode& column);

/// Whether a feature column gives ids, dense numbers, or numbers that can be cut; from the schema.
bool givesIds(const FieldNode& column);
bool givesDense(const FieldNode& column);
bool givesNumbers(const FieldNode& column);
/// Whether it has a value for each step of a sequence, its own or of the column that it makes
/// dense.
bool hasSteps(const FieldNode& root, const FieldNode& column);

/// "port.txt": what a file of a raw feature is called; `what`: "port_words.txt".
QString vocabularyFileName(const QString& feature, const QString& what = {});

/// Assumed where the number of values is not known.
inline constexpr qint64 kUnknownCount = 1000;

/// What combines or groups other columns: the inputs of a cross, or the columns that share a table;
/// null if it is of another kind.
const FieldNode* inputList(const FieldNode& column);
/// The names in such a list, in its order.
QStringList inputNames(const FieldNode& list);

/// How many different values a raw column, or ids a feature column has; -1: unknown.
qint64 valueCount(const OfferSource& source, const QString& name);

/// What can be crossed: categories of the table, and feature columns that give ids but no hashed
/// ones.
QStringList crossable(const OfferSource& source);
/// The same; first what was selected last, or what is made of that, then what else is selected.
QStringList crossableInOrder(const OfferSource& source);
/// Why what was selected last cannot be crossed, a sentence; empty if it can.
QString crossHindrance(const OfferSource& source);
/// "feature: \"sex\"" or "column: \"age_buckets\"".
QString crossInput(const OfferSource& source, const QString& name);

} // namespace cannery::ui
