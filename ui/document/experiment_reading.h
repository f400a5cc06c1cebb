// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/field_node.h"
#include "ui/document/network_outline.h"
#include "ui/document/problem_row.h"

#include <QByteArray>
#include <QList>

#include <memory>

namespace cannery::ui {

/// A parsed text, as far as it could be parsed. Immutable; made on a worker thread.
struct ExperimentReading
{
    QByteArray bytes;
    FieldNode root;
    QList<ProblemRow> problems; ///< those found without the data
    QString name;               ///< the experiment's name; may be empty
    NetworkOutline network;
};

using ExperimentReadingPtr = std::shared_ptr<const ExperimentReading>;

/// `file` is only named in the problems, not read.
ExperimentReadingPtr readExperiment(const QByteArray& bytes, const QString& file);

/// The same experiment under another name; the text unchanged if that cannot be written.
QByteArray renamedExperiment(const QByteArray& text, const QString& name);

/// The same experiment, made for one table, with that table at another path, relative to its
/// folder: what it trains on and, if its folder has splits, evaluates on. The text unchanged if
/// that cannot be written.
QByteArray withTable(const QByteArray& text, const QString& path);

/// "data", "features" or "model": the page where a field can be fixed.
QString pageOfField(const QString& path);

} // namespace cannery::ui
