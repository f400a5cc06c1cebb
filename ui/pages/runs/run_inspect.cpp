// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/runs/run_inspect.h"

#include "ui/charts/curves/chart_link.h"
#include "ui/charts/steps/distribution_card.h"
#include "ui/charts/steps/image_card.h"
#include "ui/charts/steps/pr_curve_card.h"
#include "ui/charts/steps/text_card.h"
#include "ui/models/curves/tag_list_model.h"
#include "ui/models/formats.h"
#include "ui/pages/runs/other_summaries.h"
#include "ui/pages/runs/run_embeddings.h"
#include "ui/pages/runs/run_graph.h"
#include "ui/pages/runs/run_mistakes.h"
#include "ui/pages/runs/summary_grid.h"
#include "ui/services/runs/summary_feed.h"
#include "ui/widgets/behaviour/update_throttle.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/label.h"
#include "ui/widgets/search_field.h"
#include "ui/widgets/segmented.h"
#include "ui/widgets/style/theme.h"

#include <QStackedWidget>
#include <QVBoxLayout>

#include <chrono>

namespace cannery::ui {
namespace {

constexpr std::chrono::milliseconds kBetweenUpdates{250};

/// The views in saved states, by View.
const QStringList kViewNames{QStringLiteral("distributions"), QStringLiteral("texts"),
                             QStringLiteral("images"),        QStringLiteral("pr_curves"),
                             QStringLiteral("graph"),         QStringLiteral("embeddings"),
                             QStringLiteral("mistakes")};

/// Gives the grid's cards of this kind their steps.
template <typename Card, typename Histories>
void fillCards(const SummaryGrid& grid, const Histories& histories)
{
    for (StepCard* card : grid.cards()) {
        static_cast<Card*>(card)->setHistory(histories.value(card->key()));
    }
}

} // namespace

RunInspect::RunInspect(JobRunner& jobs, QWidget* parent)
    : QWidget(parent), m_feed(new SummaryFeed(this)), m_link(new ChartLink(this)),
      m_news(new UpdateThrottle(
          this, [this] { refresh(); }, kBetweenUpdates)),
      m_views(new Segmented({tr("Distributions"), tr("Text"), tr("Images"), tr("PR Curves"),
                             tr("Graph"), tr("Embeddings"), tr("Errors")})),
      m_look(new Segmented({tr("Ridges"), tr("Bands")})),
      m_search(new SearchField(tr("Find by name"))),
      m_state(new Label({}, TextRole::Label, Ink::Secondary)), m_stack(new QStackedWidget),
      m_graph(new RunGraphView), m_embeddings(new RunEmbeddings(jobs)),
      m_mistakes(new RunMistakes(jobs))
{
    setObjectName("run_inspect");
    m_views->setObjectName("segmented.inspect_views");
    m_views->setAccessibleName(tr("Kinds of summaries"));
    m_look->setObjectName("segmented.distribution_look");
    m_look->setAccessibleName(tr("How distributions are drawn"));
    m_search->setObjectName("field.find_summaries");
    m_search->setAccessibleName(tr("Find by name"));
    m_state->setObjectName("label.summaries_state");
    m_state->setWordWrap(true);
    makeGrids();
    arrange();
    connect(m_feed, &SummaryFeed::changed, m_news, &UpdateThrottle::changed);
    connect(m_views, &Segmented::currentChanged, this, &RunInspect::showView);
    connect(m_look, &Segmented::currentChanged, this, &RunInspect::refreshGrid);
    connect(m_search, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_search->setProblem(TagMatcher(text).problem());
        for (SummaryGrid* grid : std::as_const(m_grids)) {
            grid->setFilter(text);
        }
        m_graph->setFilter(text);
        m_embeddings->setFilter(text);
        Q_EMIT stateChanged();
    });
    connect(m_views, &Segmented::currentChanged, this, &RunInspect::stateChanged);
    connect(m_look, &Segmented::currentChanged, this, &RunInspect::stateChanged);
    connect(m_embeddings, &RunEmbeddings::tableChosen, this, &RunInspect::stateChanged);
    connect(m_mistakes, &RunMistakes::pictureOpened, this, &RunInspect::fileOpened);
}

void RunInspect::makeGrids()
{
    const auto add = [this](const char* name, SummaryGrid::MakeCard make) {
        auto* grid = new SummaryGrid(std::move(make));
        grid->setObjectName(QString::fromLatin1(name));
        connect(grid, &SummaryGrid::cardsAdded, this, &RunInspect::refreshGrid);
        m_grids.append(grid);
        m_stack->addWidget(grid);
    };
    const auto linked = [this](StepCard* card) {
        card->setLink(m_link);
        return card;
    };
    add("grid.distributions",
        [linked](const SummaryKey& key) -> StepCard* { return linked(new DistributionCard(key)); });
    add("grid.texts",
        [linked](const SummaryKey& key) -> StepCard* { return linked(new TextCard(key)); });
    add("grid.images",
        [linked](const SummaryKey& key) -> StepCard* { return linked(new ImageCard(key)); });
    add("grid.pr_curves",
        [linked](const SummaryKey& key) -> StepCard* { return linked(new PrCurveCard(key)); });
    m_stack->addWidget(m_graph);
    m_stack->addWidget(m_embeddings);
    m_stack->addWidget(m_mistakes);
}

void RunInspect::arrange()
{
    auto* head = new QWidget;
    auto* flow = new FlowLayout(head);
    flow->addWidget(m_views);
    flow->addWidget(m_look);
    m_search->setMinimumWidth(scaled(200));
    flow->addWidget(m_search);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(12));
    column->addWidget(head);
    column->addWidget(m_state);
    column->addWidget(m_stack, 1);
}

void RunInspect::showRun(const RunRow& run)
{
    m_slot = run.colourSlot;
    // A foreign run may still be written by its program; only ours report their state.
    m_feed->setRun(run.folder, isLive(run.state) || run.isForeign);
    m_embeddings->showRun(run);
    m_mistakes->showRun(run);
    refresh();
}

void RunInspect::setView(View view)
{
    m_views->setCurrentIndex(view);
}

RunInspect::View RunInspect::view() const
{
    return View(m_views->currentIndex());
}

SummaryGrid& RunInspect::grid(View view)
{
    return *m_grids[view];
}

QWidget* RunInspect::findField()
{
    return m_search;
}

QJsonObject RunInspect::saveState() const
{
    return {{"view", kViewNames[view()]},
            {"has_bands", m_look->currentIndex() == int(DistributionCard::Look::Bands)},
            {"table", m_embeddings->table()},
            {"filter", m_search->text()}};
}

void RunInspect::restoreState(const QJsonObject& state)
{
    const qsizetype view = kViewNames.indexOf(state.value("view").toString());
    setView(view < 0 ? Distributions : View(view));
    m_look->setCurrentIndex(int(state.value("has_bands").toBool()
                                    ? DistributionCard::Look::Bands
                                    : DistributionCard::Look::Ridges));
    m_embeddings->chooseTable(state.value("table").toString());
    m_search->setText(state.value("filter").toString());
}

void RunInspect::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    m_feed->setActive(true);
}

void RunInspect::hideEvent(QHideEvent* event)
{
    QWidget::hideEvent(event);
    m_feed->setActive(false);
}

void RunInspect::showView()
{
    m_stack->setCurrentIndex(view());
    m_look->setVisible(view() == Distributions);
    m_search->setVisible(view() != Mistakes);
    refresh();
}

/// "2 sounds were logged: tone, speech. They are not played here."
QString RunInspect::sounds() const
{
    QStringList tags;
    for (auto row = m_feed->summaries()->sounds.keyBegin();
         row != m_feed->summaries()->sounds.keyEnd() && tags.size() < 5; ++row) {
        tags.append(row->tag);
    }
    return tags.isEmpty() ? QString()
                          : tr("Sounds were logged, too, which are not played here: %1.")
                                .arg(tags.join(QStringLiteral(", ")));
}

/// Of what is read of event files: embeddings and mistakes are not.
QString RunInspect::state() const
{
    if (view() == Embeddings || view() == Mistakes) {
        return {};
    }
    const RunSummaries& all = *m_feed->summaries();
    QStringList state;
    if (all.loadedFraction < 1) {
        state += tr("Reading event files… %1 %").arg(int(all.loadedFraction * 100));
    }
    if (!all.problem.isEmpty()) {
        state += all.problem;
    }
    if (all.leftOut > 0) {
        state +=
            tr("%1 values are too large, or too many, to be shown.").arg(formatCount(all.leftOut));
    }
    if (const QString words = sounds(); view() == Images && !words.isEmpty()) {
        state += words;
    }
    return state.join(' ');
}

void RunInspect::refresh()
{
    const RunSummaries& all = *m_feed->summaries();
    m_state->setText(state());
    m_state->setVisible(!m_state->text().isEmpty());
    const bool isRead = all.loadedFraction >= 1;
    const QString logged = summariesInWords(all);
    const QString rest = logged.isEmpty() ? QString() : u' ' + tr("It has logged %1.").arg(logged);
    // While files are read, "no images" would be too early an answer.
    const auto otherwise = [&](const QString& words) { return isRead ? words + rest : QString(); };
    m_grids[Distributions]->setKeys(all.histograms.keys(),
                                    otherwise(tr("This run has logged no histograms.")));
    m_grids[Texts]->setKeys(all.texts.keys(), otherwise(tr("This run has logged no texts.")));
    m_grids[Images]->setKeys(all.images.keys(), otherwise(tr("This run has logged no images.")));
    m_grids[PrCurves]->setKeys(all.prCurves.keys(),
                               otherwise(tr("This run has logged no precision-recall curves.")));
    // The training's; an evaluation's if there is no other.
    m_graph->setGraph(all.graphs.isEmpty() ? nullptr : all.graphs.first(),
                      otherwise(tr("This run has logged no graph.")));
    refreshGrid();
}

/// Only of the visible view.
void RunInspect::refreshGrid()
{
    if (view() >= m_grids.size()) {
        return;
    }
    const RunSummaries& all = *m_feed->summaries();
    const SummaryGrid& grid = *m_grids[view()];
    switch (view()) {
    case Distributions:
        for (StepCard* card : grid.cards()) {
            auto& distribution = static_cast<DistributionCard&>(*card);
            distribution.setColourSlot(m_slot);
            distribution.setLook(DistributionCard::Look(m_look->currentIndex()));
        }
        fillCards<DistributionCard>(grid, all.histograms);
        break;
    case Texts:
        fillCards<TextCard>(grid, all.texts);
        break;
    case Images:
        fillCards<ImageCard>(grid, all.images);
        break;
    case PrCurves:
        for (StepCard* card : grid.cards()) {
            static_cast<PrCurveCard*>(card)->setColourSlot(m_slot);
        }
        fillCards<PrCurveCard>(grid, all.prCurves);
        break;
    case Graph:
    case Embeddings:
    case Mistakes:
        break;
    }
}

} // namespace cannery::ui
