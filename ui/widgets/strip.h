// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QFrame>

class QAction;
class QHBoxLayout;
class QLabel;

namespace cannery::ui {

class IconButton;
class LinkLabel;

/// The inline message of a page: at most one is shown at a time, with at most two buttons.
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

    /// Shows the strip. Both are plain text, names out of a project too.
    void setMessage(Level level, const QString& lead, const QString& sentence);
    /// The same with links (<a href="page:data">…</a>); names in it are escaped.
    void setMessageWithLinks(Level level, const QString& lead, const QString& markup);
    /// Replaces the buttons; the actions are not owned.
    void setActions(const QList<QAction*>& actions);
    /// A cross at the end that hides the strip.
    void setDismissible(bool dismissible);
    Level level() const { return m_level; }
    /// The sentence, plain.
    const QString& text() const { return m_sentence; }

Q_SIGNALS:
    void linkActivated(const QString& link);
    void dismissed();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Level m_level = Level::Info;
    QString m_sentence;
    QString m_words; ///< as given to the label
    QLabel* m_icon;
    LinkLabel* m_text;
    QHBoxLayout* m_buttons;
    IconButton* m_close;
};

} // namespace cannery::ui
