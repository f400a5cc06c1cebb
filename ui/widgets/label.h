#pragma once

#include "ui/widgets/theme.h"

#include <QLabel>

namespace cannery::ui {

/// Text in a role of type and an ink; both follow the theme and the text scale.
class Label : public QLabel
{
    Q_OBJECT

public:
    explicit Label(const QString& text = {}, TextRole role = TextRole::Body, Ink ink = Ink::Text,
                   QWidget* parent = nullptr);

    void setInk(Ink ink);

private:
    void followTheme();

    TextRole m_role;
    Ink m_ink;
};

} // namespace cannery::ui
