// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/widgets/style/theme.h"

#include <QHash>
#include <QLabel>

namespace cannery::ui {

/// Plain text in a text role and an ink; both follow the theme and the text scale. Names from a
/// project are shown literally; for links use LinkLabel.
class Label : public QLabel
{
    Q_OBJECT

public:
    explicit Label(const QString& text = {}, TextRole role = TextRole::Body, Ink ink = Ink::Text,
                   QWidget* parent = nullptr);

    void setInk(Ink ink);

    /// A layout asks several times for every change near it, and laying out a text is expensive.
    int heightForWidth(int width) const override;
    /// How often a text was laid out for that, for tests.
    int layouts() const { return m_layouts; }

protected:
    /// With the focus ring of a label that has links.
    void paintEvent(QPaintEvent* event) override;

private:
    struct Measured
    {
        QString text;
        QFont font;
        QMargins margins;
        QHash<int, int> heights; ///< by width
    };

    void followTheme();

    TextRole m_role;
    Ink m_ink;
    mutable Measured m_measured;
    mutable int m_layouts = 0;
};

} // namespace cannery::ui
