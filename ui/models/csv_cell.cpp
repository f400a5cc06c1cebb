// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/csv_cell.h"

namespace cannery::ui {

QString csvCell(const QString& text)
{
    if (!text.contains(',') && !text.contains('"') && !text.contains('\n') &&
        !text.contains('\r')) {
        return text;
    }
    QString quoted = text;
    return '"' + quoted.replace('"', QStringLiteral("\"\"")) + '"';
}

} // namespace cannery::ui
