// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/guided/guided_section.h"

#include "ui/pages/page_parts.h"
#include "ui/widgets/button.h"
#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QAbstractButton>
#include <QPainter>
#include <QStyle>
#include <QVBoxLayout>

namespace cannery::ui {

/// Number or tick, title and answer.
class GuidedSection::Head : public QAbstractButton
{
public:
    Head(int number, const QString& title, QWidget* parent)
        : QAbstractButton(parent), m_number(QString::number(number))
    {
        setText(title);
        setCheckable(true);
        setFocusPolicy(Qt::StrongFocus);
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        useFont(this, TextRole::Section);
        setAccessibleName(title);
    }

    void setSummary(const QString& summary)
    {
        m_summary = summary;
        setAccessibleDescription(summary);
        update();
    }
    const QString& summary() const { return m_summary; }

    void setAnswered(bool isAnswered)
    {
        m_isAnswered = isAnswered;
        update();
    }

    QSize sizeHint() const override
    {
        return {scaled(kIndent) + fontMetrics().horizontalAdvance(text()),
                std::max(fontMetrics().height(), scaled(kDisc)) + scaled(8)};
    }
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const QRect disc =
            mirrored(QRect(0, (height() - scaled(kDisc)) / 2, scaled(kDisc), scaled(kDisc)));
        paintDisc(painter, disc);
        const int titleWidth = fontMetrics().horizontalAdvance(text()) + 2;
        painter.setPen(isEnabled() ? tokens().text : tokens().text2);
        painter.setFont(font());
        paintWords(painter, mirrored(QRect(scaled(kIndent), 0, titleWidth, height())), alignment(),
                   text());
        // The answer is shown while the section is closed, where there is room for more than a few
        // letters.
        const int room = width() - scaled(kIndent) - titleWidth - scaled(16);
        if (!isChecked() && room > scaled(40)) {
            painter.setPen(tokens().text2);
            painter.setFont(textFont(TextRole::Body));
            const QRect place(scaled(kIndent) + titleWidth + scaled(16), 0, room, height());
            paintWords(painter, mirrored(place), alignment(),
                       painter.fontMetrics().elidedText(m_summary, Qt::ElideRight, room));
        }
        if (showsFocusRing(*this)) {
            paintFocusRing(painter, rect(), 4);
        }
    }

private:
    static constexpr int kDisc = 24;
    static constexpr int kIndent = 36;

    Qt::Alignment alignment() const
    {
        const auto side = layoutDirection() == Qt::RightToLeft ? Qt::AlignRight : Qt::AlignLeft;
        return Qt::AlignAbsolute | side | Qt::AlignVCenter;
    }

    QRect mirrored(const QRect& place) const
    {
        return QStyle::visualRect(layoutDirection(), rect(), place);
    }

    void paintDisc(QPainter& painter, const QRect& disc) const
    {
        const bool isDone = m_isAnswered && !isChecked();
        const QColor fill = isDone        ? tokens().okBg
                            : isChecked() ? tokens().accent
                                          : tokens().idleBg;
        paintSurface(painter, disc, disc.height() / 2.0, fill);
        if (isDone) {
            paintIcon(painter, disc, QStringLiteral("check"), tokens().ok, scaled(16));
            return;
        }
        painter.setPen(isChecked() ? tokens().onAccent : tokens().text2);
        painter.setFont(textFont(TextRole::Strong));
        paintWords(painter, disc, Qt::AlignCenter, m_number);
    }

    QString m_number;
    QString m_summary;
    bool m_isAnswered = false;
};

GuidedSection::GuidedSection(int number, const QString& id, const QString& title, QWidget* content,
                             QWidget* parent)
    : Card(parent), m_head(new Head(number, title, this)), m_content(new QWidget(this)),
      m_continue(new Button(Button::Kind::Plain, QString()))
{
    setObjectName(QStringLiteral("guided.") + id);
    m_head->setObjectName(QStringLiteral("fold.guided.") + id);
    m_continue->setObjectName(QStringLiteral("continue.guided.") + id);
    m_continue->hide();
    auto* column = new QVBoxLayout(m_content);
    column->setContentsMargins(scaled(36), scaled(4), 0, scaled(4));
    column->setSpacing(scaled(12));
    column->addWidget(content);
    column->addWidget(m_continue, 0, Qt::AlignLeft);
    body()->addWidget(m_head);
    body()->addWidget(m_content);
    m_content->hide();
    connect(m_head, &QAbstractButton::toggled, this, [this](bool isOpen) {
        m_content->setVisible(isOpen);
        Q_EMIT toggled(isOpen);
    });
    connect(m_continue, &QPushButton::clicked, this, &GuidedSection::continued);
}

void GuidedSection::setSummary(const QString& summary)
{
    m_head->setSummary(summary);
}

QString GuidedSection::summary() const
{
    return m_head->summary();
}

void GuidedSection::setAnswered(bool isAnswered)
{
    m_head->setAnswered(isAnswered);
}

void GuidedSection::setHindrance(const QString& sentence)
{
    cannery::ui::setHindrance(m_head, sentence);
    if (!sentence.isEmpty()) {
        setOpen(false);
    }
}

void GuidedSection::setOpen(bool isOpen)
{
    m_head->setChecked(isOpen);
}

bool GuidedSection::isOpen() const
{
    return m_head->isChecked();
}

void GuidedSection::setContinue(const QString& text)
{
    m_continue->setText(text);
    m_continue->show();
}

void GuidedSection::setContinueHindrance(const QString& sentence)
{
    cannery::ui::setHindrance(m_continue, sentence);
}

void GuidedSection::focusTitle()
{
    m_head->setFocus(Qt::OtherFocusReason);
}

} // namespace cannery::ui
