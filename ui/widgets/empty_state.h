// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>

class QAction;
class QVBoxLayout;

namespace cannery::ui {

class Label;
class LinkLabel;

/// Shown while there is nothing yet: a faint sketch of what will be here, a title, one sentence,
/// one primary and at most one plain button, the shortcut.
class EmptyState : public QWidget
{
    Q_OBJECT

public:
    enum class Sketch
    {
        None, ///< only the disc with the icon
        Curve,
        Table,
        Boxes,
    };

    explicit EmptyState(QWidget* parent = nullptr);

    void setPicture(Sketch sketch, const QString& iconName);
    void setTitle(const QString& title);
    /// May contain links.
    void setSentence(const QString& sentence);
    /// Not owned; null for no button.
    void setPrimaryAction(QAction* action, const QString& text = {});
    void setPlainAction(QAction* action, const QString& text = {});
    /// "Ctrl+R trains from any page".
    void setHint(const QString& hint);
    /// A widget below the hint, such as a card of facts. Takes it.
    void setFooter(QWidget* footer);

Q_SIGNALS:
    void linkActivated(const QString& link);

private:
    void setButton(int place, QAction* action, const QString& text);

    class Picture;
    Picture* m_picture;
    Label* m_title;
    LinkLabel* m_sentence;
    QWidget* m_buttons;
    Label* m_hint;
    QVBoxLayout* m_column;
    QWidget* m_placed[2] = {nullptr, nullptr};
    QString m_words[2];
};

} // namespace cannery::ui
