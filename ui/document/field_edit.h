// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/text_change.h"

#include <QList>
#include <QString>

#include <optional>

namespace cannery::ui {

/// One change of an experiment's text at a path. Values are in text format (`[64, 32]`, `0.1`,
/// `adam { }`); a value of a string field may be bare.
struct FieldEdit
{
    enum class Kind
    {
        /// A field, an element, or (index == count) a new last element. An element that the path
        /// names ("data.column[age].dtype") is added if it is not there.
        Set,
        Insert, ///< an element before the one at the path
        Remove,
        Move,   ///< an element to another index of its list
        Rename, ///< a field, or a list with all its elements, to the field name `value`
    };

    Kind kind = Kind::Set;
    QString path;
    QString value;
    int target = 0; ///< of Move: the index after the move

    static FieldEdit set(const QString& path, const QString& value);
    static FieldEdit insert(const QString& path, const QString& value);
    static FieldEdit remove(const QString& path);
    static FieldEdit rename(const QString& path, const QString& fieldName);
    static FieldEdit move(const QString& path, int target);
};

/// The change that all edits make, one after the other; every other byte stays. Empty, with a
/// sentence in `error`, if one of them cannot be written.
std::optional<TextChange> editChange(const QByteArray& text, const QList<FieldEdit>& edits,
                                     QString& error);

/// A text as the value of a string field, in quotes.
QString quoted(const QString& text);
/// Texts as the value of a list of strings: `["a", "b"]`.
QString quotedList(const QStringList& texts);

/// The value at a path as it is written in the text, with quotes or braces; empty if the path is
/// not set there.
QString writtenAt(const QByteArray& text, const QString& path);

/// "train_spec.input": a field of the message at a path; "" is the experiment.
QString childPath(const QString& path, const QString& name);
/// "feature_column[age]": the element of a list by its name, quoted where that is needed.
QString elementPath(const QString& list, const QString& name);
QString elementPath(const QString& list, qsizetype index);

} // namespace cannery::ui
