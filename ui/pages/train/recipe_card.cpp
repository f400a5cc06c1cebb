// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/train/recipe_card.h"

#include "ui/pages/page_parts.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/label.h"
#include "ui/widgets/style/theme.h"

#include <QHBoxLayout>

namespace cannery::ui {

RecipeCard::RecipeCard(QWidget* parent) : Card(parent), m_flow(new FlowLayout(nullptr, 28))
{
    setObjectName("card.recipe");
    setAccessibleName(tr("What will be trained"));
    body()->addLayout(m_flow);
}

void RecipeCard::setItems(const QList<Item>& items)
{
    if (items == m_items) {
        return;
    }
    m_items = items;
    clearLayout(m_flow);
    for (const Item& item : items) {
        auto* part = new QWidget(this);
        part->setAccessibleName(item.title + ", " + item.detail);
        auto* line = new QHBoxLayout(part);
        line->setContentsMargins(0, 0, 0, 0);
        line->setSpacing(scaled(12));
        line->addWidget(makeIcon(item.icon, Ink::Secondary, 20));
        auto* words = new QVBoxLayout;
        words->setSpacing(scaled(1));
        words->addWidget(new Label(item.title, TextRole::Strong));
        words->addWidget(new Label(item.detail, TextRole::Label, Ink::Secondary));
        line->addLayout(words);
        m_flow->addWidget(part);
    }
    updateGeometry();
}

} // namespace cannery::ui
