// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QStringList>
#include <QWidget>

class QDropEvent;
class QDragMoveEvent;

namespace cannery::ui {

/// A place to drop things on: a title and what is there now, on a ground that shows while something
/// can be dropped. The caller sets its object name and its tooltip. GUI thread.
class DropTile : public QWidget
{
    Q_OBJECT

public:
    /// `mimeTypes`: what it takes; `series`: its hue, a series of the theme, or -1 for a grey one.
    DropTile(const QString& title, const QStringList& mimeTypes, int series,
             QWidget* parent = nullptr);

    /// What is there, in words.
    void setWords(const QString& words);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    /// The event is valid during the call.
    void dropped(const QDropEvent& event);

protected:
    void paintEvent(QPaintEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    bool takes(const QDropEvent& event) const;
    void take(QDragMoveEvent& event);
    void setOver(bool isOver);

    QString m_title;
    QStringList m_mimeTypes;
    int m_series;
    QString m_words;
    bool m_isOver = false;
};

} // namespace cannery::ui
