// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/key_value_list.h"

#include "ui/widgets/label.h"
#include "ui/widgets/style/theme.h"

#include <QGridLayout>

namespace cannery::ui {

KeyValueList::KeyValueList(QWidget* parent) : QWidget(parent)
{
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(scaled(12));
    grid->setVerticalSpacing(scaled(8));
    grid->setColumnStretch(1, 1);
}

void KeyValueList::setRows(const QList<Row>& rows)
{
    if (rows == m_rows) {
        return;
    }
    m_rows = rows;
    auto* grid = static_cast<QGridLayout*>(layout());
    while (QLayoutItem* item = grid->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (int i = 0; i < rows.size(); ++i) {
        auto* key = new Label(rows[i].key, TextRole::Label, Ink::Secondary, this);
        auto* value = new Label(rows[i].value, TextRole::Body, Ink::Text, this);
        value->setTextFormat(Qt::PlainText);
        value->setTextInteractionFlags(Qt::TextSelectableByMouse);
        value->setWordWrap(true);
        value->setToolTip(rows[i].tip);
        value->setAccessibleName(rows[i].key + ' ' + rows[i].value);
        grid->addWidget(key, i, 0, Qt::AlignTop);
        grid->addWidget(value, i, 1, Qt::AlignTop);
    }
}

} // namespace cannery::ui
