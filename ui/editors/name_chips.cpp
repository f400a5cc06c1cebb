// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editors/name_chips.h"

#include "ui/widgets/button.h"
#include "ui/widgets/chip.h"
#include "ui/widgets/flow_layout.h"

#include <QMenu>
#include <QSet>

#include <algorithm>
#include <iterator>
#include <utility>

namespace cannery::ui {

NameChips::NameChips(QWidget* parent)
    : QWidget(parent), m_layout(new FlowLayout(this, 6)),
      m_add(new Button(Button::Kind::Link, tr("Add"), this))
{
    setObjectName("chips.names");
    setAccessibleName(tr("Names"));
    m_add->setObjectName("button.add_name");
    m_add->setAccessibleName(tr("Add a name"));
    m_add->setMenu(new QMenu(m_add));
    m_layout->addWidget(m_add);
    rebuildMenu();
}

void NameChips::setNames(const QStringList& names)
{
    if (names != m_names) {
        const bool couldLeave = canLeave();
        const QStringList before = std::exchange(m_names, names);
        replaceChips(couldLeave == canLeave() ? before : QStringList());
        rebuildMenu();
    }
}

void NameChips::setOffered(const QStringList& offered)
{
    if (offered != m_offered) {
        m_offered = offered;
        rebuildMenu();
    }
}

void NameChips::setLeast(int least)
{
    if (least != m_least) {
        m_least = least;
        replaceChips({});
    }
}

void NameChips::replaceChips(const QStringList& before)
{
    const auto [first, oldFirst] =
        std::mismatch(m_names.begin(), m_names.end(), before.begin(), before.end());
    const auto [last, oldLast] =
        std::mismatch(m_names.rbegin(), std::make_reverse_iterator(first), before.rbegin(),
                      std::make_reverse_iterator(oldFirst));
    const qsizetype begin = first - m_names.begin();
    const qsizetype end = last.base() - m_names.begin();
    const qsizetype kept = before.end() - oldLast.base();
    // otherwise each chip that is shown or hidden lays out everything around it
    m_layout->setEnabled(false);
    while (m_chips.size() > begin + kept) {
        QWidget* chip = m_chips.takeAt(begin);
        delete m_layout->takeAt(static_cast<int>(begin));
        chip->setObjectName({});
        chip->hide();
        chip->deleteLater();
    }
    for (qsizetype i = begin; i < end; ++i) {
        QWidget* chip = makeChip(m_names[i]);
        m_chips.insert(i, chip);
        m_layout->insertWidget(static_cast<int>(i), chip);
        setTabOrder(i > 0 ? m_chips[i - 1] : m_add, chip);
        chip->show();
    }
    m_layout->setEnabled(true);
    for (qsizetype i = begin; i < m_chips.size(); ++i) {
        m_chips[i]->setObjectName(QStringLiteral("chip.name.%1").arg(i));
    }
    updateGeometry();
}

QWidget* NameChips::makeChip(const QString& name)
{
    auto* chip = new Chip(name, canLeave(), this);
    chip->setEnabled(canLeave());
    chip->setAccessibleName(canLeave() ? tr("%1; click to remove it").arg(name) : name);
    chip->setToolTip(canLeave() ? tr("Remove %1").arg(name)
                                : tr("At least %1 are needed.").arg(m_least));
    connect(chip, &QAbstractButton::clicked, this,
            [this, chip] { Q_EMIT removeRequested(static_cast<int>(m_chips.indexOf(chip))); });
    return chip;
}

void NameChips::rebuildMenu()
{
    m_add->menu()->clear();
    const QSet<QString> present(m_names.begin(), m_names.end());
    for (const QString& name : std::as_const(m_offered)) {
        if (present.contains(name)) {
            continue;
        }
        QString shown = name;
        QAction* entry = m_add->menu()->addAction(shown.replace('&', QLatin1String("&&")));
        connect(entry, &QAction::triggered, this, [this, name] { Q_EMIT addRequested(name); });
    }
    m_add->setVisible(!m_add->menu()->isEmpty());
}

} // namespace cannery::ui
