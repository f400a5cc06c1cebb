// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QFrame>

class QAction;
class QHBoxLayout;
class QLabel;

namespace cannery::ui {

class IconButton;
class LinkLabel;

/// A page's inline message: at most one at a time, with at most two buttons.
class Strip : public QFrame
{
    Q_OBJECT

public:
    enum class Level
    {
        Info,
        Warning,
        Error,
    };

    explicit Strip(QWidget* parent = nullptr);

    /// Shows the strip. Both texts are plain, including names from a project.
    void setMessage(Level level, const QString& lead, const QString& sentence);
    /// Like setMessage(), with links (<a href="page:data">…</a>); names in it must be escaped.
    void setMessageWithLinks(Level level, const QString& lead, const QString& markup);
    /// Replaces the buttons; the actions are not owned.
    void setActions(const QList<QAction*>& actions);
    /// A close button at the end that hides the strip.
    void setDismissible(bool dismissible);
    Level level() const { return m_level; }
    /// The sentence as plain text.
    const QString& text() const { return m_sentence; }

Q_SIGNALS:
    void linkActivated(const QString& link);
    void dismissed();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Level m_level = Level::Info;
    QString m_sentence;
    QString m_words; ///< as set on the label
    QLabel* m_icon;
    LinkLabel* m_text;
    QHBoxLayout* m_buttons;
    IconButton* m_close;
};

} // namespace cannery::ui
