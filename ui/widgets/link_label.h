#pragma once

#include "ui/widgets/label.h"

namespace cannery::ui {

/// Text whose links (<a href="page:data">Data page</a>) have the accent colour and are reached by
/// Tab. Listen to linkActivated().
class LinkLabel : public Label
{
    Q_OBJECT

public:
    explicit LinkLabel(const QString& text = {}, TextRole role = TextRole::Body,
                       Ink ink = Ink::Secondary, QWidget* parent = nullptr);
};

} // namespace cannery::ui
