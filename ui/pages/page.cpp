// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/page.h"

#include "ui/actions/action_registry.h"

namespace cannery::ui {

Page::Page(const QString& id, const PageContext& context, QWidget* parent)
    : QWidget(parent), m_id(id), m_context(context)
{
    setObjectName("page." + id);
}

QAction* Page::action(const QString& actionId) const
{
    return m_context.actions->find(actionId);
}

void Page::setMark(const RailMark& mark)
{
    if (mark == m_mark) {
        return;
    }
    m_mark = mark;
    Q_EMIT markChanged();
}

} // namespace cannery::ui
