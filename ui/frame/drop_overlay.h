// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>

namespace cannery::ui {

/// Shows what a drop would do, over the whole window during a drag.
class DropOverlay : public QWidget
{
    Q_OBJECT

public:
    explicit DropOverlay(QWidget* host);

    /// "Create a project from passengers.csv".
    void appear(const QString& sentence);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_sentence;
};

/// What the window would do with a path, by its name alone.
QString dropSentence(const QString& path);

} // namespace cannery::ui
