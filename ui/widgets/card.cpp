// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/card.h"

#include "ui/widgets/label.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QPainter>
#include <QVBoxLayout>

namespace cannery::ui {
namespace {

constexpr double kRadius = 8;
constexpr int kPadding = 16; ///< design pixels

} // namespace

Card::Card(QWidget* parent) : QFrame(parent), m_body(new QVBoxLayout(this))
{
    const auto follow = [this] {
        const int padding = scaled(kPadding);
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

void Card::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    paintSurface(painter, rect(), kRadius, tokens().surface, QColor());
}

} // namespace cannery::ui
