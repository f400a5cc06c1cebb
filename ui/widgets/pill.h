// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_snapshot.h"

#include <QLabel>

namespace cannery::ui {

/// A state in a rounded patch: icon and word, never colour alone.
class Pill : public QLabel
{
    Q_OBJECT

public:
    enum class Kind
    {
        Neutral,
        Accent,
        Ok,
        Warn,
        Error,
    };

    explicit Pill(QWidget* parent = nullptr);

    void setState(Kind kind, const QString& iconName, const QString& text);
    Kind kind() const { return m_kind; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Kind m_kind = Kind::Neutral;
    QString m_iconName;
};

/// The look of a run's state, for pills, delegates and menus alike.
struct StateLook
{
    Pill::Kind kind = Pill::Kind::Neutral;
    const char* icon = "";
};
StateLook stateLook(RunState state);
/// Foreground and background of a kind in the current theme.
QColor pillInk(Pill::Kind kind);
QColor pillGround(Pill::Kind kind);

void showState(Pill& pill, RunState state);
Pill* statePill(RunState state, QWidget* parent = nullptr);

/// Draws a pill at the left centre of the rectangle (right centre in right-to-left layouts), for
/// delegates. Returns its size.
QSize paintPill(QPainter& painter, const QRect& where, Pill::Kind kind, const QString& iconName,
                const QString& text, Qt::LayoutDirection direction = Qt::LeftToRight);

} // namespace cannery::ui
