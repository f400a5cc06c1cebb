// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>
#include <QStringList>

namespace cannery::ui {

struct FieldNode;
struct FieldSchema;

// What a person types into a field, and the value that is written for it.

/// The value in text format; empty if the field is to be removed. Numbers may have group separators
/// and, for integers, an exponent ("2e4"); elements of a list are separated by commas or blanks,
/// texts by commas, in double quotes where they contain one.
QString typedValue(const FieldSchema& schema, const QString& typed);

/// A field's present value as it would be typed.
QString shownText(const FieldSchema& schema, const FieldNode& node);

/// The elements of a typed list of texts.
QStringList typedTexts(const QString& typed);

/// The number `steps` steps away, as it would be typed: integers by one, others by one in the first
/// digit ("0.05", "0.06"; "0.1", "0.09"); kept within the bounds. The same text if it is not a
/// number.
QString steppedNumber(const FieldSchema& schema, const QString& typed, int steps);

} // namespace cannery::ui
