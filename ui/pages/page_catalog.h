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
    /// The text of its entry in the File menu, translatable; null if it is in the rail.
    const char* menuText = nullptr;
};

/// Home to Export, in the order of the rail and of Ctrl+1 … Ctrl+7, then those without a place in
/// it.
std::span<const PageRow> pageCatalog();
/// Adds the action that shows each page: "action.page_train".
void addPageActions(ActionRegistry& actions);

} // namespace cannery::ui
