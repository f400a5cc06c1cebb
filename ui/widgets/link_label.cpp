#include "ui/widgets/link_label.h"

namespace cannery::ui {

LinkLabel::LinkLabel(const QString& text, TextRole role, Ink ink, QWidget* parent)
    : Label(text, role, ink, parent)
{
    setTextFormat(Qt::RichText);
    setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    setWordWrap(true);
    setFocusPolicy(Qt::TabFocus);
}

} // namespace cannery::ui
