// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/search_field.h"

#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/theme.h"

#include <QAction>
#include <QKeyEvent>

namespace cannery::ui {

SearchField::SearchField(const QString& placeholder, QWidget* parent) : QLineEdit(parent)
{
    setPlaceholderText(placeholder);
    setAccessibleName(placeholder);
    setClearButtonEnabled(true);
    auto* glass = addAction(icon("search", tokens().text2), LeadingPosition);
    glass->setEnabled(true);
    connect(&themeWatch(), &ThemeWatch::changed, this,
            [glass] { glass->setIcon(icon("search", tokens().text2)); });
}

void SearchField::setProblem(const QString& sentence)
{
    setProperty("problem", !sentence.isEmpty());
    setToolTip(sentence);
    setAccessibleDescription(sentence);
    update();
}

void SearchField::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && !text().isEmpty()) {
        clear();
        return;
    }
    QLineEdit::keyPressEvent(event);
}

} // namespace cannery::ui
