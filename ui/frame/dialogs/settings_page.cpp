// SPDX-License-Identifier: GPL-3.0-only
#include "ui/frame/dialogs/settings_page.h"

#include "ui/widgets/label.h"

#include <QGridLayout>

namespace cannery::ui {

SettingsPage::SettingsPage(const QString& title, QWidget* parent)
    : QWidget(parent), m_grid(new QGridLayout(this))
{
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setHorizontalSpacing(scaled(16));
    m_grid->setVerticalSpacing(scaled(6));
    m_grid->setColumnStretch(1, 1);
    m_grid->addWidget(new Label(title, TextRole::Section, Ink::Text, this), 0, 0, 1, 2);
    m_grid->setRowMinimumHeight(0, scaled(32));
}

void SettingsPage::addRow(const QString& label, QWidget* control, const QString& help)
{
    const int row = m_grid->rowCount();
    auto* name = new Label(label, TextRole::Body, Ink::Text, this);
    name->setBuddy(control);
    control->setAccessibleName(label);
    control->setAccessibleDescription(help);
    m_grid->addWidget(name, row, 0);
    m_grid->addWidget(control, row, 1, Qt::AlignLeft);
    if (!help.isEmpty()) {
        auto* sentence = new Label(help, TextRole::Label, Ink::Secondary, this);
        sentence->setWordWrap(true);
        m_grid->addWidget(sentence, row + 1, 1);
    }
    // An empty row of fixed height below, which keeps one setting apart from the next.
    m_grid->setRowMinimumHeight(m_grid->rowCount(), scaled(6));
}

void SettingsPage::addWide(QWidget* control, const QString& help)
{
    m_grid->addWidget(control, m_grid->rowCount(), 0, 1, 2);
    if (!help.isEmpty()) {
        auto* sentence = new Label(help, TextRole::Label, Ink::Secondary, this);
        sentence->setWordWrap(true);
        m_grid->addWidget(sentence, m_grid->rowCount(), 0, 1, 2);
    }
    m_grid->setRowMinimumHeight(m_grid->rowCount(), scaled(6));
}

void SettingsPage::finish(bool lastRowStretches)
{
    if (!lastRowStretches) {
        m_grid->setRowStretch(m_grid->rowCount(), 1);
    }
}

} // namespace cannery::ui
