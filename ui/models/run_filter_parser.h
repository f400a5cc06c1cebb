// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/run_filter_terms.h"

#include <optional>

namespace cannery::ui {

/// What the text of a filter means (the grammar stands at RunFilter); null, with `error` set, when
/// it could not be understood.
FilterTerm parseFilter(const QString& text, std::optional<FilterError>& error);

} // namespace cannery::ui
