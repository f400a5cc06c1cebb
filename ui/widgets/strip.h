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

    /// `sentence` may hold links (<a href="page:data">…</a>). Shows the strip.
    void setMessage(Level level, const QString& lead, const QString& sentence);
    /// Replaces the buttons; the actions are not owned.
    void setActions(const QList<QAction*>& actions);
    /// A cross at the end that hides the strip.
    void setDismissible(bool dismissible);
    Level level() const { return m_level; }
    QString text() const;

Q_SIGNALS:
    void linkActivated(const QString& link);
    void dismissed();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Level m_level = Level::Info;
    QLabel* m_icon;
    LinkLabel* m_text;
    QHBoxLayout* m_buttons;
    IconButton* m_close;
};

} // namespace cannery::ui
