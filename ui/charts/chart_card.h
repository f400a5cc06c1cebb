#pragma once

#include "ui/models/chart_options.h"
#include "ui/models/series.h"

#include <QColor>
#include <QSet>
#include <QWidget>

#include <memory>
#include <optional>

namespace cannery::ui {

class ChartLink;

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

    void setTitle(const QString& title);
    QString title() const;
    /// Grey words before the headline number: "best 0.8388", "loading 38 %".
    void setNote(const QString& note);
    void setCurves(const QList<Curve>& curves);
    const QList<Curve>& curves() const;
    void setMarks(const QList<ChartMark>& marks);

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

    // What tests and benchmarks count.
    int paintCount() const;       ///< of the curve layer
    int vertexCount() const;      ///< drawn by the last paint of the curve layer
    QRectF plotRectangle() const; ///< in card coordinates
    AxisLimits visibleX() const;  ///< in units of the x axis (log: of the value itself)
    AxisLimits visibleY() const;

    QImage toImage(qreal scale = 2) const;
    bool exportTo(const QString& file, QString* error) const; ///< .png .svg .pdf .csv by ending
    QString valuesAsText() const;                             ///< of the cursor, tab-separated

Q_SIGNALS:
    void optionsChanged(); ///< by the person: zoom, log, smoothing …
    void cursorMoved();
    void runHovered(const QString& run);
    void pinRequested();
    /// A tag was dropped on the card.
    void tagDropped(const QString& tag);

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace cannery::ui
