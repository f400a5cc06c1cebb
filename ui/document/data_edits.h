// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/field_edit.h"

#include <QStringList>

namespace cannery::ui {

class ExperimentDocument;

/// What a column of the table is for.
enum class ColumnUse
{
    Feature, ///< what feature columns may read
    Label,
    Weight,
    Key, ///< identifies a row
};

/// The columns that the experiment names as its label, weight or key; none as features, which
/// feature columns name.
QStringList columnsOf(const ExperimentDocument& document, ColumnUse use);

/// What the experiment uses a column as; a feature, if as nothing else.
ColumnUse useOf(const ExperimentDocument& document, const QString& column);

/// Gives columns another use; several labels stand side by side. Only the first column becomes the
/// weight. The former label or weight becomes a feature. A label, a weight or a key loses its
/// default value.
QList<FieldEdit> useEdits(const ExperimentDocument& document, const QStringList& columns,
                          ColumnUse use);

/// Whether the estimator takes a weight for each row.
bool takesWeight(const ExperimentDocument& document);

/// Reads columns as a type; an empty one is inferred.
QList<FieldEdit> typeEdits(const ExperimentDocument& document, const QStringList& columns,
                           const QString& type);

} // namespace cannery::ui
