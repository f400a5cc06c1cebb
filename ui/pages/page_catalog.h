// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/pages/page.h"

#include <QtGlobal>

#include <span>

namespace cannery::ui {

/// One entry of the rail.
struct PageRow
{
    const char* id;    ///< "train"
    const char* label; ///< translatable, context "PageCatalog"
    const char* icon;  ///< symbolic icon
    Page* (*make)(const PageContext& context, QWidget* parent);
};

/// Home to Export, in the order of the rail and of Ctrl+1 … Ctrl+7.
std::span<const PageRow> pageCatalog();

} // namespace cannery::ui
