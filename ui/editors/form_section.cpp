// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editors/form_section.h"

#include "ui/document/experiment_document.h"
#include "ui/document/field_reset.h"
#include "ui/widgets/behaviour/update_throttle.h"
#include "ui/widgets/button.h"
#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QAbstractButton>
#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>

namespace cannery::ui {

/// The title, which folds the section.
class FormSection::Head : public QAbstractButton
{
public:
    Head(const QString& title, QWidget* parent) : QAbstractButton(parent)
    {
        setText(title);
        setCheckable(true);
        setFocusPolicy(Qt::StrongFocus);
        useFont(this, TextRole::Strong);
    }

    QSize sizeHint() const override
    {
        return {fontMetrics().horizontalAdvance(text()) + scaled(30),
                fontMetrics().height() + scaled(10)};
    }
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        const bool isMirrored = layoutDirection() == Qt::RightToLeft;
        const QString mark = isChecked()  ? QStringLiteral("chevron-down")
                             : isMirrored ? QStringLiteral("chevron-left")
                                          : QStringLiteral("chevron-right");
        const double side = scaled(14);
        const QRectF place(isMirrored ? width() - side : 0, (height() - side) / 2, side, side);
        paintIcon(painter, place, mark, tokens().text2, scaled(14));
        painter.setPen(tokens().text);
        paintWords(painter,
                   rect().adjusted(isMirrored ? 0 : scaled(18), 0, isMirrored ? -scaled(18) : 0, 0),
                   Qt::AlignVCenter | (isMirrored ? Qt::AlignRight : Qt::AlignLeft), text());
        if (showsFocusRing(*this)) {
            paintFocusRing(painter, rect(), 4);
        }
    }
};

FormSection::FormSection(const QString& title, bool isOpen, QWidget* parent)
    : QWidget(parent), m_head(new Head(title, this)),
      m_reset(new Button(Button::Kind::Link, tr("Reset"), this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, scaled(6), 0, 0);
    column->setSpacing(scaled(2));
    auto* line = new QHBoxLayout;
    line->addWidget(m_head, 1);
    line->addWidget(m_reset);
    column->addLayout(line);
    m_reset->hide();
    connect(m_reset, &QPushButton::clicked, this, [this] {
        m_context.document->apply(tr("Reset %1").arg(m_head->text()), resetEdits());
    });
    m_head->setChecked(isOpen);
    connect(m_head, &QAbstractButton::toggled, this, &FormSection::make);
}

void FormSection::setForm(const FormContext& context, const QString& path,
                          const FieldForm::Options& options)
{
    if (path == m_path) {
        return;
    }
    m_context = context;
    m_path = path;
    m_options = options;
    m_head->setObjectName(QStringLiteral("fold.") + path);
    m_reset->setObjectName(QStringLiteral("reset.") + path);
    m_reset->setAccessibleName(tr("Reset %1").arg(m_head->text()));
    if (m_follow == nullptr) {
        m_follow = new UpdateThrottle(
            this, [this] { refreshReset(); }, UpdateThrottle::kAtOnce);
        connect(context.document, &ExperimentDocument::changed, m_follow, &UpdateThrottle::changed);
    }
    refreshReset();
    if (m_form != nullptr) {
        m_form->hide();
        m_form->deleteLater();
        m_form = nullptr;
    }
    make();
}

void FormSection::refreshReset()
{
    m_reset->setVisible(!resetEdits().isEmpty() &&
                        m_context.document->edits().hindrance().isEmpty());
}

QList<FieldEdit> FormSection::resetEdits() const
{
    return m_path.isEmpty()
               ? QList<FieldEdit>()
               : cannery::ui::resetEdits(*m_context.document, m_path, m_options.isLeftOut);
}

void FormSection::make()
{
    // Made when it is opened first: forms of all sections would take long.
    if (m_form == nullptr && isOpen() && !m_path.isEmpty()) {
        m_form = new FieldForm(m_context, m_path, m_options);
        followDocument(m_form, *m_context.document);
        static_cast<QVBoxLayout*>(layout())->insertWidget(1, m_form);
    }
    if (m_below != nullptr) {
        m_below->setVisible(isOpen() && !m_isLooking);
    }
    if (m_form != nullptr) {
        m_form->setVisible(isOpen());
    }
}

void FormSection::setBelow(QWidget* below)
{
    m_below = below;
    layout()->addWidget(below);
    below->setVisible(isOpen());
}

void FormSection::refreshFormer()
{
    if (m_form != nullptr) {
        m_form->refreshProblems();
    }
}

void FormSection::setOpen(bool isOpen)
{
    m_head->setChecked(isOpen);
}

bool FormSection::isOpen() const
{
    return m_head->isChecked();
}

QString FormSection::title() const
{
    return m_head->text();
}

int FormSection::find()
{
    if (m_context.isLooking() != m_isLooking) {
        m_isLooking = m_context.isLooking();
        // A search opens every section; afterwards each is as it was before.
        m_wasOpen = m_isLooking ? isOpen() : m_wasOpen;
        setOpen(m_isLooking || m_wasOpen);
        make();
    }
    return m_form == nullptr ? 0 : m_form->find();
}

void FormSection::focusFirst()
{
    // Along the focus chain, which is a ring: it ends where it leaves the form.
    for (QWidget* next = m_form; next != nullptr; next = next->nextInFocusChain()) {
        const bool isInside = m_form->isAncestorOf(next);
        if (next != m_form && !isInside) {
            return;
        }
        if (isInside && next->objectName().startsWith(QLatin1String("field.")) &&
            next->isVisible() && next->isEnabled() && next->focusPolicy() != Qt::NoFocus) {
            next->setFocus(Qt::ShortcutFocusReason);
            return;
        }
    }
}

bool FormSection::reveal(const QString& path)
{
    if (m_path.isEmpty() || !(path == m_path || path.startsWith(m_path + u'.'))) {
        return false;
    }
    setOpen(true);
    return m_form != nullptr && m_form->reveal(path);
}

} // namespace cannery::ui
