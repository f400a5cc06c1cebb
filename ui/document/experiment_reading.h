// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/field_node.h"
#include "ui/document/problem_row.h"

#include <QByteArray>
#include <QList>

#include <memory>
#include <optional>

namespace cannery::ui {

/// What a text means, as far as it could be understood. Immutable; made on a worker thread.
struct ExperimentReading
{
    QByteArray bytes;
    FieldNode root;
    QList<ProblemRow> problems; ///< those that need no data
    QString name;               ///< what it calls itself; may be empty
};

using ExperimentReadingPtr = std::shared_ptr<const ExperimentReading>;

/// @param file for the problems; it is not read.
ExperimentReadingPtr readExperiment(const QByteArray& bytes, const QString& file);

/// Bytes [begin, end) of a text become `replacement`.
struct TextChange
{
    qsizetype begin = 0;
    qsizetype end = 0;
    QByteArray replacement;

    QByteArray applied(const QByteArray& text) const;
    /// The change that gives the same bytes back.
    TextChange inverse(const QByteArray& text) const;
};

/// The change that writes a value at a path, or takes the field away when the value is empty; a
/// string need not be quoted. Nothing, and a sentence in `error`, when it cannot be written there.
std::optional<TextChange> fieldChange(const QByteArray& text, const QString& path,
                                      const QString& value, QString& error);

/// The same experiment under another name; the text unchanged when that cannot be written.
QByteArray renamedExperiment(const QByteArray& text, const QString& name);

/// "data", "features" or "model": where a field is mended.
QString pageOfField(const QString& path);

} // namespace cannery::ui
