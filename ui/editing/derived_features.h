// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/field_edit.h"
#include "ui/models/tables/column_facts.h"

#include <QCoreApplication>
#include <QList>
#include <QString>
#include <QStringList>

#include <optional>

namespace cannery::ui {

class ExperimentDocument;

/// A feature that can be made of the selected columns: several numbers side by side, or the pieces
/// of a text.
struct DerivedOffer
{
    Q_DECLARE_TR_FUNCTIONS(DerivedOffer)

public:
    QStringList columns;
    QString separator; ///< of Split; empty if the columns are stacked
    QString feature;   ///< what it is called
    QString label;     ///< "Split at “|”"
    QString tip;       ///< a sentence: what it makes
    QString hindrance; ///< why it cannot be made, a sentence; empty if it can

    bool isStack() const { return columns.size() > 1; }
};

/// What can be made of these columns; empty if nothing can, as of a number alone. `cells`: those of
/// the only column that were seen, from which the separator is guessed.
std::optional<DerivedOffer> derivedOffer(const ExperimentDocument& document,
                                         const QStringList& columns, const DataFacts& data,
                                         const QStringList& cells);

/// Makes it, and the feature column that takes it to the model instead of those that took its
/// columns, for one undo step.
QList<FieldEdit> deriveEdits(const QByteArray& text, const DerivedOffer& offer,
                             const DataFacts& data, const QStringList& cells);

/// The text between the values of a cell, in most of those that have several; empty if there is
/// none. Commas and slashes of prose, dates and fractions are none.
QString separatorIn(const QStringList& cells);

} // namespace cannery::ui
