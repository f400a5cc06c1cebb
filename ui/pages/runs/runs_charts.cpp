// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/runs/runs_charts.h"

#include "ui/charts/chart_grid.h"
#include "ui/charts/curves/chart_cursor.h"
#include "ui/charts/curves/chart_header.h"
#include "ui/charts/curves/chart_link.h"
#include "ui/models/formats.h"
#include "ui/models/metric_names.h"
#include "ui/models/runs/run_columns.h"
#include "ui/pages/damage_note.h"
#include "ui/pages/runs/no_charts.h"
#include "ui/pages/runs/parameter_panel.h"
#include "ui/pages/runs/runs_readout.h"
#include "ui/pages/runs/runs_toolbar.h"
#include "ui/services/runs/series_store.h"
#include "ui/widgets/behaviour/update_throttle.h"
#include "ui/widgets/search_field.h"
#include "ui/widgets/split_view.h"
#include "ui/widgets/style/theme.h"

#include <QMenu>
#include <QStackedWidget>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr QLatin1String kPinnedGroup("pinned");
// Many runs report their tags at once; the cards are updated together.
constexpr int kSoonMilliseconds = 30;
constexpr int kLeastHeightWithReadout = 400; ///< design pixels
constexpr int kTwoLargeCards = 880;          ///< design pixels

QString groupId(const TagGroup& group)
{
    return group.id.isEmpty() ? QStringLiteral("general") : "tags/" + group.id;
}

bool isSameCurve(const Curve& a, const Curve& b)
{
    return a.series == b.series && a.band == b.band && a.label == b.label && a.run == b.run &&
           a.colourSlot == b.colourSlot;
}

} // namespace

RunsCharts::RunsCharts(SeriesStore& store, QWidget* parent)
    : QWidget(parent), m_store(&store), m_curves(new RunsCurves(store, this)),
      m_link(new ChartLink(this)), m_toolbar(new RunsToolbar), m_split(new SplitView(Qt::Vertical)),
      m_stack(new QStackedWidget), m_nothing(new NoCharts), m_grid(new ChartGrid),
      m_parameters(new ParameterPanel), m_readout(new RunsReadout), m_soon(new QTimer(this)),
      m_whole(new UpdateThrottle(
          this, [this] { refresh(); }, UpdateThrottle::kAtOnce)),
      m_news(new UpdateThrottle(
          this, [this] { takeNews(); }, UpdateThrottle::kAtOnce))
{
    setObjectName("runs.charts");
    m_grid->setObjectName("grid.charts");
    m_grid->setFill([this](ChartCard& card, const QString& group, const QString& tag) {
        fill(card, group, tag);
    });
    m_soon->setSingleShot(true);
    m_soon->setInterval(kSoonMilliseconds);
    arrange();
    watchStore();
    watchToolbar();
    watchCharts();
}

void RunsCharts::arrange()
{
    auto* head = new QWidget;
    auto* headRow = new QVBoxLayout(head);
    headRow->setContentsMargins(scaled(16), scaled(12), scaled(16), scaled(8));
    headRow->addWidget(m_toolbar);
    m_stack->addWidget(m_grid);
    m_stack->addWidget(m_nothing);
    m_stack->addWidget(m_parameters);
    m_split->addWidget(m_stack);
    m_split->addWidget(m_readout);
    m_split->setStretchFactor(0, 1);
    m_split->setSizes({scaled(600), scaled(190)});
    m_split->setCollapsible(0, false);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(head);
    column->addWidget(m_split, 1);
}

void RunsCharts::watchStore()
{
    connect(m_soon, &QTimer::timeout, m_whole, &UpdateThrottle::changed);
    connect(m_store, &SeriesStore::keysAdded, this, &RunsCharts::refreshSoon);
    connect(m_store, &SeriesStore::loadingChanged, this, &RunsCharts::refreshSoon);
    connect(m_store, &SeriesStore::seriesRemoved, this, [this](const QString& run) {
        // The store deletes them right after this.
        m_curves->forgetRun(run);
        refreshCurves(true);
        refreshSoon();
    });
    connect(m_store, &SeriesStore::changed, this, [this](const QSet<SeriesKey>& keys) {
        m_changed += keys;
        m_news->changed();
    });
    connect(m_curves, &RunsCurves::bandsChanged, this, [this] { refreshCurves(false); });
}

void RunsCharts::watchToolbar()
{
    connect(m_toolbar, &RunsToolbar::tagFilterChanged, this, [this](const QString& text) {
        m_toolbar->tagField().setProblem(TagMatcher(text).problem());
        m_grid->setFilter(text);
        Q_EMIT stateChanged();
    });
    connect(m_toolbar, &RunsToolbar::optionsChanged, this, [this] {
        m_choices.setShared(m_toolbar->options());
        applyOptions();
    });
    connect(m_toolbar, &RunsToolbar::groupChanged, this, [this] {
        m_curves->setGroup(m_toolbar->group());
        refreshCurves(true);
        Q_EMIT stateChanged();
    });
    connect(m_toolbar, &RunsToolbar::columnsChosen, this, [this](int columns) {
        m_columns = columns;
        m_grid->setColumns(columns);
        Q_EMIT stateChanged();
    });
    connect(m_toolbar, &RunsToolbar::followRequested, this, &RunsCharts::follow);
}

/// Cards, their links, and the table of values.
void RunsCharts::watchCharts()
{
    connect(m_grid, &ChartGrid::cardCreated, this, [this](ChartCard* card) { watchCard(*card); });
    connect(m_parameters, &ParameterPanel::runHovered, this, &RunsCharts::runHovered);
    connect(m_grid, &ChartGrid::foldedChanged, this, &RunsCharts::stateChanged);
    connect(m_link, &ChartLink::xLimitsChanged, this, [this] {
        m_toolbar->setFollows(follows());
        Q_EMIT stateChanged();
        Q_EMIT optionsChanged();
    });
    connect(m_link, &ChartLink::cursorChanged, this, &RunsCharts::refreshReadout);
    connect(m_readout, &RunsReadout::csvRequested, this, &RunsCharts::csvRequested);
    const auto step = [this](ChartCommand command) {
        if (ChartCard* card = activeCard()) {
            card->perform(command);
        }
    };
    connect(m_readout, &RunsReadout::previousPointRequested, this,
            [step] { step(ChartCommand::PreviousPoint); });
    connect(m_readout, &RunsReadout::nextPointRequested, this,
            [step] { step(ChartCommand::NextPoint); });
}

void RunsCharts::setRuns(const ProjectSnapshotPtr& snapshot, const QStringList& shown, int filtered)
{
    m_filtered = filtered;
    m_curves->setRuns(snapshot, shown);
    m_snapshot = snapshot;
    m_shown = shown;
    QSet<QString> live;
    // The first run that decides by a metric stands for all of the project.
    m_decision.clear();
    for (const RunRow& run : snapshot->runs) {
        if (isLive(run.state)) {
            live.insert(run.name);
        }
        if (m_decision.isEmpty() && !run.trashed) {
            m_decision = run.decisionMetric.section('/', -1);
        }
    }
    if (live != m_live) {
        m_live = live;
        // Cards mark the ends of curves that still grow.
        for (ChartCard* card : m_grid->cards()) {
            card->setLiveRuns(m_live);
        }
    }
    refreshParameters(*snapshot);
    refresh();
}

void RunsCharts::refreshParameters(const ProjectSnapshot& snapshot)
{
    QList<const RunRow*> runs;
    for (const RunRow& run : snapshot.runs) {
        if (!run.trashed && !run.parameters.isEmpty()) {
            runs.append(&run);
        }
    }
    const std::pair<qsizetype, qsizetype> seen(
        runs.size(), runs.isEmpty() ? 0 : runs.front()->parameters.size());
    if (seen == m_parametersSeen) {
        return; // frozen experiments do not change
    }
    m_parametersSeen = seen;
    m_toolbar->setParameters(runs.size() > 1
                                 ? differingCommonParameters(runs) + differingParameters(runs)
                                 : QStringList());
}

/// What has changed in the store since the last call.
void RunsCharts::takeNews()
{
    const QSet<SeriesKey> changed = std::exchange(m_changed, {});
    refreshCurves(false);
    for (ChartCard* card : m_grid->cards()) {
        card->seriesChanged(changed);
    }
    refreshReadout();
}

void RunsCharts::refreshSoon()
{
    // Not restarted: a store that reports all the time would postpone it for ever.
    if (!m_soon->isActive()) {
        m_soon->start();
    }
}

void RunsCharts::refresh()
{
    m_curves->refreshTags();
    refreshGroups();
    refreshCurves(false);
    refreshReadout();
    refreshNothing();
    chooseContent();
}

void RunsCharts::setComparing(bool comparing)
{
    m_isComparing = comparing;
    m_toolbar->setVisible(!comparing); // of curves
    m_readout->setVisible(!comparing && height() >= scaled(kLeastHeightWithReadout));
    chooseContent();
}

void RunsCharts::chooseContent()
{
    if (m_isComparing && m_snapshot) {
        m_parameters->setRuns(m_snapshot, m_shown);
        m_stack->setCurrentWidget(m_parameters);
        return;
    }
    m_stack->setCurrentWidget(m_curves->tags().isEmpty() ? static_cast<QWidget*>(m_nothing)
                                                         : m_grid);
}

QString RunsCharts::nothingWords() const
{
    if (m_curves->isEmpty()) {
        return m_filtered > 0
                   ? tr("The filter hides all runs that are shown. Clear it to see their "
                        "curves.")
                   : tr("No run is shown. Click the eye of a run to see its curves.");
    }
    return m_curves->loadedFraction() < 1 ? tr("Reading event files…")
                                          : tr("The shown runs have logged nothing yet.");
}

/// Of the first run without curves, the other things that it has logged.
void RunsCharts::refreshNothing()
{
    const bool isAll = m_snapshot && m_curves->tags().isEmpty() && !m_curves->isEmpty() &&
                       m_curves->loadedFraction() >= 1;
    m_nothing->setReason(nothingWords(),
                         isAll && !m_shown.isEmpty() ? m_snapshot->find(m_shown.first()) : nullptr);
}

/// Pinned tags first (the decision metric and the loss until the user pins some), then all by
/// prefix.
void RunsCharts::refreshGroups()
{
    const QSet<QString>& tags = m_curves->tags();
    QStringList proposed;
    for (const QString& tag : {m_decision, QStringLiteral("loss")}) {
        if (tags.contains(tag) && !proposed.contains(tag)) {
            proposed.append(tag);
        }
    }
    m_choices.proposePinned(proposed);
    QList<ChartGroup> groups;
    ChartGroup pinned{.id = kPinnedGroup, .title = tr("Pinned"), .large = hasRoomForLargeCards()};
    for (const QString& tag : m_choices.pinned()) {
        if (tags.contains(tag)) {
            pinned.tags.append(tag);
        }
    }
    if (!pinned.tags.isEmpty()) {
        groups.append(pinned);
    }
    for (const TagGroup& group : groupTags(tags)) {
        groups.append({.id = groupId(group), .title = group.title, .tags = group.tags});
    }
    // New groups make new cards, which would lose their zoom.
    if (groups != m_grid->groups()) {
        m_grid->setGroups(groups);
    }
}

/// A large card alone in its row would push everything else out of view.
bool RunsCharts::hasRoomForLargeCards() const
{
    return m_grid->width() >= scaled(kTwoLargeCards);
}

void RunsCharts::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    m_readout->setVisible(!m_isComparing && height() >= scaled(kLeastHeightWithReadout));
    const QList<ChartGroup>& groups = m_grid->groups();
    if (!groups.isEmpty() && groups.front().id == kPinnedGroup &&
        groups.front().large != hasRoomForLargeCards()) {
        refreshSoon();
    }
}

QString RunsCharts::titleOf(const QString& tag) const
{
    QStringList titles;
    for (const QString& one : QStringList{tag} + m_choices.overlaid(tag)) {
        titles.append(metricName(one));
    }
    return titles.join(QStringLiteral(" + "));
}

QString RunsCharts::note() const
{
    const double loaded = m_curves->loadedFraction();
    return loaded < 1 ? tr("loading %1 %").arg(static_cast<int>(loaded * 100)) : QString();
}

QList<Curve> RunsCharts::curvesOf(const QString& tag) const
{
    QList<Curve> curves = m_curves->curves(tag);
    for (const QString& added : m_choices.overlaid(tag)) {
        for (Curve curve : m_curves->curves(added)) {
            curve.label += QStringLiteral(" · ") + added;
            curves.append(curve);
        }
    }
    return curves;
}

void RunsCharts::fill(ChartCard& card, const QString&, const QString& tag)
{
    card.setTag(tag);
    card.header().setTitle(titleOf(tag));
    card.setLink(m_link);
    card.cursor().setReadoutShown(m_showsHover);
    card.setLiveRuns(m_live);
    card.setOptions(m_choices.optionsOf(tag));
    card.setCurves(curvesOf(tag));
    refreshMarks(card);
    refreshNote(card);
}

void RunsCharts::watchCard(ChartCard& card)
{
    connect(&card, &ChartCard::optionsChanged, this, [this, &card] { takeOptionsOf(card); });
    connect(&card, &ChartCard::cursorMoved, this, [this, &card] {
        m_activeTag = card.tag();
        refreshReadout();
    });
    connect(&card, &ChartCard::runHovered, this, &RunsCharts::runHovered);
    connect(&card, &ChartCard::pinRequested, this, [this] { m_readout->model().pin(); });
    connect(&card, &ChartCard::tagDropped, this,
            [this, &card](const QString& tag) { overlay(card.tag(), tag); });
    connect(&card, &ChartCard::menuAboutToShow, this,
            [this, &card](QMenu* menu) { extendMenu(menu, card.tag()); });
}

void RunsCharts::extendMenu(QMenu* menu, const QString& tag)
{
    menu->addSeparator();
    const bool isPinned = m_choices.pinned().contains(tag);
    menu->addAction(isPinned ? tr("Unpin from Top") : tr("Pin to Top"), this,
                    [this, tag, isPinned] { setPinned(tag, !isPinned); });
    if (!m_choices.overlaid(tag).isEmpty()) {
        menu->addAction(tr("Remove Overlaid Tags"), this, [this, tag] {
            m_choices.removeOverlaid(tag);
            refreshCurves(true);
            Q_EMIT stateChanged();
        });
    }
}

void RunsCharts::refreshCurves(bool force)
{
    for (ChartCard* card : m_grid->cards()) {
        const QList<Curve> curves = curvesOf(card->tag());
        const QList<Curve>& shown = card->curves();
        if (force ||
            !std::equal(curves.begin(), curves.end(), shown.begin(), shown.end(), isSameCurve)) {
            card->header().setTitle(titleOf(card->tag()));
            card->setCurves(curves);
        }
        refreshMarks(*card);
        refreshNote(*card);
    }
}

void RunsCharts::refreshNote(ChartCard& card)
{
    const QString damage = damageNote(*m_store, card.curves());
    card.header().setNote(damage.isEmpty() ? note() : damage);
}

/// Only if they differ: marks are a layer of the card that would be repainted.
void RunsCharts::refreshMarks(ChartCard& card)
{
    const QList<ChartMark> marks = m_curves->marks(card.tag());
    QString key;
    for (const ChartMark& mark : marks) {
        key += QStringLiteral("%1:%2:%3;")
                   .arg(static_cast<int>(mark.kind))
                   .arg(mark.step)
                   .arg(mark.value);
    }
    if (card.property("marks").toString() != key) {
        card.setProperty("marks", key);
        card.setMarks(marks);
    }
}

void RunsCharts::setEmphasis(const QString& run)
{
    m_parameters->setEmphasis(run);
    for (ChartCard* card : m_grid->cards()) {
        card->setEmphasis(run);
    }
}

void RunsCharts::setPinned(const QString& tag, bool pinned)
{
    m_choices.setPinned(tag, pinned);
    refreshGroups();
    Q_EMIT stateChanged();
}

void RunsCharts::overlay(const QString& tag, const QString& added)
{
    if (tag == added || m_choices.overlaid(tag).contains(added) ||
        !m_curves->tags().contains(added)) {
        return;
    }
    m_choices.overlay(tag, added);
    refreshCurves(true);
    Q_EMIT stateChanged();
}

void RunsCharts::refreshReadout()
{
    ChartCard* card = m_activeTag.isEmpty() ? nullptr : m_grid->card(m_activeTag);
    // Without a card under the pointer, the one that the keys go to.
    if (!card) {
        card = m_link->cursor() ? activeCard() : nullptr;
    }
    const QList<ReadoutRow> rows = card ? card->cursor().rows() : QList<ReadoutRow>();
    QList<ReadoutEntry> entries;
    const bool isEvaluationOnly =
        std::all_of(rows.begin(), rows.end(), [](const ReadoutRow& row) { return row.dashed; });
    for (const ReadoutRow& row : rows) {
        entries.append({.run = row.run,
                        .label = row.label.section(QStringLiteral(" · "), 0, 0),
                        .source = row.dashed ? tr("evaluation") : tr("training"),
                        .colourSlot = row.colourSlot,
                        .step = row.step,
                        .value = row.value,
                        .smoothed = row.smoothed,
                        .wallTime = row.wallTime,
                        .sinceStart = row.sinceStart});
    }
    m_readout->model().setEntries(entries, card ? card->tag() : QString(),
                                  card && higherIsBetter(card->tag()));
    if (entries.isEmpty() || !card) {
        m_readout->setPlace({}, {});
        return;
    }
    // The cursor may be between points; the table shows each point's own step.
    const QString place = m_choices.shared().xAxis == XAxis::Step && m_link->cursor()
                              ? tr("At step %1").arg(formatCount(qRound64(*m_link->cursor())))
                              : tr("At the cursor");
    m_readout->setPlace(place, isEvaluationOnly ? tr("%1, evaluation").arg(card->header().title())
                                                : card->header().title());
}

} // namespace cannery::ui
