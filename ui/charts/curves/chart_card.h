// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/curves/chart_options.h"
#include "ui/models/curves/series.h"

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

/// A line computed from several runs: centre and band by step (a group of seeds).
struct BandCurve
{
    std::vector<double> steps;
    std::vector<float> centre;
    std::vector<float> low;
    std::vector<float> high;
    std::vector<int> counts; ///< number of runs with a value there
};

/// One curve of a card. Exactly one of series and band is set.
struct Curve
{
    const Series* series = nullptr; ///< owned by the SeriesStore
    std::shared_ptr<const BandCurve> band;
    QString label; ///< "run-012"
    QString run;   ///< the run's identity, for hovering and picking
    int colourSlot = 0;
    bool dashed = false; ///< for evaluation only
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
    double value = 0; ///< for Best
};

/// One row of the readout at the cursor: the logged value, not a drawn vertex.
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

/// The commands of a chart's keys, its menu and the window's actions.
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
/// menu, keys, spoken summary and a value table for assistive technology. Repaints only if it is
/// visible and its content has changed. GUI thread.
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
    void setTitle(const QString& title);
    QString title() const;
    /// Grey text before the headline number: "best 0.8388", "loading 38 %".
    void setNote(const QString& note);
    /// The label of the one-run curve whose last value is the headline; the label is shown next to
    /// it, and the values of the others are smaller and labelled too. Empty: the first curve,
    /// without labels.
    void setHeadline(const QString& label);
    void setCurves(const QList<Curve>& curves);
    const QList<Curve>& curves() const;
    void setMarks(const QList<ChartMark>& marks);
    /// The last point of a curve is marked with a dot while its run is live.
    void setLiveRuns(const QSet<QString>& runs);
    /// False: only the hairline and its dots follow the pointer.
    void setHoverReadoutShown(bool shown);

    void setOptions(const ChartOptions& options);
    const ChartOptions& options() const;
    /// Cards with the same link share cursor and x range. Not owned; null: none.
    void setLink(ChartLink* link);

    /// The store has new points for these series; others are ignored.
    void seriesChanged(const QSet<SeriesKey>& keys);
    /// Highlights the curves of this run and fades the others; empty: none.
    void setEmphasis(const QString& run);

    /// Rows at the x of the cursor, largest value first; empty without a cursor.
    QList<ReadoutRow> readout() const;
    QString summary() const; ///< "loss, 2 runs, last 0.31, falling"

    /// Runs the command, as its key does; pages forward the window's actions to the focused card.
    void perform(ChartCommand command);
    bool isChecked(ChartCommand command) const; ///< for commands that toggle something
    /// In units of the x axis; empty: no cursor.
    void setCursor(std::optional<double> x);
    std::optional<double> cursor() const;
    /// The keys ← → walk along it, and Data Table shows it first.
    int currentCurve() const;
    /// A snapshot of all points of the visible range: one row per step, one column per curve.
    QAbstractItemModel* valueTable() const;
    /// The number of logged non-finite values, and of values that a log axis cannot show.
    qint64 nonFiniteCount() const;
    qint64 hiddenCount() const;
    void setTimeSource(TimeSource* source);

    // Counters for tests and benchmarks.
    int paintCount() const;       ///< of the curve layer
    int vertexCount() const;      ///< drawn by the last paint of the curve layer
    QRectF plotRectangle() const; ///< in card coordinates
    AxisLimits visibleX() const;  ///< in units of the x axis (log: of the value itself)
    AxisLimits visibleY() const;

    QImage toImage(qreal scale = 2) const;
    bool exportTo(const QString& file,
                  QString* error) const; ///< .png, .svg, .pdf or .csv by its suffix
    /// Like exportTo(), but writes on another thread; ends with exported().
    void exportInBackground(const QString& file);
    QString valuesAsText() const; ///< at the cursor, tab-separated

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
