#include "ui/widgets/label.h"

namespace cannery::ui {

Label::Label(const QString& text, TextRole role, Ink ink, QWidget* parent)
    : QLabel(text, parent), m_role(role), m_ink(ink)
{
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

void Label::followTheme()
{
    setFont(textFont(m_role));
    QPalette colours;
    colours.setColor(QPalette::WindowText, inkColour(m_ink));
    colours.setColor(QPalette::Disabled, QPalette::WindowText, tokens().text3);
    colours.setColor(QPalette::Link, tokens().accent);
    colours.setColor(QPalette::LinkVisited, tokens().accent);
    setPalette(colours);
    if (textFormat() != Qt::PlainText && text().contains('<')) {
        // Rich text keeps the link colour that it was laid out with.
        const QString words = text();
        setText({});
        setText(words);
    }
}

} // namespace cannery::ui
