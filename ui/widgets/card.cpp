#include "ui/widgets/card.h"

#include "ui/widgets/label.h"
#include "ui/widgets/painting.h"
#include "ui/widgets/theme.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QVBoxLayout>

namespace cannery::ui {
namespace {

constexpr double kRadius = 8;

/// A card that can be pressed is a button to whoever cannot see it.
class CardInterface : public QAccessibleWidget
{
public:
    explicit CardInterface(Card* card)
        : QAccessibleWidget(card, card->isClickable() ? QAccessible::Button : QAccessible::Grouping)
    {}

    QStringList actionNames() const override
    {
        auto names = QAccessibleWidget::actionNames();
        if (card()->isClickable()) {
            names.prepend(pressAction());
        }
        return names;
    }

    void doAction(const QString& name) override
    {
        if (name == pressAction() && card()->isClickable()) {
            Q_EMIT card()->clicked();
        } else {
            QAccessibleWidget::doAction(name);
        }
    }

private:
    Card* card() const { return static_cast<Card*>(widget()); }
};

QAccessibleInterface* makeCardInterface(const QString& /*key*/, QObject* object)
{
    auto* card = qobject_cast<Card*>(object);
    return card ? new CardInterface(card) : nullptr;
}

} // namespace

Card::Card(QWidget* parent) : QFrame(parent), m_body(new QVBoxLayout(this))
{
    static const bool kKnown = (QAccessible::installFactory(makeCardInterface), true);
    Q_UNUSED(kKnown);
    const auto follow = [this] {
        const int padding = scaled(m_padding);
        m_body->setContentsMargins(padding, padding, padding, padding);
        m_body->setSpacing(scaled(8));
    };
    follow();
    connect(&themeWatch(), &ThemeWatch::changed, this, follow);
}

Card::Card(const QString& title, QWidget* parent) : Card(parent)
{
    setTitle(title);
}

void Card::setTitle(const QString& title)
{
    if (!m_title) {
        m_title = new Label({}, TextRole::Strong, Ink::Text, this);
        m_title->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
        m_body->insertWidget(0, m_title);
    }
    m_title->setText(title);
    setAccessibleName(title);
}

void Card::setPadding(int padding)
{
    m_padding = padding;
    const int pixels = scaled(padding);
    m_body->setContentsMargins(pixels, pixels, pixels, pixels);
}

void Card::setClickable(bool clickable)
{
    m_clickable = clickable;
    setFocusPolicy(clickable ? Qt::StrongFocus : Qt::NoFocus);
    setCursor(clickable ? Qt::PointingHandCursor : Qt::ArrowCursor);
    setAttribute(Qt::WA_Hover, clickable);
}

void Card::setSelected(bool selected)
{
    m_selected = selected;
    update();
}

void Card::paintEvent(QPaintEvent* /*event*/)
{
    const ThemeTokens& t = tokens();
    QPainter painter(this);
    const bool hovered = m_clickable && underMouse();
    paintSurface(painter, rect(), kRadius, t.surface, hovered ? t.border : QColor());
    if (m_selected || showsFocusRing(*this)) {
        paintFocusRing(painter, rect(), kRadius);
    }
}

void Card::mousePressEvent(QMouseEvent* event)
{
    m_pressed = m_clickable && event->button() == Qt::LeftButton;
    if (!m_pressed) {
        QFrame::mousePressEvent(event);
    }
}

void Card::mouseReleaseEvent(QMouseEvent* event)
{
    if (m_pressed && rect().contains(event->position().toPoint())) {
        m_pressed = false;
        Q_EMIT clicked();
        return;
    }
    m_pressed = false;
    QFrame::mouseReleaseEvent(event);
}

void Card::keyPressEvent(QKeyEvent* event)
{
    const bool presses = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter ||
                         event->key() == Qt::Key_Space;
    if (m_clickable && presses) {
        Q_EMIT clicked();
        return;
    }
    QFrame::keyPressEvent(event);
}

bool Card::event(QEvent* event)
{
    switch (event->type()) {
    case QEvent::HoverEnter:
    case QEvent::HoverLeave:
    case QEvent::FocusIn:
    case QEvent::FocusOut:
        update();
        break;
    default:
        break;
    }
    return QFrame::event(event);
}

} // namespace cannery::ui
