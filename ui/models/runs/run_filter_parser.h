// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_filter_terms.h"

#include <optional>

namespace cannery::ui {

/// The parsed text of a filter (for the grammar see RunFilter); null, with `error` set, if it could
/// not be parsed.
FilterTerm parseFilter(const QString& text, std::optional<FilterError>& error);

} // namespace cannery::ui
