// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/empty_state.h"

#include "ui/widgets/button.h"
#include "ui/widgets/link_label.h"
#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QAction>
#include <QHBoxLayout>
#include <QPainter>
#include <QPainterPath>
#include <QVBoxLayout>

namespace cannery::ui {
namespace {

constexpr int kDisc = 62;

} // namespace

/// A faint sketch of what will be here.
class EmptyState::Picture : public QWidget
{
public:
    using QWidget::QWidget;

    Sketch sketch = Sketch::None;
    QString iconName = "circle";

    QSize sizeHint() const override
    {
        return sketch == Sketch::None ? QSize(scaled(kDisc + 4), scaled(kDisc + 4))
                                      : QSize(scaled(304), scaled(140));
    }

protected:
    void paintEvent(QPaintEvent* /*event*/) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        QRectF room = QRectF(rect()).adjusted(2, 2, -2, -2);
        switch (sketch) {
        case Sketch::None:
            break;
        case Sketch::Curve:
            paintCurve(painter, room);
            break;
        case Sketch::Table:
            paintTable(painter, room);
            break;
        case Sketch::Boxes:
            paintBoxes(painter, room);
            break;
        }
        const double disc = scaled(kDisc);
        QRectF circle(0, 0, disc, disc);
        circle.moveCenter(QRectF(rect()).center());
        painter.setPen(Qt::NoPen);
        // A rim in the page's colour, which separates the disc from the sketch behind it.
        painter.setBrush(tokens().canvas);
        painter.drawEllipse(circle.adjusted(-6, -6, 6, 6));
        painter.setBrush(tokens().tint);
        painter.drawEllipse(circle);
        paintIcon(painter, circle, iconName, tokens().accent, scaled(28));
    }

private:
    static void paintCurve(QPainter& painter, const QRectF& room)
    {
        painter.setPen(QPen(tokens().line, 1));
        for (int i = 0; i < 4; ++i) {
            const double y = room.top() + room.height() * i / 3.0;
            painter.drawLine(QPointF(room.left(), y), QPointF(room.right(), y));
        }
        painter.setPen(Qt::NoPen);
        painter.setBrush(mixed(tokens().canvas, seriesColour(0), 0.7));
        constexpr int kDots = 31;
        for (int i = 0; i < kDots; ++i) {
            const double t = i / (kDots - 1.0);
            const double value = 1 / (1 + 6.5 * t * t + 3 * t);
            painter.drawEllipse(QPointF(room.left() + room.width() * 0.9 * t,
                                        room.bottom() - room.height() * value * 0.97),
                                1.4, 1.4);
        }
    }

    static void paintTable(QPainter& painter, const QRectF& room)
    {
        constexpr int kRows = 5;
        const double row = room.height() / kRows;
        painter.setPen(Qt::NoPen);
        for (int i = 0; i < kRows; ++i) {
            const double y = room.top() + row * i + row / 2;
            painter.setBrush(i == 0 ? tokens().track : tokens().line);
            const double widths[] = {0.26, 0.14, 0.2, 0.12};
            double x = room.left();
            for (const double width : widths) {
                painter.drawRoundedRect(QRectF(x, y - 4, room.width() * width, 8), 4, 4);
                x += room.width() * 0.27;
            }
        }
    }

    static void paintBoxes(QPainter& painter, const QRectF& room)
    {
        painter.setPen(QPen(tokens().line, 1));
        painter.setBrush(Qt::NoBrush);
        const double side = room.height() / 2 - 8;
        const double width = (room.width() - 32) / 3;
        for (int i = 0; i < 6; ++i) {
            painter.drawRoundedRect(QRectF(room.left() + (i % 3) * (width + 16),
                                           room.top() + (i / 3) * (side + 16), width, side),
                                    8, 8);
        }
    }
};

EmptyState::EmptyState(QWidget* parent)
    : QWidget(parent), m_picture(new Picture(this)),
      m_title(new Label({}, TextRole::EmptyTitle, Ink::Text, this)),
      m_sentence(new LinkLabel({}, TextRole::Body, Ink::Secondary, this)),
      m_buttons(new QWidget(this)), m_hint(new Label({}, TextRole::Label, Ink::Secondary, this)),
      m_column(new QVBoxLayout(this))
{
    m_column->setContentsMargins(scaled(24), scaled(24), scaled(24), scaled(24));
    m_column->setSpacing(scaled(10));
    m_column->addStretch(2);
    m_column->addWidget(m_picture, 0, Qt::AlignHCenter);
    m_column->addSpacing(scaled(22));
    m_title->setAlignment(Qt::AlignCenter);
    m_title->setWordWrap(true);
    m_column->addWidget(m_title);
    m_sentence->setAlignment(Qt::AlignCenter);
    m_sentence->setFocusPolicy(Qt::NoFocus);
    m_column->addWidget(m_sentence);
    auto* row = new QHBoxLayout(m_buttons);
    row->setContentsMargins(0, scaled(8), 0, 0);
    row->setSpacing(scaled(8));
    m_column->addWidget(m_buttons, 0, Qt::AlignHCenter);
    m_hint->setAlignment(Qt::AlignCenter);
    m_hint->hide();
    m_column->addWidget(m_hint);
    m_column->addStretch(3);
    connect(m_sentence, &QLabel::linkActivated, this, &EmptyState::linkActivated);
    connect(&themeWatch(), &ThemeWatch::changed, this, [this] { m_picture->updateGeometry(); });
}

void EmptyState::setPicture(Sketch sketch, const QString& iconName)
{
    m_picture->sketch = sketch;
    m_picture->iconName = iconName;
    m_picture->setFixedSize(m_picture->sizeHint());
    m_picture->update();
}

void EmptyState::setTitle(const QString& title)
{
    m_title->setText(title);
    setAccessibleName(title);
}

void EmptyState::setSentence(const QString& sentence)
{
    m_sentence->setText(sentence);
    m_sentence->setFocusPolicy(sentence.contains("<a ") ? Qt::TabFocus : Qt::NoFocus);
    setAccessibleDescription(sentence);
}

void EmptyState::setButton(int place, QAction* action, const QString& text)
{
    const auto* old = static_cast<Button*>(m_placed[place]);
    // Set again with each refresh: a new button would lose the focus.
    if (old && action && old->action() == action && m_words[place] == text) {
        return;
    }
    delete m_placed[place];
    m_placed[place] = nullptr;
    m_words[place] = text;
    if (!action) {
        return;
    }
    auto* button =
        new Button(place == 0 ? Button::Kind::Primary : Button::Kind::Plain, action, m_buttons);
    button->setOwnText(text);
    auto* row = static_cast<QHBoxLayout*>(m_buttons->layout());
    row->insertWidget(place == 0 ? 0 : row->count(), button);
    m_placed[place] = button;
}

void EmptyState::setPrimaryAction(QAction* action, const QString& text)
{
    setButton(0, action, text);
}

void EmptyState::setPlainAction(QAction* action, const QString& text)
{
    setButton(1, action, text);
}

void EmptyState::setHint(const QString& hint)
{
    m_hint->setText(hint);
    m_hint->setVisible(!hint.isEmpty());
}

void EmptyState::setFooter(QWidget* footer)
{
    m_column->insertSpacing(m_column->count() - 1, scaled(24));
    m_column->insertWidget(m_column->count() - 1, footer);
}

} // namespace cannery::ui
