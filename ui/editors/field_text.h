// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>
#include <QStringList>

namespace cannery::ui {

struct FieldNode;
struct FieldSchema;

// What a person types into a field, and the value that is written for it.

/// What was typed, in text format, or why it cannot be a value of the field.
struct TypedValue
{
    QString text;    ///< empty if the field is to be removed
    QString problem; ///< a sentence; empty if there is none

    bool operator==(const TypedValue&) const = default;
};

/// Numbers as the locale writes them (typed_number.h) and, for integers, with an exponent ("2e4");
/// elements of a list are separated by commas, numbers also by blanks. Texts that contain a comma
/// outside of brackets are in double quotes. `element`: the list holds values of that field, as the
/// values of a sweep do.
TypedValue readTyped(const FieldSchema& schema, const QString& typed,
                     const FieldSchema* element = nullptr);
/// The value alone; empty also for what cannot be one.
QString typedValue(const FieldSchema& schema, const QString& typed);

/// A field's present value as it would be typed.
QString shownText(const FieldSchema& schema, const FieldNode& node,
                  const FieldSchema* element = nullptr);

/// The elements of a typed list of texts.
QStringList typedTexts(const QString& typed);

/// The number `steps` steps away, as it would be typed: integers by one, others by one in the first
/// digit ("0.05", "0.06"; "0.1", "0.09"); kept within the bounds. The same text if it is not a
/// number.
QString steppedNumber(const FieldSchema& schema, const QString& typed, int steps);

} // namespace cannery::ui
