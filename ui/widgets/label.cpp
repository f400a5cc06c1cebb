// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/label.h"

#include "ui/widgets/style/painting.h"

#include <QPainter>

namespace cannery::ui {
namespace {

constexpr double kRadius = 4;
constexpr int kMostMeasured = 16; ///< widths; more occur only while a window is resized

} // namespace

Label::Label(const QString& text, TextRole role, Ink ink, QWidget* parent)
    : QLabel(parent), m_role(role), m_ink(ink)
{
    setTextFormat(Qt::PlainText);
    setText(text);
    followTheme();
    connect(&themeWatch(), &ThemeWatch::changed, this, &Label::followTheme);
}

void Label::setInk(Ink ink)
{
    if (ink != m_ink) {
        m_ink = ink;
        followTheme();
    }
}

void Label::paintEvent(QPaintEvent* event)
{
    QLabel::paintEvent(event);
    if (showsFocusRing(*this)) {
        QPainter painter(this);
        paintFocusRing(painter, rect(), kRadius);
    }
}

int Label::heightForWidth(int width) const
{
    if (!wordWrap()) {
        return QLabel::heightForWidth(width);
    }
    const QMargins margins = contentsMargins();
    if (m_measured.text != text() || m_measured.font != font() || m_measured.margins != margins ||
        m_measured.heights.size() >= kMostMeasured) {
        m_measured = {text(), font(), margins, {}};
    }
    const auto known = m_measured.heights.constFind(width);
    if (known != m_measured.heights.constEnd()) {
        return *known;
    }
    ++m_layouts;
    const int height = QLabel::heightForWidth(width);
    m_measured.heights.insert(width, height);
    return height;
}

void Label::followTheme()
{
    setFont(textFont(m_role));
    QPalette colours;
    colours.setColor(QPalette::WindowText, inkColour(m_ink));
    colours.setColor(QPalette::Disabled, QPalette::WindowText, tokens().text3);
    colours.setColor(QPalette::Link, tokens().accent);
    colours.setColor(QPalette::LinkVisited, tokens().accent);
    setPalette(colours);
    if (textFormat() == Qt::RichText && text().contains('<')) {
        // Rich text keeps the link colour of its layout.
        const QString words = text();
        setText({});
        setText(words);
    }
}

} // namespace cannery::ui
