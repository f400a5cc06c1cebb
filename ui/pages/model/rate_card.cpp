// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/model/rate_card.h"

#include "ui/charts/steps/step_canvas.h"
#include "ui/document/field_schema.h"
#include "ui/models/curves/axis_scale.h"
#include "ui/models/formats.h"
#include "ui/widgets/label.h"
#include "ui/widgets/style/painting.h"

#include <QKeyEvent>
#include <QPainter>
#include <QPolygonF>
#include <QVBoxLayout>

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr int kCurveHeight = 130;
constexpr int kRateTicks = 4;
constexpr qsizetype kKeyStride = 10; ///< points that an arrow key skips

/// The curve that has a point wherever another one has.
const LearningRateFacts& finest(const QList<LearningRateFacts>& curves)
{
    return *std::max_element(curves.begin(), curves.end(), [](const auto& a, const auto& b) {
        return a.points.size() < b.points.size();
    });
}

// The rate of the next step for which it was computed: between two, it may jump.
double rateAt(const LearningRateFacts& curve, double step)
{
    const auto next = std::find_if(curve.points.begin(), curve.points.end(),
                                   [&](const QPointF& point) { return point.x() >= step; });
    return next == curve.points.end() ? curve.points.last().y() : next->y();
}

class RatePicture : public StepPicture
{
public:
    explicit RatePicture(QList<LearningRateFacts> curves) : m_curves(std::move(curves))
    {
        double highest = 0;
        for (const LearningRateFacts& curve : m_curves) {
            for (const QPointF& point : curve.points) {
                highest = std::max(highest, point.y());
            }
            m_last = std::max(m_last, curve.points.last().x());
        }
        m_y = AxisScale(niceLimits({0, highest > 0 ? highest : 1}, false, kRateTicks), false);
        m_x = AxisScale({0, m_last}, false);
    }

    void layOut(const QSizeF& size) override
    {
        const AxisTicks y = makeTicks(m_y, TickFormat::Number, kRateTicks);
        const AxisTicks x = makeTicks(m_x, TickFormat::Count, kRateTicks);
        setPlot(size, y.labels);
        m_xLabels = labels(m_x, x);
        m_yLabels = labels(m_y, y);
    }

    void paint(QPainter& painter) const override
    {
        for (int i = 0; i < m_curves.size(); ++i) {
            QPolygonF line;
            for (const QPointF& point : m_curves[i].points) {
                line.append(place(point));
            }
            painter.setPen(QPen(seriesColour(i), 2));
            painter.drawPolyline(line);
        }
    }

    void paintCursor(QPainter& painter, qsizetype number) const override
    {
        const double step = finest(m_curves).points[number].x();
        painter.setRenderHint(QPainter::Antialiasing);
        for (int i = 0; i < m_curves.size(); ++i) {
            painter.setPen(QPen(tokens().surface, 1.5));
            painter.setBrush(seriesColour(i));
            painter.drawEllipse(place({step, rateAt(m_curves[i], step)}), 4.5, 4.5);
        }
    }

    qsizetype stepAt(const QPointF& where) const override
    {
        const double share = (where.x() - m_plot.left()) / m_plot.width();
        const auto last = static_cast<double>(finest(m_curves).points.size() - 1);
        return static_cast<qsizetype>(std::clamp(share * last, 0.0, last) + 0.5);
    }

private:
    static QList<AxisLabel> labels(const AxisScale& scale, const AxisTicks& ticks)
    {
        QList<AxisLabel> labels;
        for (std::size_t i = 0; i < ticks.values.size(); ++i) {
            labels.append({scale.toPosition(ticks.values[i]), ticks.labels[qsizetype(i)]});
        }
        return labels;
    }

    QPointF place(const QPointF& point) const
    {
        return {m_plot.left() + m_x.toPosition(point.x()) * m_plot.width(),
                m_plot.bottom() - m_y.toPosition(point.y()) * m_plot.height()};
    }

    QList<LearningRateFacts> m_curves;
    double m_last = 1;
    AxisScale m_x;
    AxisScale m_y;
};

/// A rate as it was typed, if that is short; otherwise rounded.
QString rateText(double rate)
{
    constexpr qsizetype kShort = 7;
    // A rate is a float, whose shortest exact text is what was typed.
    const QString exact = formatExact(static_cast<float>(rate));
    return exact.size() <= kShort ? exact : formatNumber(rate);
}

QString labelAt(const QString& path)
{
    const std::optional<FieldSchema> schema = fieldSchema(path);
    return schema ? schema->label : path;
}

} // namespace

RateCard::RateCard(QWidget* parent)
    : Card(tr("Learning rate"), parent), m_canvas(new StepCanvas),
      m_words(new Label({}, TextRole::Label, Ink::Secondary))
{
    setObjectName("card.rates");
    setAccessibleName(tr("Learning rate over the planned steps"));
    setFocusPolicy(Qt::StrongFocus);
    m_canvas->setFixedHeight(scaled(kCurveHeight));
    connect(&themeWatch(), &ThemeWatch::changed, this,
            [this] { m_canvas->setFixedHeight(scaled(kCurveHeight)); });
    m_words->setObjectName("words.rates");
    m_words->setWordWrap(true);
    body()->addWidget(m_canvas);
    body()->addWidget(m_words);
    connect(m_canvas, &StepCanvas::stepHovered, this, &RateCard::showPoint);
    hide();
}

QString RateCard::sentenceOf(const LearningRateFacts& curve) const
{
    const QList<QPointF>& points = curve.points;
    const QPointF shown = m_point < 0 ? points.first() : finest(m_curves).points[m_point];
    if (m_point >= 0) {
        return tr("%1: %2 at step %3.")
            .arg(labelAt(curve.path), rateText(rateAt(curve, shown.x())),
                 formatCount(static_cast<qint64>(shown.x())));
    }
    if (!curve.changes()) {
        return tr("%1: %2 at every step.").arg(labelAt(curve.path), rateText(shown.y()));
    }
    const QPointF middle = points[points.size() / 2];
    return tr("%1: %2 at the start, %3 at step %4, %5 at step %6.")
        .arg(labelAt(curve.path), rateText(shown.y()), rateText(middle.y()),
             formatCount(static_cast<qint64>(middle.x())), rateText(points.last().y()),
             formatCount(static_cast<qint64>(points.last().x())));
}

void RateCard::setCurves(const QList<LearningRateFacts>& curves)
{
    if (curves == m_curves) {
        return;
    }
    m_curves = curves;
    m_point = -1;
    // A constant rate without a schedule is a number in the form, not a curve.
    const bool isWorthwhile =
        std::any_of(m_curves.begin(), m_curves.end(), [](const LearningRateFacts& curve) {
            return curve.changes() || !curve.schedule.isEmpty();
        });
    setVisible(isWorthwhile);
    m_canvas->setCursorStep(-1);
    m_canvas->setPicture(isWorthwhile ? std::make_unique<RatePicture>(m_curves) : nullptr);
    if (isWorthwhile) {
        showPoint(-1);
        setAccessibleDescription(m_words->text());
    }
}

void RateCard::showPoint(qsizetype point)
{
    if (m_curves.isEmpty()) {
        return;
    }
    m_point = point;
    m_canvas->setCursorStep(point);
    QStringList sentences;
    for (const LearningRateFacts& curve : std::as_const(m_curves)) {
        sentences << sentenceOf(curve);
    }
    m_words->setText(sentences.join(u' '));
}

void RateCard::keyPressEvent(QKeyEvent* event)
{
    const bool isForward = event->key() == Qt::Key_Right;
    if (m_curves.isEmpty() || (!isForward && event->key() != Qt::Key_Left)) {
        Card::keyPressEvent(event);
        return;
    }
    const qsizetype last = finest(m_curves).points.size() - 1;
    // The first key goes to an end of the curve.
    const qsizetype from = m_point < 0 ? (isForward ? -kKeyStride : last + kKeyStride) : m_point;
    showPoint(std::clamp<qsizetype>(from + (isForward ? kKeyStride : -kKeyStride), 0, last));
}

void RateCard::focusOutEvent(QFocusEvent* event)
{
    showPoint(-1);
    Card::focusOutEvent(event);
}

} // namespace cannery::ui
