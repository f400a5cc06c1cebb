// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/charts/curves/chart_commands.h"
#include "ui/charts/curves/curve.h"
#include "ui/charts/repaint_clock.h"
#include "ui/models/curves/chart_options.h"

#include <QList>
#include <QSet>
#include <QWidget>

#include <memory>
#include <optional>

class QMenu;

namespace cannery::ui {

class ChartCanvas;
class ChartCursor;
class ChartHeader;
class ChartLink;
class ChartOutput;

/// A chart in a card: title, last value, legend, curves from the min-max pyramid, cursor, zoom,
/// menu, keys, spoken summary and a value table for assistive technology. Repaints only if it is
/// visible and its content has changed. The card connects its parts: each does its work without
/// knowing the card. GUI thread.
class ChartCard : public QWidget
{
    Q_OBJECT

public:
    enum class Size
    {
        Large,  ///< Train's two large charts
        Normal, ///< in a grid
        Small,  ///< Train's row of small charts
    };

    explicit ChartCard(Size size = Size::Normal, QWidget* parent = nullptr);
    ~ChartCard() override;

    /// Sets the tag: the object name "chart.<tag>", the name of saved files, and the data of a drag
    /// of its title ("application/x-cannery-tag").
    void setTag(const QString& tag);
    QString tag() const;
    void setCurves(const QList<Curve>& curves);
    const QList<Curve>& curves() const;
    void setMarks(const QList<ChartMark>& marks);
    /// The last point of a curve is marked with a dot while its run is live.
    void setLiveRuns(const QSet<QString>& runs);
    /// The store has new points for these series; others are ignored.
    void seriesChanged(const QSet<SeriesKey>& keys);
    /// Highlights the curves of this run and fades the others; empty: none.
    void setEmphasis(const QString& run);

    void setOptions(const ChartOptions& options);
    const ChartOptions& options() const;
    /// Cards with the same link share cursor and x range. Not owned; null: none.
    void setLink(ChartLink* link);
    void setTimeSource(TimeSource* source);

    /// Runs the command, as its key does; pages forward the window's actions to the focused card.
    void perform(ChartCommand command);
    bool isChecked(ChartCommand command) const; ///< for commands that toggle something

    ChartHeader& header() const; ///< title, headline, note, summary
    ChartCursor& cursor() const;
    ChartOutput& output() const;       ///< pictures, files, table
    const ChartCanvas& canvas() const; ///< what is painted, and its plot

Q_SIGNALS:
    void optionsChanged(); ///< by the user: zoom, log, smoothing …
    void cursorMoved();
    void runHovered(const QString& run);
    void pinRequested();
    /// The ⋯ menu is about to be shown: pages may add to it.
    void menuAboutToShow(QMenu* menu);
    /// A background export ended; `error` is empty on success.
    void exported(const QString& file, const QString& error);
    /// A tag was dropped on the card.
    void tagDropped(const QString& tag);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

private:
    struct Parts;

    void connectParts();
    void request(RepaintClock::Cause cause);
    RepaintClock::Pace pace() const;
    void tick();
    void arrange();
    void updatePointer();
    bool isInHeader(const QPointF& position) const;
    void escape();
    void showMenu(const QPoint& globalPosition);

    Size m_size;
    bool m_byPerson = true;
    bool m_missedWhileHidden = false;
    std::optional<QPointF> m_titlePressedAt; ///< where a drag of the title may begin
    std::unique_ptr<Parts> m_parts;
};

} // namespace cannery::ui
