// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>

namespace cannery::ui {

/// Whether a text from the clipboard is a table: at least two lines of as many values, two or more,
/// separated as spreadsheets (by tabs) and CSV files do.
bool isTableText(const QString& text);

struct PastedTable
{
    QString file;    ///< absolute
    QString problem; ///< a sentence if there is none
};

/// Writes the text into the folder as "pasted.csv", or "pasted.tsv" if tabs separate its values; no
/// file is replaced: "pasted-2.csv". Blocks.
PastedTable writePastedTable(const QString& text, const QString& folder);

} // namespace cannery::ui
