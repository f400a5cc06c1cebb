// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>

namespace cannery::ui {

/// A text as a CSV cell, quoted if it contains a comma, a quote or a line break.
QString csvCell(const QString& text);

} // namespace cannery::ui
