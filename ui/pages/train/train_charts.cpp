// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/train/train_charts.h"

#include "ui/charts/curves/chart_header.h"
#include "ui/charts/curves/chart_link.h"
#include "ui/models/formats.h"
#include "ui/models/metric_names.h"
#include "ui/pages/damage_note.h"
#include "ui/services/runs/series_store.h"
#include "ui/widgets/behaviour/update_throttle.h"
#include "ui/widgets/style/theme.h"

#include <QGridLayout>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace cannery::ui {

namespace {

constexpr int kSmallFirst = 2;
constexpr int kNarrow = 720; ///< design pixels: narrower, large cards are stacked

/// The tag of what guessing reaches in a metric, among those that were logged; empty if none was.
QString baselineTag(const QStringList& tags, const QString& metric)
{
    for (const QString& tag :
         {metric + QLatin1String("_baseline"), QStringLiteral("cannery/%1_baseline").arg(metric)}) {
        if (tags.contains(tag)) {
            return tag;
        }
    }
    return {};
}

/// The colour of what stands beside a run's own curves.
int otherSlot(int slot)
{
    return slot == 1 ? 0 : 1;
}

} // namespace

TrainCharts::TrainCharts(SeriesStore& store, QWidget* parent)
    : QWidget(parent), m_store(&store), m_link(new ChartLink(this)), m_grid(new QGridLayout(this)),
      m_news(new UpdateThrottle(
          this, [this] { takeNews(); }, UpdateThrottle::kAtOnce))
{
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setSpacing(scaled(12));
    static constexpr std::array<const char*, 6> kNames{"chart.loss",   "chart.decision",
                                                       "chart.metric", "chart.gradient_norm",
                                                       "chart.speed",  "chart.device"};
    for (std::size_t i = 0; i < m_cards.size(); ++i) {
        const bool large = i < kSmallFirst;
        m_cards[i] = new ChartCard(large ? ChartCard::Size::Large : ChartCard::Size::Small, this);
        m_cards[i]->setObjectName(QLatin1String(kNames[i]));
        m_cards[i]->setLink(m_link);
        connect(m_cards[i], &ChartCard::optionsChanged, this, &TrainCharts::followChanged);
    }
    connect(m_link, &ChartLink::xLimitsChanged, this, &TrainCharts::followChanged);
    connect(m_store, &SeriesStore::keysAdded, this, [this](const QString& run) {
        if (run == m_run.name) {
            m_news->changed();
        }
    });
    connect(m_store, &SeriesStore::seriesRemoved, this, [this](const QString& run) {
        if (run == m_run.name) {
            for (ChartCard* card : m_cards) {
                card->setCurves({});
            }
        }
    });
    connect(m_store, &SeriesStore::changed, this, [this](const QSet<SeriesKey>& keys) {
        m_changed += keys;
        m_news->changed();
    });
    arrange();
}

/// What has changed in the store since the last call.
void TrainCharts::takeNews()
{
    const QSet<SeriesKey> changed = std::exchange(m_changed, {});
    refresh();
    for (ChartCard* card : m_cards) {
        card->seriesChanged(changed);
    }
}

void TrainCharts::setRun(const RunRow& run)
{
    if (run.name != m_run.name) {
        clear();
    }
    m_run = run;
    refresh();
    updateMarks();
}

void TrainCharts::clear()
{
    m_run = {};
    m_bestNote.clear();
    m_link->setXLimits({});
    for (ChartCard* card : m_cards) {
        card->setCurves({});
        card->setMarks({});
        card->header().setNote({});
    }
}

void TrainCharts::setOptions(const ChartOptions& options)
{
    m_options = options;
    for (std::size_t i = 0; i < m_cards.size(); ++i) {
        ChartOptions own = m_cards[i]->options();
        own.xAxis = options.xAxis;
        own.logX = options.logX;
        own.smoothing = options.smoothing;
        own.logY = i < kSmallFirst && options.logY;
        m_cards[i]->setOptions(own);
    }
}

void TrainCharts::follow()
{
    m_link->setXLimits({});
    for (ChartCard* card : m_cards) {
        ChartOptions own = card->options();
        own.xLimits.reset();
        own.yLimits.reset();
        card->setOptions(own);
    }
    Q_EMIT followChanged();
}

bool TrainCharts::follows() const
{
    return !m_link->xLimits() && std::all_of(m_cards.begin(), m_cards.end(), [](ChartCard* card) {
        return card->options().follows();
    });
}

void TrainCharts::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

/// Cards without curves leave no hole.
void TrainCharts::arrange()
{
    const int columns = width() < scaled(kNarrow) ? 2 : 4;
    QList<ChartCard*> large;
    QList<ChartCard*> small;
    for (std::size_t i = 0; i < m_cards.size(); ++i) {
        if (m_cards[i]->isVisibleTo(this)) {
            (i < kSmallFirst ? large : small).append(m_cards[i]);
        }
    }
    if (columns == m_columns && large + small == m_arranged) {
        return;
    }
    m_columns = columns;
    m_arranged = large + small;
    for (ChartCard* card : m_cards) {
        m_grid->removeWidget(card);
    }
    const int rowsOfLarge = columns == 4 ? 1 : static_cast<int>(large.size());
    const int span = columns / (columns == 4 ? std::max<int>(1, int(large.size())) : 1);
    for (int i = 0; i < large.size(); ++i) {
        m_grid->addWidget(large[i], columns == 4 ? 0 : i, columns == 4 ? span * i : 0, 1, span);
        large[i]->setMinimumHeight(scaled(240));
    }
    const int smallSpan = small.size() == 1 ? columns : small.size() == 2 ? columns / 2 : 1;
    for (int i = 0; i < small.size(); ++i) {
        const int place = i * smallSpan;
        m_grid->addWidget(small[i], rowsOfLarge + place / columns, place % columns, 1, smallSpan);
        small[i]->setMinimumHeight(scaled(136));
    }
    for (int row = 0; row < 4; ++row) {
        const bool isUsed =
            row < rowsOfLarge + (int(small.size()) * smallSpan + columns - 1) / columns;
        m_grid->setRowStretch(row, row < rowsOfLarge ? 5 : isUsed ? 2 : 0);
    }
    for (int column = 0; column < 4; ++column) {
        m_grid->setColumnStretch(column, column < columns ? 1 : 0);
    }
}

QString TrainCharts::evaluationFolder() const
{
    // The metric's own evaluation; else the one that TensorFlow names "eval", else any other.
    if (const qsizetype slash = m_run.decisionMetric.indexOf('/'); slash > 0) {
        return m_run.decisionMetric.left(slash);
    }
    QString found = QStringLiteral("eval");
    for (const SeriesKey& key : m_store->keys(m_run.name)) {
        if (key.folder == QLatin1String("eval")) {
            return key.folder;
        }
        found = key.folder.isEmpty() ? found : key.folder;
    }
    return found;
}

QStringList TrainCharts::evaluationTags() const
{
    QStringList tags;
    const QString folder = evaluationFolder();
    for (const SeriesKey& key : m_store->keys(m_run.name)) {
        if (key.folder == folder) {
            tags.append(key.tag);
        }
    }
    return tags;
}

QString TrainCharts::decisionTag() const
{
    const QString wanted = m_run.decisionMetric.section('/', -1);
    const QStringList tags = evaluationTags();
    // Orders models alike, in the unit of the label.
    const bool isSquared = wanted == QLatin1String("average_loss") || wanted.isEmpty();
    if (isSquared && tags.contains(QLatin1String("cannery/rmse"))) {
        return QStringLiteral("cannery/rmse");
    }
    if (!wanted.isEmpty() && wanted != QLatin1String("loss")) {
        return wanted;
    }
    for (const char* likely : {"auc", "accuracy", "average_loss"}) {
        if (tags.contains(QLatin1String(likely))) {
            return QLatin1String(likely);
        }
    }
    return QStringLiteral("average_loss");
}

QList<TrainCharts::Plan> TrainCharts::plans() const
{
    const QString run = m_run.name;
    const QString folder = evaluationFolder();
    const int slot = m_run.colourSlot;
    const QStringList tags = evaluationTags();
    const auto both = [&](const QString& title, const QString& trainTag, const QString& evalTag,
                          const QString& headline) {
        Plan plan{title,
                  {{run, {}, trainTag}, {run, folder, evalTag}},
                  {tr("train"), tr("evaluation")},
                  headline,
                  {slot, slot}};
        if (const QString guess = baselineTag(tags, evalTag); !guess.isEmpty()) {
            plan.keys.append({run, folder, guess});
            plan.labels.append(tr("guessing"));
            plan.colours.append(otherSlot(slot));
        }
        return plan;
    };
    const QString decision = decisionTag();
    QString further;
    for (const char* likely : {"accuracy", "auc", "cannery/r2", "average_loss",
                               "auc_precision_recall", "prediction/mean"}) {
        if (further.isEmpty() && decision != QLatin1String(likely) &&
            (tags.contains(QLatin1String(likely)) || tags.isEmpty())) {
            further = QLatin1String(likely);
        }
    }
    const QString evaluation = tr("evaluation");
    return {both(tr("Loss"), "loss", "loss", tr("train")),
            both(metricName(decision), "cannery/train/" + decision, decision, evaluation),
            both(metricName(further), "cannery/train/" + further, further, evaluation),
            {tr("Gradient"), {{run, {}, "cannery/gradient_norm"}}, {tr("train")}, {}, {slot}},
            {tr("Steps/s"), {{run, {}, "global_step/sec"}}, {tr("train")}, {}, {slot}},
            {tr("Device"),
             {{run, {}, "cannery/device_busy"}, {run, {}, "cannery/input_wait"}},
             {tr("busy"), tr("input wait")},
             tr("busy"),
             {slot, otherSlot(slot)}}};
}

void TrainCharts::showPlan(ChartCard& card, const Plan& plan)
{
    QList<Curve> curves;
    for (qsizetype i = 0; i < plan.keys.size(); ++i) {
        if (const Series* series = m_store->series(plan.keys[i])) {
            curves.append({.series = series,
                           .label = plan.labels[i],
                           .run = m_run.name,
                           .colourSlot = plan.colours[i],
                           .dashed = plan.keys[i].isEvaluation()});
        }
    }
    const auto same = [](const Curve& a, const Curve& b) {
        return a.series == b.series && a.label == b.label && a.colourSlot == b.colourSlot;
    };
    const QList<Curve>& shown = card.curves();
    if (card.header().title() != plan.title) {
        card.header().setTitle(plan.title);
    }
    card.header().setHeadline(plan.headline);
    if (!std::equal(curves.begin(), curves.end(), shown.begin(), shown.end(), same)) {
        card.setCurves(curves);
    }
}

void TrainCharts::refresh()
{
    if (m_run.name.isEmpty()) {
        return;
    }
    const QList<Plan> all = plans();
    // While a run goes on, a chart may still get its first point.
    const bool knowsTags = !m_store->keys(m_run.name).isEmpty() && !isLive(m_run.state);
    for (std::size_t i = 0; i < m_cards.size(); ++i) {
        const Plan& plan = all[static_cast<qsizetype>(i)];
        showPlan(*m_cards[i], plan);
        const bool wanted = i == 0 || !knowsTags || !m_cards[i]->curves().isEmpty();
        if (m_cards[i]->isVisibleTo(this) != wanted) {
            m_cards[i]->setVisible(wanted);
        }
    }
    updateNotes();
    arrange();
}

void TrainCharts::updateMarks()
{
    QList<ChartMark> marks;
    for (const CheckpointRow& checkpoint : m_run.checkpoints) {
        marks.append(
            {.kind = ChartMark::Kind::Checkpoint, .step = static_cast<double>(checkpoint.step)});
    }
    m_cards[0]->setMarks(marks);
    const auto nothing = std::numeric_limits<double>::quiet_NaN();
    const qsizetype slash = m_run.decisionMetric.lastIndexOf('/');
    const QString shown = m_run.decisionMetric.left(slash + 1) + decisionTag();
    const double best =
        m_run.bestStep < 0 ? nothing : m_run.metricAt(shown, m_run.bestStep).value_or(nothing);
    const bool hasBest = std::isfinite(best);
    if (hasBest) {
        marks.append({.kind = ChartMark::Kind::Best,
                      .step = static_cast<double>(m_run.bestStep),
                      .value = best});
    }
    m_cards[1]->setMarks(marks);
    m_bestNote = hasBest ? tr("best %1").arg(formatNumber(best)) : QString();
    updateNotes();
}

/// A note on damage takes the place of the best value, which is shown elsewhere, too.
void TrainCharts::updateNotes()
{
    for (std::size_t i = 0; i < m_cards.size(); ++i) {
        const QString damage = damageNote(*m_store, m_cards[i]->curves());
        m_cards[i]->header().setNote(!damage.isEmpty() ? damage : i == 1 ? m_bestNote : QString());
    }
}

} // namespace cannery::ui
