// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/widgets/button.h"

#include <QDialog>

class QHBoxLayout;
class QVBoxLayout;

namespace cannery::ui {

class Label;

/// A dialog 440 wide: title, one sentence, content, buttons at the end, the safest one the default.
/// Content goes into body(). It is as high as its texts need and follows them; where the window has
/// no room for that, the content is scrolled and title and buttons stay.
class Dialog : public QDialog
{
    Q_OBJECT

public:
    explicit Dialog(const QString& title, QWidget* parent = nullptr);

    void setSentence(const QString& sentence);
    QVBoxLayout* body() { return m_body; }
    /// Design pixels; 440 at first.
    void setContentWidth(int width);
    /// Buttons stand from left to right in the order they are added. A press ends the dialog with
    /// `result` unless that is keepsOpen.
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
