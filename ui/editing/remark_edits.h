// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/field_edit.h"
#include "ui/models/tables/column_facts.h"
#include "ui/models/tables/table_remark.h"

#include <QByteArray>
#include <QList>
#include <QStringList>

namespace cannery::ui {

struct FieldNode;

/// The feature columns that read one of these features of the table, by name.
QStringList columnsReading(const FieldNode& root, const QStringList& features);

/// What an action does to an experiment's text, for one undo step; empty if there is nothing to do.
/// `data`: what is known of the table.
QList<FieldEdit> remarkEdits(const QByteArray& text, const TableRemark& remark,
                             const RemarkAction& action, const DataFacts& data);

} // namespace cannery::ui
