// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/widgets/label.h"

namespace cannery::ui {

/// Text whose links (<a href="page:data">Data page</a>) have the accent colour and are reached by
/// Tab; emits linkActivated(). Only the HTML that withLinksOnly() keeps is interpreted; callers
/// escape names in a sentence.
class LinkLabel : public Label
{
    Q_OBJECT

public:
    explicit LinkLabel(const QString& text = {}, TextRole role = TextRole::Body,
                       Ink ink = Ink::Secondary, QWidget* parent = nullptr);

    /// Hides QLabel's: unsafe text never reaches it.
    void setText(const QString& markup);
};

} // namespace cannery::ui
