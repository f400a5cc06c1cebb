// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>
#include <QStringList>

#include <optional>

namespace cannery::ui {

// Numbers as people type them, in the default locale, and as files have them ("0.07", "12000").

/// The one number that was typed, as a file has it; empty if it is not exactly one. The locale's
/// decimal and group marks and digits count first ("10.000" is 10000 in German), then a decimal
/// point; spaces and apostrophes may group digits everywhere. Leading zeros are dropped.
std::optional<QString> plainNumber(const QString& typed);
/// The same as a value.
std::optional<double> numberTyped(const QString& typed);
/// A number of a file as it would be typed: with the locale's decimal mark, without group marks.
/// Another text stays as it is.
QString asTyped(const QString& plain);

/// The pieces of a list, each of them to be read as a number. They are separated by semicolons,
/// blanks or commas; a comma before a digit is a decimal mark where the locale says so, unless the
/// numbers are whole.
QStringList typedPieces(const QString& typed, bool areWhole);
/// What is put between the numbers of a list: ", ", or "; " where a comma could be misread.
QString pieceSeparator(bool areWhole);

/// Why a text is refused, a sentence.
QString notANumber(const QString& typed, bool isWhole);

} // namespace cannery::ui
