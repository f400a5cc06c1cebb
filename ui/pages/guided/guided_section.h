// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/widgets/card.h"

namespace cannery::ui {

class Button;

/// One question of a guided run: a numbered title that folds it, its answer in one line, and below
/// the content with a button to the next one.
class GuidedSection : public Card
{
    Q_OBJECT

public:
    /// Takes the content. `id`: of the object names ("fold.guided.table").
    GuidedSection(int number, const QString& id, const QString& title, QWidget* content,
                  QWidget* parent = nullptr);

    /// The answer: beside the title while the section is folded.
    void setSummary(const QString& summary);
    QString summary() const;
    /// Whether the answer will do: shown by a tick.
    void setAnswered(bool isAnswered);
    /// Why it cannot be unfolded yet, a sentence; empty if it can.
    void setHindrance(const QString& sentence);
    void setOpen(bool isOpen);
    bool isOpen() const;
    /// The button to the next section, hidden until it is given a text.
    void setContinue(const QString& text);
    void setContinueHindrance(const QString& sentence);
    /// Puts the keyboard focus onto the title.
    void focusTitle();

Q_SIGNALS:
    void toggled(bool isOpen);
    void continued();

private:
    class Head;

    Head* m_head;
    QWidget* m_content;
    Button* m_continue;
};

} // namespace cannery::ui
