#pragma once

#include "ui/widgets/button.h"

#include <QDialog>

class QHBoxLayout;
class QVBoxLayout;

namespace cannery::ui {

class Label;
class LinkLabel;

/// A dialog 440 wide: title, one sentence, content, buttons at the end, the safest one the default.
/// Content goes into body().
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

private:
    Label* m_title;
    LinkLabel* m_sentence;
    QVBoxLayout* m_body;
    QHBoxLayout* m_buttons;
};

} // namespace cannery::ui
