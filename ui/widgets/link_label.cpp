// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/link_label.h"

#include "ui/models/markup.h"

namespace cannery::ui {

LinkLabel::LinkLabel(const QString& text, TextRole role, Ink ink, QWidget* parent)
    : Label({}, role, ink, parent)
{
    setTextFormat(Qt::RichText);
    setText(text);
    setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    setWordWrap(true);
    setFocusPolicy(Qt::TabFocus);
}

void LinkLabel::setText(const QString& markup)
{
    Label::setText(withLinksOnly(markup));
}

} // namespace cannery::ui
