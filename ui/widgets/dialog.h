// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/widgets/button.h"

#include <QDialog>

class QHBoxLayout;
class QVBoxLayout;

namespace cannery::ui {

class Label;

/// A dialog 440 wide: title, one sentence, content, buttons at the end; the safest button is the
/// default. Content goes into body(). Its height follows its texts; if the window has no room for
/// that, the content scrolls, and title and buttons stay.
class Dialog : public QDialog
{
    Q_OBJECT

public:
    explicit Dialog(const QString& title, QWidget* parent = nullptr);

    void setSentence(const QString& sentence);
    QVBoxLayout* body() { return m_body; }
    /// Design pixels; 440 by default.
    void setContentWidth(int width);
    /// Buttons are added from left to right. A click ends the dialog with `result` unless that is
    /// keepsOpen.
    Button* addButton(Button::Kind kind, const QString& text, int result, bool isDefault = false);
    static constexpr int keepsOpen = -1;

protected:
    void showEvent(QShowEvent* event) override;
    bool event(QEvent* event) override;

private:
    class Body;

    void fit();

    Label* m_title;
    Label* m_sentence;
    Body* m_area;
    QVBoxLayout* m_body;
    QHBoxLayout* m_buttons;
    int m_width; ///< design pixels
    QSize m_fitted;
};

} // namespace cannery::ui
