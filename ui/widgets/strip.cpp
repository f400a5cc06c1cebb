// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/strip.h"

#include "ui/models/markup.h"
#include "ui/widgets/button.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/link_label.h"
#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QAction>
#include <QHBoxLayout>
#include <QPainter>

namespace cannery::ui {
namespace {

struct Look
{
    QColor ground;
    QColor lead;
    QColor icon;
    const char* iconName;
};

Look lookOf(Strip::Level level)
{
    const ThemeTokens& t = tokens();
    switch (level) {
    case Strip::Level::Info:
        return {t.tint, t.accent, t.accent, "info-circle"};
    case Strip::Level::Warning:
        return {t.warnBg, t.warn, t.warnIcon, "alert-triangle"};
    case Strip::Level::Error:
        return {t.errBg, t.err, t.err, "alert-circle"};
    }
    return {};
}

/// The icon at the start, redrawn for each theme.
class StripIcon : public QLabel
{
public:
    explicit StripIcon(Strip* strip) : QLabel(strip), m_strip(strip) {}
    QSize sizeHint() const override { return {scaled(18), scaled(18)}; }
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* /*event*/) override
    {
        QPainter painter(this);
        const Look look = lookOf(m_strip->level());
        paintIcon(painter, rect(), look.iconName, look.icon, scaled(18));
    }

private:
    Strip* m_strip;
};

} // namespace

Strip::Strip(QWidget* parent)
    : QFrame(parent), m_icon(new StripIcon(this)),
      m_text(new LinkLabel({}, TextRole::Body, Ink::Text)), m_buttons(new QHBoxLayout),
      m_close(new IconButton("x", tr("Dismiss"), this))
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(scaled(14), scaled(6), scaled(8), scaled(6));
    row->setSpacing(scaled(12));
    row->addWidget(m_icon);
    row->addWidget(m_text, 1);
    connect(m_text, &QLabel::linkActivated, this, &Strip::linkActivated);
    m_buttons->setSpacing(scaled(8));
    row->addLayout(m_buttons);
    row->addWidget(m_close);
    m_close->hide();
    setMinimumHeight(scaled(44));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    connect(m_close, &QToolButton::clicked, this, [this] {
        hide();
        Q_EMIT dismissed();
    });
    hide();
}

void Strip::setMessage(Level level, const QString& lead, const QString& sentence)
{
    setMessageWithLinks(level, lead, sentence.toHtmlEscaped());
}

void Strip::setMessageWithLinks(Level level, const QString& lead, const QString& markup)
{
    const QString colour = lookOf(level).lead.name();
    const QString words = QString("<span style=\"color:%1;font-weight:600\">%2</span>&nbsp; %3")
                              .arg(colour, lead.toHtmlEscaped(), markup);
    if (level == m_level && words == m_words) {
        show(); // repeating the same message costs nothing
        return;
    }
    m_level = level;
    m_words = words;
    m_text->setText(words);
    m_text->setFocusPolicy(markup.contains("<a ") ? Qt::TabFocus : Qt::NoFocus);
    m_sentence = plainOf(markup);
    setAccessibleName(QString("%1 %2").arg(lead, m_sentence));
    show();
    update();
}

void Strip::setActions(const QList<QAction*>& actions)
{
    const auto isShown = [this](qsizetype i) {
        const auto* item = m_buttons->itemAt(static_cast<int>(i));
        return item ? static_cast<const Button*>(item->widget())->action() : nullptr;
    };
    bool same = m_buttons->count() == actions.size();
    for (qsizetype i = 0; same && i < actions.size(); ++i) {
        same = isShown(i) == actions[i];
    }
    if (same) {
        return;
    }
    while (QLayoutItem* item = m_buttons->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (int i = 0; i < actions.size(); ++i) {
        const bool last = i + 1 == actions.size();
        m_buttons->addWidget(
            new Button(last ? Button::Kind::Plain : Button::Kind::Quiet, actions[i], this));
    }
}

void Strip::setDismissible(bool dismissible)
{
    m_close->setVisible(dismissible);
}

void Strip::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    paintSurface(painter, rect(), 8, lookOf(m_level).ground);
}

} // namespace cannery::ui
