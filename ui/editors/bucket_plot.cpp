// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editors/bucket_plot.h"

#include "ui/editors/bucket_accessible.h"
#include "ui/editors/bucket_divider.h"
#include "ui/models/formats.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

namespace cannery::ui {

namespace {

/// The smallest share of the largest bar that is still visible.
constexpr double kLeastShare = 0.02;

int handleHeight()
{
    return BucketDivider::handleHeight();
}

int labelHeight()
{
    return QFontMetrics(textFont(TextRole::Axis)).height() + scaled(4);
}

} // namespace

BucketPlot::BucketPlot(QWidget* parent) : QWidget(parent)
{
    installBucketAccessible();
    setObjectName("plot.buckets");
    setAccessibleName(tr("Boundaries of the buckets"));
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&themeWatch(), &ThemeWatch::changed, this, [this] {
        updateGeometry();
        layOut();
    });
    rebuild();
}

void BucketPlot::setNumbers(const NumberDistribution& numbers)
{
    m_numbers = numbers;
    layOut();
}

void BucketPlot::setBoundaries(const QList<double>& boundaries)
{
    if (boundaries == m_boundaries || !isIncreasing(boundaries)) {
        return;
    }
    m_boundaries = boundaries;
    rebuild();
}

double BucketPlot::low() const
{
    const double first = m_boundaries.isEmpty() ? 0 : m_boundaries.first();
    // Boundaries beyond the data must be visible, too: they may have been typed.
    return m_numbers.isEmpty() ? first - 1 : std::min(m_numbers.edges.first(), first);
}

double BucketPlot::high() const
{
    const double last = m_boundaries.isEmpty() ? 1 : m_boundaries.last();
    return m_numbers.isEmpty() ? last + 1 : std::max(m_numbers.edges.last(), last);
}

QRectF BucketPlot::area() const
{
    const double side = scaled(10);
    return {side, double(scaled(4)), std::max(width() - 2 * side, 1.0),
            double(height() - handleHeight() - labelHeight() - scaled(4))};
}

double BucketPlot::xOf(double value) const
{
    const QRectF where = area();
    return where.left() + where.width() * (value - low()) / (high() - low());
}

double BucketPlot::valueAt(double x) const
{
    const QRectF where = area();
    return low() + (high() - low()) * (x - where.left()) / where.width();
}

/// Whether the boundary could be moved at all.
bool BucketPlot::place(int index, double value)
{
    const double most = index + 1 < m_boundaries.size() ? m_boundaries[index + 1] : high();
    const double least = index > 0 ? m_boundaries[index - 1] : low();
    const double room = most - least;
    // A boundary never meets its neighbour, not even between close ones.
    const double gap = std::min(step(), room / 4);
    // One that is outside of the data may stay there, but go no further.
    const double left = index > 0 ? least + gap : std::min(least, m_boundaries[index]);
    const double right =
        index + 1 < m_boundaries.size() ? most - gap : std::max(most, m_boundaries[index]);
    const double target = std::clamp(value, left, std::max(left, right));
    QList<double> moved = m_boundaries;
    moved[index] = target;
    if (target == m_boundaries[index] || !isIncreasing(moved)) {
        return false;
    }
    m_boundaries = moved;
    layOut();
    return true;
}

void BucketPlot::moveTo(int index, double value)
{
    if (index >= 0 && index < m_boundaries.size() && place(index, roundedToStep(value, step()))) {
        m_wasDragged = true;
        Q_EMIT dragged(m_boundaries);
    }
}

/// /// One change for the whole drag, so that undo takes it back at once.
void BucketPlot::finishDrag()
{
    if (std::exchange(m_wasDragged, false)) {
        Q_EMIT changed(m_boundaries, false);
    }
}

void BucketPlot::nudge(int index, int steps)
{
    const double from = m_boundaries.value(index);
    // Finer than a step of the drag, for a boundary that was typed with more digits.
    if (place(index, roundedToStep(from + steps * step(), step() / 100))) {
        Q_EMIT changed(m_boundaries, true);
    }
}

void BucketPlot::remove(int index)
{
    if (m_boundaries.size() < 2 || index < 0 || index >= m_boundaries.size()) {
        return;
    }
    m_boundaries.removeAt(index);
    rebuild();
    choose(std::min(index, int(m_boundaries.size()) - 1));
    Q_EMIT changed(m_boundaries, false);
}

void BucketPlot::insert(double value)
{
    const auto at = std::lower_bound(m_boundaries.begin(), m_boundaries.end(), value);
    if (!std::isfinite(value) || (at != m_boundaries.end() && *at == value)) {
        return;
    }
    const int index = int(at - m_boundaries.begin());
    m_boundaries.insert(index, value);
    rebuild();
    choose(index);
    Q_EMIT changed(m_boundaries, false);
}

void BucketPlot::insertAfter(int index)
{
    const double left = index >= 0 ? m_boundaries.value(index) : low();
    const double right = index + 1 < m_boundaries.size() ? m_boundaries[index + 1] : high();
    const double middle = left + (right - left) / 2;
    const double rounded = roundedToStep(middle, step());
    // A bucket narrower than a step has no round number in it.
    insert(rounded > left && rounded < right ? rounded : middle);
}

void BucketPlot::choose(int index)
{
    if (index >= 0 && index < m_dividers.size()) {
        m_dividers[index]->setFocus(Qt::OtherFocusReason);
    }
}

void BucketPlot::rebuild()
{
    // Dividers are kept where possible: the one that is dragged or focused must not go.
    while (m_dividers.size() > m_boundaries.size()) {
        BucketDivider* last = m_dividers.takeLast();
        last->hide();
        last->deleteLater();
    }
    while (m_dividers.size() < m_boundaries.size()) {
        auto* divider = new BucketDivider(int(m_dividers.size()), this);
        QWidget* before = m_dividers.isEmpty() ? static_cast<QWidget*>(this) : m_dividers.last();
        setTabOrder(before, divider);
        m_dividers.append(divider);
        divider->show();
    }
    layOut();
}

void BucketPlot::layOut()
{
    for (BucketDivider* divider : std::as_const(m_dividers)) {
        const int wide = scaled(16);
        const double x = xOf(m_boundaries[divider->index()]);
        divider->setGeometry(int(std::lround(x)) - wide / 2, 0, wide, height() - labelHeight());
        divider->setNames();
        divider->update();
    }
    update();
}

QSize BucketPlot::sizeHint() const
{
    return {scaled(240), scaled(100) + handleHeight() + labelHeight()};
}

QSize BucketPlot::minimumSizeHint() const
{
    return {scaled(120), sizeHint().height()};
}

void BucketPlot::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    layOut();
}

void BucketPlot::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton) {
        insert(roundedToStep(valueAt(event->position().x()), step()));
    }
}

void BucketPlot::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Insert:
        insertAfter(int(m_boundaries.size()) - 1);
        break;
    case Qt::Key_Down:
    case Qt::Key_Right:
        choose(0);
        break;
    default:
        QWidget::keyPressEvent(event);
    }
}

void BucketPlot::paintBars(QPainter& painter) const
{
    const QRectF where = area();
    // Every other bucket has a ground of its own.
    for (qsizetype i = 0; i < m_boundaries.size(); i += 2) {
        const double right = i + 1 < m_boundaries.size() ? xOf(m_boundaries[i + 1]) : where.right();
        const double left = xOf(m_boundaries[i]);
        painter.fillRect(QRectF(left, where.top(), right - left, where.height()), tokens().sunken);
    }
    if (m_numbers.isEmpty()) {
        return;
    }
    const double most =
        std::max(1.0, *std::max_element(m_numbers.counts.begin(), m_numbers.counts.end()));
    painter.setPen(Qt::NoPen);
    painter.setBrush(mixed(tokens().surface, tokens().series[1], 0.65));
    for (qsizetype i = 0; i < m_numbers.counts.size(); ++i) {
        const double count = m_numbers.counts[i];
        const double left = xOf(m_numbers.edges[i]);
        const double right = xOf(m_numbers.edges[i + 1]);
        const double gap = right - left > 3 ? 1 : 0;
        const double share = count > 0 ? std::max(count / most, kLeastShare) : 0;
        painter.drawRect(QRectF(left + gap / 2, where.bottom() - share * where.height(),
                                right - left - gap, share * where.height()));
    }
}

/// The chosen boundary is always named, others where there is room.
void BucketPlot::paintLabels(QPainter& painter) const
{
    painter.setFont(textFont(TextRole::Axis));
    const QFontMetricsF metrics(painter.font());
    QList<QRectF> taken;
    const auto label = [&](qsizetype i, bool isChosen) {
        const QString text = formatNumber(m_boundaries[i]);
        const double width = metrics.horizontalAdvance(text);
        const double left =
            std::clamp(xOf(m_boundaries[i]) - width / 2, 0.0, std::max(0.0, this->width() - width));
        const QRectF box(left, height() - labelHeight(), width, labelHeight());
        const QRectF around = box.adjusted(-scaled(3), 0, scaled(3), 0);
        if (std::any_of(taken.begin(), taken.end(),
                        [&](const QRectF& other) { return other.intersects(around); })) {
            return;
        }
        taken.append(box);
        painter.setPen(isChosen ? tokens().accent : tokens().text2);
        paintWords(painter, box, Qt::AlignCenter | Qt::TextDontClip, text);
    };
    for (qsizetype i = 0; i < m_dividers.size(); ++i) {
        if (m_dividers[i]->hasFocus()) {
            label(i, true);
        }
    }
    for (qsizetype i = 0; i < m_dividers.size(); ++i) {
        if (!m_dividers[i]->hasFocus()) {
            label(i, false);
        }
    }
}

void BucketPlot::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    paintBars(painter);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(tokens().border, 1));
    const QRectF where = area();
    painter.drawLine(where.bottomLeft(), where.bottomRight());
    paintLabels(painter);
    if (hasFocus() && showsFocusRing(*this)) {
        paintFocusRing(painter, rect(), scaled(4));
    }
}

} // namespace cannery::ui
