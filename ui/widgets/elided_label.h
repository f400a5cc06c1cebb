// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/widgets/label.h"

namespace cannery::ui {

/// Plain text on one line that is cut with "…" if there is no room; the tooltip then shows all of
/// it.
class ElidedLabel : public Label
{
    Q_OBJECT

public:
    explicit ElidedLabel(const QString& text = {}, TextRole role = TextRole::Body,
                         Ink ink = Ink::Text, QWidget* parent = nullptr);

    void setElideMode(Qt::TextElideMode mode);
    bool isElided() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    Qt::TextElideMode m_mode = Qt::ElideRight;
};

} // namespace cannery::ui
