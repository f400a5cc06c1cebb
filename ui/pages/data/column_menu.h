// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/editing/derived_features.h"
#include "ui/models/tables/column_facts.h"
#include "ui/models/tables/table_page.h"

#include <functional>
#include <optional>

class QMenu;

namespace cannery::ui {

class ProjectSession;

/// What a column's menu begins and does not do itself.
struct ColumnMenuActions
{
    std::function<void(const TableQuery& query)> sort;
    std::function<void(const QString& text)> beginFilter;
    std::function<void()> showRemarks; ///< none, if there are none
    std::function<void()> derive;
};

/// Fills the menu of a column: sort by it, filter by it, and (for all of `columns`, as one step of
/// the document) use, type and what can be made of them. `query` is the present one.
void fillColumnMenu(QMenu& menu, ProjectSession& session, const ColumnFacts& column,
                    const QStringList& columns, const TableQuery& query,
                    const std::optional<DerivedOffer>& offer, const ColumnMenuActions& actions);

/// A column's name as a filter writes it: `home town` in quotation marks if need be.
QString filterName(const QString& column);

} // namespace cannery::ui
