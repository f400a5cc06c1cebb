// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/chart_options.h"
#include "ui/models/series.h"

#include <QColor>
#include <QSet>
#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

class QAbstractItemModel;
class QMenu;

namespace cannery::ui {

class ChartLink;
class TimeSource;

/// A line computed from several runs: centre and band over steps (a group of seeds).
struct BandCurve
{
    std::vector<double> steps;
    std::vector<float> centre;
    std::vector<float> low;
    std::vector<float> high;
    std::vector<int> counts; ///< runs that have a value there
};

/// One curve of a card. Exactly one of series and band is set.
struct Curve
{
    const Series* series = nullptr; ///< of the SeriesStore
    std::shared_ptr<const BandCurve> band;
    QString label; ///< "run-012"
    QString run;   ///< identity, for hovering and picking
    int colourSlot = 0;
    bool dashed = false; ///< evaluation, and nothing else
};

/// A diamond on the x axis, or the star of the best value.
struct ChartMark
{
    enum class Kind
    {
        Checkpoint,
        Best,
    };
    Kind kind = Kind::Checkpoint;
    double step = 0;
    double value = 0; ///< of Best
};

/// One row of the read-out at the cursor: the logged value itself, never a drawn vertex.
struct ReadoutRow
{
    QString run;
    QString label;
    int colourSlot = 0;
    bool dashed = false;
    qint64 step = 0;
    float value = 0;
    std::optional<double> smoothed;
    double wallTime = 0; ///< seconds since 1970
    double sinceStart = 0;
};

/// What a person asks of a chart by its keys, its menu or the actions of the window.
enum class ChartCommand
{
    LogX,
    LogY,
    NextXAxis,
    Outliers,
    LessSmoothing,
    MoreSmoothing,
    ZoomIn,
    ZoomOut,
    ResetZoom,
    UndoZoom,
    Follow,
    ShowOverwritten,
    SetLimits,
    PreviousPoint,
    NextPoint,
    PreviousRun,
    NextRun,
    PinReadout,
    CopyValues,
    CopyImage,
    SaveAs,
    DataTable,
};

/// A chart in a card: title, last value, legend, curves from the min-max pyramid, cursor, zoom,
/// menu, keys, spoken summary and a value table for assistive technology. Repaints only when what
/// it shows changed and it can be seen. GUI thread.
class ChartCard : public QWidget
{
    Q_OBJECT

public:
    enum class Size
    {
        Large,  ///< Train's two
        Normal, ///< of a grid
        Small,  ///< Train's row of small ones
    };

    explicit ChartCard(Size size = Size::Normal, QWidget* parent = nullptr);
    ~ChartCard() override;

    /// What it shows: object name "chart.<tag>", name of saved files, what a drag of its title
    /// carries ("application/x-cannery-tag").
    void setTag(const QString& tag);
    QString tag() const;
    void setTitle(const QString& title);
    QString title() const;
    /// Grey words before the headline number: "best 0.8388", "loading 38 %".
    void setNote(const QString& note);
    /// The curve of one run whose last value is the headline, by its label, which then stands
    /// beside it; the values of the others are smaller and labelled too. Empty: the first curve,
    /// without words.
    void setHeadline(const QString& label);
    void setCurves(const QList<Curve>& curves);
    const QList<Curve>& curves() const;
    void setMarks(const QList<ChartMark>& marks);
    /// The last curve point carries a dot while its run is live.
    void setLiveRuns(const QSet<QString>& runs);
    /// Off: only the hairline and its dots follow the pointer.
    void setHoverReadoutShown(bool shown);

    void setOptions(const ChartOptions& options);
    const ChartOptions& options() const;
    /// Cards of one link share cursor and x range. Not owned; null: alone.
    void setLink(ChartLink* link);

    /// The store has new points of these; others are ignored.
    void seriesChanged(const QSet<SeriesKey>& keys);
    /// Curves of this run come forward, others fade; empty: none.
    void setEmphasis(const QString& run);

    /// Rows at the x of the cursor, greatest value first; empty without a cursor.
    QList<ReadoutRow> readout() const;
    QString summary() const; ///< "loss, 2 runs, last 0.31, falling"

    /// The same as its key; pages forward the actions of the window to the card with the focus.
    void perform(ChartCommand command);
    bool isChecked(ChartCommand command) const; ///< of those that switch something
    /// In units of the x axis; nothing: no cursor.
    void setCursor(std::optional<double> x);
    std::optional<double> cursor() const;
    /// What the keys ← → walk along and Data Table shows first.
    int currentCurve() const;
    /// All points of the visible range, a step a row and a curve a column; of this moment.
    QAbstractItemModel* valueTable() const;
    /// Non-finite values logged, and values that a log axis cannot show.
    qint64 nonFiniteCount() const;
    qint64 hiddenCount() const;
    void setTimeSource(TimeSource* source);

    // What tests and benchmarks count.
    int paintCount() const;       ///< of the curve layer
    int vertexCount() const;      ///< drawn by the last paint of the curve layer
    QRectF plotRectangle() const; ///< in card coordinates
    AxisLimits visibleX() const;  ///< in units of the x axis (log: of the value itself)
    AxisLimits visibleY() const;

    QImage toImage(qreal scale = 2) const;
    bool exportTo(const QString& file, QString* error) const; ///< .png .svg .pdf .csv by ending
    /// The same, written on another thread; ends with exported().
    void exportInBackground(const QString& file);
    QString valuesAsText() const; ///< of the cursor, tab-separated

Q_SIGNALS:
    void optionsChanged(); ///< by the person: zoom, log, smoothing …
    void cursorMoved();
    void runHovered(const QString& run);
    void pinRequested();
    /// The ⋯ menu is about to show: pages may add to it.
    void menuAboutToShow(QMenu* menu);
    /// A background export ended; `error` is empty when it went well.
    void exported(const QString& file, const QString& error);
    /// A tag was dropped on the card.
    void tagDropped(const QString& tag);

protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
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
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace cannery::ui
