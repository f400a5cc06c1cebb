// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/tag_chips.h"

#include "ui/widgets/button.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/painting.h"
#include "ui/widgets/theme.h"

#include <QAbstractButton>
#include <QCompleter>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPainter>

namespace cannery::ui {
namespace {

/// A tag with a cross; clicking it removes the tag.
class Chip : public QAbstractButton
{
public:
    Chip(const QString& tag, bool readOnly, QWidget* parent)
        : QAbstractButton(parent), m_readOnly(readOnly)
    {
        setText(tag);
        setObjectName("tag." + tag);
        setFocusPolicy(readOnly ? Qt::NoFocus : Qt::StrongFocus);
        setAttribute(Qt::WA_Hover);
        setAccessibleName(readOnly ? TagChips::tr("Tag %1").arg(tag)
                                   : TagChips::tr("Tag %1; click to remove it").arg(tag));
        setToolTip(readOnly ? tag : TagChips::tr("Remove the tag “%1”").arg(tag));
        useFont(this, TextRole::LabelStrong);
    }
    QSize sizeHint() const override
    {
        const int cross = m_readOnly ? 0 : scaled(16);
        return {fontMetrics().horizontalAdvance(text()) + scaled(16) + cross, scaled(24)};
    }
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const QRectF all = rect();
        paintSurface(painter, all, scaled(4),
                     underMouse() && !m_readOnly ? tokens().hover : tokens().idleBg);
        painter.setPen(tokens().text);
        painter.setFont(font());
        const bool isMirrored = layoutDirection() == Qt::RightToLeft;
        const QRect words = rect().adjusted(scaled(8), 0, -scaled(8), 0);
        painter.drawText(words, Qt::AlignVCenter | (isMirrored ? Qt::AlignRight : Qt::AlignLeft),
                         text());
        if (!m_readOnly) {
            QRectF cross(0, 0, scaled(12), scaled(12));
            cross.moveCenter(
                QPointF(isMirrored ? scaled(12) : width() - scaled(12), all.center().y()));
            paintIcon(painter, cross, "x", tokens().text2, scaled(12));
        }
        if (showsFocusRing(*this)) {
            paintFocusRing(painter, all, scaled(4));
        }
    }

private:
    bool m_readOnly;
};

} // namespace

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
    while (QLayoutItem* item = m_layout->takeAt(0)) {
        delete item;
    }
    for (QWidget* chip : std::as_const(m_chips)) {
        chip->hide();
        chip->deleteLater();
    }
    m_chips.clear();
    for (const QString& tag : std::as_const(m_tags)) {
        auto* chip = new Chip(tag, !m_hindrance.isEmpty(), this);
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
    more.sort();
    setTags(more);
    Q_EMIT tagsEdited(more);
}

bool TagChips::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_field && event->type() == QEvent::FocusOut && m_field->isVisible()) {
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
