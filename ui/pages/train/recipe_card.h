// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/widgets/card.h"

#include <QList>

namespace cannery::ui {

class FlowLayout;

/// Four facts side by side, each with an icon: table, columns, model, device.
class RecipeCard : public Card
{
    Q_OBJECT

public:
    struct Item
    {
        QString icon;
        QString title;
        QString detail;

        bool operator==(const Item&) const = default;
    };

    explicit RecipeCard(QWidget* parent = nullptr);

    void setItems(const QList<Item>& items);

private:
    FlowLayout* m_flow;
    QList<Item> m_items;
};

} // namespace cannery::ui
