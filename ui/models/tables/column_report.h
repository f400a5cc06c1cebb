// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/tables/column_facts.h"

namespace cannery::reports {
class Preview;
} // namespace cannery::reports

namespace cannery::ui {

/// The facts in the message of a preview, or in one that has only some of its parts.
DataFacts dataFactsOf(const reports::Preview& preview);

} // namespace cannery::ui
