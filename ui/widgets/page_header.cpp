// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/page_header.h"

#include "ui/widgets/elided_label.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/pill.h"
#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/theme.h"

#include <QAction>
#include <QEvent>
#include <QHBoxLayout>
#include <QMenu>
#include <QPainter>

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr int kHeight = 56;
constexpr int kGap = 8;

/// The arrow between breadcrumb and title.
class Chevron : public QWidget
{
public:
    explicit Chevron(QWidget* parent) : QWidget(parent)
    {
        setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    }
    QSize sizeHint() const override { return {scaled(16), scaled(16)}; }

protected:
    void paintEvent(QPaintEvent* /*event*/) override
    {
        QPainter painter(this);
        paintIcon(painter, rect(), isRightToLeft() ? "chevron-left" : "chevron-right",
                  tokens().text2, scaled(16));
    }
};

} // namespace

PageHeader::PageHeader(const QString& title, QWidget* parent)
    : QWidget(parent), m_crumb(new Button(Button::Kind::Quiet, QString(), this)),
      m_chevron(new Chevron(this)), m_title(new Label(title, TextRole::PageTitle, Ink::Text, this)),
      m_pill(new Pill(this)), m_sentence(new ElidedLabel({}, TextRole::Body, Ink::Secondary, this)),
      m_more(new IconButton("dots", tr("More Actions"), this))
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(scaled(kGap));
    row->addWidget(m_crumb);
    row->addWidget(m_chevron);
    row->addWidget(m_title);
    row->addWidget(m_pill);
    row->addSpacing(scaled(4));
    row->addWidget(m_sentence, 1);
    row->addWidget(m_more);
    m_crumb->hide();
    m_chevron->hide();
    m_pill->hide();
    m_more->hide();
    m_more->setMenu(new QMenu(m_more));
    m_more->setObjectName("button.more_actions");
    connect(m_crumb, &QPushButton::clicked, this, &PageHeader::crumbActivated);
    // The text scale may have changed with the theme.
    connect(&themeWatch(), &ThemeWatch::changed, this, [this] {
        updateGeometry();
        placeActions();
    });
}

void PageHeader::setTitle(const QString& title)
{
    if (m_title->text() == title) {
        return;
    }
    m_title->setText(title);
    placeActions();
}

void PageHeader::setCrumb(const QString& crumb)
{
    m_crumb->setText(crumb);
    m_crumb->setVisible(!crumb.isEmpty());
    m_chevron->setVisible(!crumb.isEmpty());
    placeActions();
}

void PageHeader::setSentence(const QString& sentence)
{
    if (m_sentence->text() == sentence) {
        return;
    }
    m_sentence->setText(sentence);
    m_sentence->updateGeometry();
}

Button* PageHeader::addAction(QAction* action, Button::Kind kind, const QString& text)
{
    auto* button = new Button(kind, action, this);
    button->setOwnText(text);
    layout()->addWidget(button);
    m_buttons.append(button);
    connect(action, &QAction::changed, this, &PageHeader::placeActions);
    connect(action, &QAction::visibleChanged, this, &PageHeader::placeActions);
    placeActions();
    return button;
}

void PageHeader::addWidget(QWidget* widget)
{
    auto* row = static_cast<QHBoxLayout*>(layout());
    row->insertWidget(row->indexOf(m_more), widget);
    m_extras.append(widget);
    placeActions();
}

QSize PageHeader::sizeHint() const
{
    return {layout()->sizeHint().width(), scaled(kHeight)};
}

QSize PageHeader::minimumSizeHint() const
{
    int width = m_title->sizeHint().width() + m_more->sizeHint().width() + 4 * scaled(kGap);
    for (const QWidget* extra : m_extras) {
        width += extra->minimumSizeHint().width() + scaled(kGap);
    }
    if (!m_buttons.isEmpty()) {
        width += m_buttons.last()->sizeHint().width();
    }
    return {width, scaled(kHeight)};
}

void PageHeader::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    placeActions();
}

bool PageHeader::event(QEvent* event)
{
    const bool handled = QWidget::event(event);
    if (event->type() == QEvent::LayoutRequest || event->type() == QEvent::Show) {
        placeActions();
    }
    return handled;
}

/// Shows as many buttons as fit next to the title, the last ones first; the others go into the
/// menu.
void PageHeader::placeActions()
{
    const auto roomOf = [](const QWidget* widget) {
        return widget->isHidden() ? 0 : widget->sizeHint().width() + scaled(kGap);
    };
    int room = width() - roomOf(m_crumb) - roomOf(m_chevron) - roomOf(m_title) - roomOf(m_pill) -
               scaled(4 + 40);
    for (const QWidget* extra : m_extras) {
        room -= roomOf(extra);
    }
    int whole = 0;
    for (const Button* button : m_buttons) {
        if (button->action() && button->action()->isVisible()) {
            whole += button->sizeHint().width() + scaled(kGap);
        }
    }
    const bool needsMenu = whole > room;
    if (needsMenu) {
        room -= m_more->sizeHint().width() + scaled(kGap);
    }
    QList<QAction*> hidden;
    bool full = false;
    for (auto it = m_buttons.rbegin(); it != m_buttons.rend(); ++it) {
        Button* button = *it;
        if (!button->action() || !button->action()->isVisible()) {
            button->hide();
            continue;
        }
        const int need = button->sizeHint().width() + scaled(kGap);
        const bool isLast = button == m_buttons.last();
        full = full || (need > room && !isLast);
        button->setVisible(!full);
        if (full) {
            hidden.prepend(button->action());
        } else {
            room -= need;
        }
    }
    // Filled again only if it differs: the menu may be open.
    if (hidden != m_more->menu()->actions()) {
        m_more->menu()->clear();
        m_more->menu()->addActions(hidden);
    }
    m_more->setVisible(!hidden.isEmpty());
}

} // namespace cannery::ui
