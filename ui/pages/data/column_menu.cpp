// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/data/column_menu.h"

#include "ui/document/experiment_document.h"
#include "ui/document/field_schema.h"
#include "ui/editing/column_uses.h"
#include "ui/pages/page_parts.h"
#include "ui/services/projects/project_session.h"
#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/theme.h"

#include <QCoreApplication>
#include <QMenu>
#include <QRegularExpression>

#include <utility>

namespace cannery::ui {
namespace {

QString columnMenuText(const char* text)
{
    return QCoreApplication::translate("ColumnMenu", text);
}

QAction* addChoice(QMenu& menu, const QString& name, const QString& text, bool isChecked,
                   std::function<void()> chosen)
{
    QAction* action = menu.addAction(text, &menu, std::move(chosen));
    action->setObjectName(name);
    action->setCheckable(true);
    action->setChecked(isChecked);
    return action;
}

void addSorting(QMenu& menu, const ColumnFacts& column, const TableQuery& query,
                const ColumnMenuActions& actions)
{
    const bool isSorted = query.sort == column.name;
    const auto sortBy = [sort = actions.sort, query](const QString& by, bool descending) {
        return [sort, changed = TableQuery{query.filter, by, descending}] { sort(changed); };
    };
    addChoice(menu, "menu.sort_ascending",
              column.isNumber() ? columnMenuText("Sort Smallest First")
                                : columnMenuText("Sort A to Z"),
              isSorted && !query.descending, sortBy(column.name, false));
    addChoice(menu, "menu.sort_descending",
              column.isNumber() ? columnMenuText("Sort Largest First")
                                : columnMenuText("Sort Z to A"),
              isSorted && query.descending, sortBy(column.name, true));
    addChoice(menu, "menu.file_order", columnMenuText("Order of the File"), query.sort.isEmpty(),
              sortBy({}, false));
}

void addUses(QMenu& menu, ProjectSession& session, const ColumnFacts& column,
             const QStringList& columns)
{
    QMenu* list = menu.addMenu(columnMenuText("Use As"));
    const ColumnUse now = useOf(session.document(), column.name);
    for (const auto& [use, name, title] : columnUses()) {
        addChoice(*list, "menu.use_" + name, title, now == use,
                  [&session, columns, use = use] { useColumns(session.document(), columns, use); });
    }
}

void addTypes(QMenu& menu, ProjectSession& session, const QStringList& columns)
{
    ExperimentDocument& document = session.document();
    const QString list = QStringLiteral("data.column");
    const auto schema = fieldSchema(elementPath(list, 0) + QStringLiteral(".dtype"));
    if (!schema) {
        return;
    }
    const QString now = document.value(elementPath(list, columns.first()) + ".dtype");
    QMenu* types = menu.addMenu(columnMenuText("Type"));
    const auto add = [&](const QString& text, const QString& type) {
        addChoice(*types, "menu.type_" + type, text, now == type,
                  [&session, columns, type] { readColumnsAs(session.document(), columns, type); });
    };
    add(columnMenuText("Inferred"), {});
    for (const QString& choice : schema->choices) {
        add(choice, choice);
    }
}

} // namespace

QString filterName(const QString& column)
{
    // The filter's grammar: what is not a plain word stands between backquotes.
    static const QRegularExpression kPlain(QStringLiteral("^[^\\s(),=!<>~\"'`]+$"));
    static const QStringList kWords{"and", "or", "not", "is", "in", "contains", "missing"};
    if (kPlain.match(column).hasMatch() && !kWords.contains(column.toLower())) {
        return column;
    }
    return '`' + QString(column).replace('`', QLatin1String("``")) + '`';
}

void fillColumnMenu(QMenu& menu, ProjectSession& session, const ColumnFacts& column,
                    const QStringList& columns, const TableQuery& query,
                    const std::optional<DerivedOffer>& offer, const ColumnMenuActions& actions)
{
    addSorting(menu, column, query, actions);
    menu.addSeparator();
    const QString begin = filterName(column.name) +
                          (column.isNumber() ? QStringLiteral(" > ") : QStringLiteral(" = "));
    QAction* filter = menu.addAction(
        icon("filter", tokens().text2),
        // A single & would underline a letter.
        columnMenuText("Filter by %1…").arg(QString(column.name).replace('&', QLatin1String("&&"))),
        &menu, [begin, beginFilter = actions.beginFilter, query] {
            // In brackets, because "or" in the present filter binds less than this "and".
            beginFilter(query.filter.isEmpty()
                            ? begin
                            : QStringLiteral("(%1) and %2").arg(query.filter, begin));
        });
    filter->setObjectName("menu.filter_column");
    if (actions.showRemarks) {
        menu.addAction(icon("alert-triangle", tokens().text2), columnMenuText("Show Remarks"),
                       &menu, actions.showRemarks)
            ->setObjectName("menu.remarks");
    }
    if (!session.project().isReadOnly() && session.document().isOpen()) {
        menu.addSeparator();
        addUses(menu, session, column, columns);
        addTypes(menu, session, columns);
        if (offer) {
            menu.setToolTipsVisible(true);
            QAction* derive = menu.addAction(offer->label, &menu, actions.derive);
            derive->setObjectName("menu.derive");
            setHindrance(derive, offer->hindrance, offer->tip);
        }
    }
}

} // namespace cannery::ui
