// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/runs/tag_chips.h"

#include "ui/widgets/button.h"
#include "ui/widgets/chip.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/style/theme.h"

#include <QCompleter>
#include <QKeyEvent>
#include <QLineEdit>

namespace cannery::ui {

TagChips::TagChips(QWidget* parent)
    : QWidget(parent), m_layout(new FlowLayout(this, 6)),
      m_add(new Button(Button::Kind::Quiet, tr("+ tag"), this)), m_field(new QLineEdit(this))
{
    setObjectName("tags");
    m_add->setObjectName("button.add_tag");
    m_add->setAccessibleName(tr("Add a tag"));
    m_field->setObjectName("field.tag");
    m_field->setAccessibleName(tr("New tag"));
    m_field->setPlaceholderText(tr("tag"));
    m_field->setMaximumWidth(scaled(120));
    m_field->installEventFilter(this);
    m_field->hide();
    connect(m_add, &QPushButton::clicked, this, &TagChips::beginAdding);
    connect(m_field, &QLineEdit::returnPressed, this, [this] { endAdding(true); });
    rebuild();
}

void TagChips::setTags(const QStringList& tags)
{
    if (tags != m_tags) {
        m_tags = tags;
        rebuild();
    }
}

void TagChips::setKnownTags(const QStringList& tags)
{
    if (tags == m_known) {
        return;
    }
    m_known = tags;
    // The field owns it, and deletes the one before.
    auto* completer = new QCompleter(tags, m_field);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    m_field->setCompleter(completer);
}

void TagChips::setHindrance(const QString& hindrance)
{
    if (hindrance != m_hindrance) {
        m_hindrance = hindrance;
        setToolTip(hindrance);
        rebuild();
    }
}

void TagChips::rebuild()
{
    // Items only: the widgets are used again or deleted below.
    while (QLayoutItem* item = m_layout->takeAt(0)) {
        delete item;
    }
    for (QWidget* chip : std::as_const(m_chips)) {
        // Not deleted at once: it may be delivering the click that removes it.
        chip->hide();
        chip->deleteLater();
    }
    m_chips.clear();
    for (const QString& tag : std::as_const(m_tags)) {
        const bool isReadOnly = !m_hindrance.isEmpty();
        auto* chip = new Chip(tag, !isReadOnly, this);
        chip->setObjectName("tag." + tag);
        chip->setAccessibleName(isReadOnly ? tr("Tag %1").arg(tag)
                                           : tr("Tag %1; click to remove it").arg(tag));
        chip->setToolTip(isReadOnly ? tag : tr("Remove the tag “%1”").arg(tag));
        connect(chip, &QAbstractButton::clicked, this, [this, tag] {
            if (!m_hindrance.isEmpty()) {
                return;
            }
            QStringList left = m_tags;
            left.removeAll(tag);
            setTags(left);
            Q_EMIT tagsEdited(left);
        });
        m_chips.append(chip);
        m_layout->addWidget(chip);
        chip->show();
    }
    m_layout->addWidget(m_field);
    m_layout->addWidget(m_add);
    m_add->setVisible(m_hindrance.isEmpty() && !m_field->isVisibleTo(this));
    updateGeometry();
}

void TagChips::beginAdding()
{
    m_add->hide();
    m_field->clear();
    m_field->show();
    m_field->setFocus(Qt::OtherFocusReason);
}

void TagChips::endAdding(bool keep)
{
    const QString tag = m_field->text().trimmed();
    m_field->hide();
    m_add->setVisible(m_hindrance.isEmpty());
    if (!keep || tag.isEmpty() || m_tags.contains(tag)) {
        return;
    }
    QStringList more = m_tags;
    more.append(tag);
    // In order of the alphabet, wherever it was added.
    more.sort();
    setTags(more);
    Q_EMIT tagsEdited(more);
}

bool TagChips::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_field && event->type() == QEvent::FocusOut && m_field->isVisible()) {
        // The list of completions takes the focus while it is open.
        const bool isCompleting =
            static_cast<QFocusEvent*>(event)->reason() == Qt::PopupFocusReason;
        if (!isCompleting) {
            endAdding(true);
        }
    }
    if (watched == m_field && event->type() == QEvent::KeyPress &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        endAdding(false);
        m_add->setFocus(Qt::OtherFocusReason);
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace cannery::ui
