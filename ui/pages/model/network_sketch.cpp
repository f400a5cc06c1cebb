// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/model/network_sketch.h"

#include "ui/models/formats.h"
#include "ui/pages/page_parts.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace cannery::ui {

namespace {

constexpr double kHeadWidth = 92;
constexpr double kHeadHeight = 66;
constexpr double kGap = 26;
constexpr double kSketchedShare = 0.75; ///< the least height that leaves room for a sketch

/// A line of words in the middle of a box, `top` being the line's, with dots if it is too long.
void paintLine(QPainter& painter, const QString& text, const QRectF& box, double top, double margin)
{
    const QRectF line(box.left() + margin, top, box.width() - 2 * margin, scaled(18));
    paintWords(painter, line, Qt::AlignCenter,
               painter.fontMetrics().elidedText(text, Qt::ElideRight,
                                                static_cast<int>(box.width()) -
                                                    static_cast<int>(2 * margin)));
}

} // namespace

NetworkSketch::NetworkSketch(QWidget* parent) : QWidget(parent)
{
    setObjectName("sketch.network");
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

QList<NetworkSketch::Box> NetworkSketch::wideBoxes(const ExperimentFacts& facts)
{
    // Trees have no width: what counts is how many there are.
    if (facts.trees) {
        return treeBoxes(facts);
    }
    const qint64 inputs = facts.width(FeatureSide::Wide);
    // Beside a network, a linear part whose width is not known yet is not drawn.
    if (!facts.has(FeatureSide::Wide) || (inputs <= 0 && facts.has(FeatureSide::Deep))) {
        return {};
    }
    // The logit has a weight for each input and the bias.
    return {{tr("Wide"), tr("%1 inputs").arg(formatCount(inputs)), {}, inputs},
            {tr("Logit"), formatCount(inputs + 1), {}, 8}};
}

QList<NetworkSketch::Box> NetworkSketch::treeBoxes(const ExperimentFacts& facts)
{
    const qint64 columns = std::count_if(
        facts.features.begin(), facts.features.end(), [](const FeatureFacts& feature) {
            return feature.side == FeatureSide::Wide || feature.side == FeatureSide::Both;
        });
    return {{tr("Columns"), formatCount(columns), {}, columns},
            {counted(*facts.trees, tr("One tree"), tr("%1 trees")),
             facts.leaves > 0 ? tr("up to %1 leaves").arg(formatShortCount(double(facts.leaves)))
                              : QString(),
             {},
             *facts.trees,
             TileGallery::Sketch::Trees},
            {tr("Logit"), tr("their sum"), {}, 8}};
}

QList<NetworkSketch::Box> NetworkSketch::groupBoxes(const ExperimentFacts& facts)
{
    const qint64 inputs = facts.width(FeatureSide::Deep);
    return {{tr("Columns"), tr("%1 inputs").arg(formatCount(inputs)), {}, inputs},
            {counted(*facts.centers, tr("One center"), tr("%1 centers")),
             tr("the nearest"),
             {},
             *facts.centers,
             TileGallery::Sketch::Groups}};
}

/// A layer has a kernel, a recurrent kernel and a bias (a GRU two) for each gate of its cell.
QList<NetworkSketch::Box> NetworkSketch::recurrentBoxes(const ExperimentFacts& facts, qint64 inputs)
{
    const bool isLstm = facts.cell == QLatin1String("lstm");
    const bool isGru = facts.cell == QLatin1String("gru");
    const QString title = isLstm ? tr("LSTM %1") : isGru ? tr("GRU %1") : tr("RNN %1");
    const qint64 gates = isLstm ? 4 : isGru ? 3 : 1;
    // Keras's GRU has a bias for the inputs and one for the state (reset_after).
    const qint64 biases = isGru ? 2 : 1;
    QList<Box> boxes{
        {tr("Sequence"), tr("%1 inputs").arg(formatCount(inputs)), tr("per step"), inputs}};
    qint64 before = inputs;
    for (qsizetype layer = 0; layer < facts.hiddenUnits.size(); ++layer) {
        const qint64 units = facts.hiddenUnits[layer];
        const bool isLast = layer + 1 == facts.hiddenUnits.size();
        boxes.append({title.arg(formatCount(units)),
                      formatShortCount(double(gates * units * (before + units + biases))),
                      isLast ? tr("last step") : tr("every step"), units,
                      TileGallery::Sketch::Steps});
        before = units;
    }
    boxes.append({tr("Logit"), formatCount(before + 1), {}, 8});
    return boxes;
}

QList<NetworkSketch::Box> NetworkSketch::deepBoxes(const ExperimentFacts& facts)
{
    if (facts.centers) {
        return groupBoxes(facts);
    }
    const bool readsColumns = facts.has(FeatureSide::Wide) || facts.has(FeatureSide::Deep);
    // A baseline reads no column.
    if (facts.hasModel() && !readsColumns && facts.hiddenUnits.isEmpty()) {
        return {{tr("Bias"), tr("the average"), {}, 8}};
    }
    const qint64 inputs = facts.width(FeatureSide::Deep);
    if (facts.hiddenUnits.isEmpty()) {
        return {};
    }
    if (!facts.cell.isEmpty()) {
        return recurrentBoxes(facts, inputs);
    }
    QList<Box> boxes{{tr("Deep"), tr("%1 inputs").arg(formatCount(inputs)), {}, inputs}};
    qint64 before = inputs;
    QString activation = facts.activation.isEmpty() ? QStringLiteral("relu") : facts.activation;
    for (const qint64 units : facts.hiddenUnits) {
        // A weight for each input and one for the bias: (before + 1) * units.
        boxes.append(
            {tr("Dense %1").arg(formatCount(units)),
             activation + QStringLiteral(" · ") + formatShortCount(double((before + 1) * units)),
             facts.dropout > 0 ? tr("dropout %1").arg(formatNumber(facts.dropout, 2)) : QString(),
             units});
        before = units;
    }
    boxes.append({tr("Logit"), formatCount(before + 1), {}, 8});
    return boxes;
}

void NetworkSketch::setFacts(const ExperimentFacts& facts)
{
    m_wide = wideBoxes(facts);
    m_deep = deepBoxes(facts);
    m_head = facts.head;
    m_label = facts.label;
    QStringList words;
    for (const Box& box : m_wide + m_deep) {
        words.append(box.detail.isEmpty() ? box.title : box.title + ", " + box.detail);
    }
    setAccessibleName(tr("Structure of %1").arg(facts.estimatorTitle));
    setAccessibleDescription(words.join(QLatin1String("; ")));
    update();
}

QSize NetworkSketch::sizeHint() const
{
    return {scaled(520), scaled(300)};
}

QSize NetworkSketch::minimumSizeHint() const
{
    return {scaled(320), scaled(220)};
}

QPointF NetworkSketch::paintRow(QPainter& painter, const QList<Box>& boxes, const QRectF& where,
                                const QColor& hue) const
{
    const auto count = static_cast<double>(boxes.size());
    const double gap = scaled(kGap);
    const double width = std::min((where.width() - gap * (count - 1)) / count, double(scaled(96)));
    const double step = boxes.size() > 1 ? (where.width() - width) / (count - 1) : 0;
    const QColor fill = mixed(tokens().surface, hue, tokens().isDark ? 0.28 : 0.15);
    double x = where.left();
    painter.setPen(QPen(hue, 1.6));
    painter.drawLine(QPointF(x, where.center().y()), QPointF(where.right(), where.center().y()));
    for (const Box& box : boxes) {
        // On a logarithmic scale: 8 units and 1,024 fit into one picture.
        const double share = std::clamp(std::log2(1.0 + double(box.units)) / 8,
                                        box.sketch ? kSketchedShare : 0.35, 1.0);
        const double height = std::max(double(scaled(48)), where.height() * share);
        const QRectF shape(x, where.center().y() - height / 2, width, height);
        paintSurface(painter, shape, 6, fill);
        if (box.sketch) {
            const double top = shape.top() + scaled(8);
            const double wide = std::min(double(scaled(52)), width - scaled(8));
            const QRectF sketch(shape.center().x() - wide / 2, top, wide,
                                shape.center().y() - scaled(20) - top);
            TileGallery::paintSketch(painter, *box.sketch, sketch, hue);
        }
        painter.setPen(tokens().text);
        painter.setFont(textFont(TextRole::Strong));
        const auto drawn = [&](const QString& text, double top) {
            paintLine(painter, text, shape, top, 2);
        };
        // Where the title does not fit, the number alone.
        const bool narrow = painter.fontMetrics().horizontalAdvance(box.title) > width - 4;
        drawn(narrow ? formatShortCount(static_cast<double>(box.units)) : box.title,
              shape.center().y() - scaled(narrow ? 9 : 18));
        painter.setFont(textFont(TextRole::Axis));
        painter.setPen(tokens().isDark ? tokens().text : tokens().text2);
        if (!narrow) {
            drawn(box.detail, shape.center().y());
        }
        if (!narrow && !box.note.isEmpty()) {
            const double wide = painter.fontMetrics().horizontalAdvance(box.note) + scaled(14);
            const QRectF pill(shape.center().x() - wide / 2, shape.bottom() - scaled(9), wide,
                              scaled(18));
            paintSurface(painter, pill, pill.height() / 2, tokens().surface, tokens().line);
            paintWords(painter, pill, Qt::AlignCenter, box.note);
        }
        x += step;
    }
    return {where.right(), where.center().y()};
}

void NetworkSketch::paintHead(QPainter& painter, const QRectF& where) const
{
    paintSurface(painter, where, 8, tokens().accent);
    painter.setPen(tokens().onAccent);
    painter.setFont(textFont(TextRole::Strong));
    const auto drawn = [&](const QString& text, double top) {
        paintLine(painter, text, where, top, 4);
    };
    drawn(m_head, where.center().y() - scaled(18));
    painter.setFont(textFont(TextRole::Axis));
    drawn(m_label, where.center().y());
}

void NetworkSketch::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const int rows = (m_wide.isEmpty() ? 0 : 1) + (m_deep.isEmpty() ? 0 : 1);
    if (rows == 0) {
        return;
    }
    const QRectF head(width() - scaled(kHeadWidth), height() / 2.0 - scaled(kHeadHeight) / 2.0,
                      scaled(kHeadWidth), scaled(kHeadHeight));
    const double right = head.left() - scaled(34);
    const double rowHeight =
        std::min((height() - scaled(20) * (rows - 1)) / double(rows), double(scaled(150)));
    double centre = rows == 1 ? height() / 2.0 : height() * 0.25;
    for (const auto& [boxes, slot] : {std::pair{&m_wide, 1}, std::pair{&m_deep, 0}}) {
        if (boxes->isEmpty()) {
            continue;
        }
        const QColor hue = tokens().series[static_cast<std::size_t>(slot)];
        const QRectF where(0, centre - rowHeight / 2, right, rowHeight);
        const QPointF end = paintRow(painter, *boxes, where, hue);
        QPainterPath path(end);
        const double y = head.center().y() + (rows == 1 ? 0 : slot == 1 ? -6 : 6);
        path.cubicTo(end + QPointF(scaled(22), 0), QPointF(head.left() - scaled(22), y),
                     QPointF(head.left(), y));
        painter.setPen(QPen(hue, 1.6));
        painter.setBrush(Qt::NoBrush);
        painter.drawPath(path);
        centre = height() * 0.75;
    }
    paintHead(painter, head);
}

} // namespace cannery::ui
