// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/field_node.h"
#include "ui/document/problem_row.h"

#include <QByteArray>
#include <QList>

#include <memory>
#include <optional>

namespace cannery::ui {

/// A parsed text, as far as it could be parsed. Immutable; made on a worker thread.
struct ExperimentReading
{
    QByteArray bytes;
    FieldNode root;
    QList<ProblemRow> problems; ///< those found without the data
    QString name;               ///< the experiment's name; may be empty
};

using ExperimentReadingPtr = std::shared_ptr<const ExperimentReading>;

/// `file` is only named in the problems, not read.
ExperimentReadingPtr readExperiment(const QByteArray& bytes, const QString& file);

/// Bytes [begin, end) of a text become `replacement`.
struct TextChange
{
    qsizetype begin = 0;
    qsizetype end = 0;
    QByteArray replacement;

    QByteArray applied(const QByteArray& text) const;
    /// The change that restores the old bytes.
    TextChange inverse(const QByteArray& text) const;
};

/// The change that writes a value at a path, or removes the field if the value is empty; a string
/// need not be quoted. Empty, with a sentence in `error`, if it cannot be written there.
std::optional<TextChange> fieldChange(const QByteArray& text, const QString& path,
                                      const QString& value, QString& error);

/// The same experiment under another name; the text unchanged if that cannot be written.
QByteArray renamedExperiment(const QByteArray& text, const QString& name);

/// "data", "features" or "model": the page where a field can be fixed.
QString pageOfField(const QString& path);

} // namespace cannery::ui
