// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/model/model_page.h"

#include "ui/document/checked_problems.h"
#include "ui/document/experiment_document.h"
#include "ui/editing/document_query.h"
#include "ui/editing/experiment_facts.h"
#include "ui/editing/run_difference.h"
#include "ui/models/formats.h"
#include "ui/pages/model/cluster_card.h"
#include "ui/pages/model/estimator_choice.h"
#include "ui/pages/model/form_bar.h"
#include "ui/pages/model/model_form.h"
#include "ui/pages/model/network/network_panel.h"
#include "ui/pages/model/network_sketch.h"
#include "ui/pages/model/rate_card.h"
#include "ui/pages/model/strategy_choice.h"
#include "ui/pages/page_parts.h"
#include "ui/pages/page_problems.h"
#include "ui/services/projects/project_session.h"
#include "ui/widgets/behaviour/update_throttle.h"
#include "ui/widgets/button.h"
#include "ui/widgets/card.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/fact_row.h"
#include "ui/widgets/key_value_list.h"
#include "ui/widgets/label.h"
#include "ui/widgets/page_header.h"
#include "ui/widgets/strip.h"

#include <QAction>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace cannery::ui {

namespace {

constexpr double kShownSeconds = 0.1;

/// A time, not more precise than it is.
QString estimate(double seconds)
{
    return seconds < kShownSeconds ? ModelPage::tr("under %1").arg(formatDuration(kShownSeconds))
                                   : formatDuration(seconds);
}

/// The estimate of memory beside what measuring took at most.
QString measuredMemory(const PlanFacts& plan)
{
    const QString peak =
        plan.measuredRows > 0 && plan.measuredRows < plan.trainRows
            ? ModelPage::tr("Measuring with the first %1 rows took %2 at most.")
                  .arg(formatCount(plan.measuredRows), formatBytes(plan.measuredBytes))
            : ModelPage::tr("Measuring with all rows took %1 at most.")
                  .arg(formatBytes(plan.measuredBytes));
    const QString program = plan.programBytes > 0
                                ? ModelPage::tr("Of that, %1 is the program itself.")
                                      .arg(formatBytes(plan.programBytes))
                                : QString();
    return ModelPage::tr("Memory: %1 estimated. %2 %3")
        .arg(formatBytes(plan.memoryBytes), peak, program)
        .trimmed();
}

} // namespace

ModelPage::ModelPage(const PageContext& context, QWidget* parent)
    : Page("model", context, parent), m_plan(&DocumentQuery::plan(session())),
      m_rates(&DocumentQuery::learningRates(session())),
      m_difference(new RunDifference(session(), this)), m_stack(new QStackedWidget(this)),
      m_empty(new EmptyState(this)), m_showWarmStart(new QAction(tr("Go There"), this))
{
    m_showWarmStart->setObjectName("action.show_warm_start");
    connect(m_showWarmStart, &QAction::triggered, this,
            [this] { m_form->reveal("warm_start.ckpt_to_initialize_from"); });
    m_inspector = makeInspector();
    m_inspector->hide();
    m_empty->setObjectName("empty.model");
    m_empty->setPicture(EmptyState::Sketch::Boxes, "topology-star-3");
    m_empty->setTitle(tr("Nothing is open"));
    m_empty->setSentence(tr("Open a project or a table to see its model here."));
    m_empty->setPrimaryAction(action("action.open_data"), tr("Open Data File…"));
    m_empty->setPlainAction(action("action.page_home"), tr("Use a Sample"));
    m_stack->addWidget(makeEmptyPage(tr("Model"), m_empty));
    m_stack->addWidget(makeContent());
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(m_stack);
    auto* shown = new UpdateThrottle(
        this, [this] { refresh(); }, UpdateThrottle::kAtOnce);
    const auto changed = [this, shown] {
        refreshProblems(); // and the mark in the rail
        shown->changed();
    };
    connect(m_plan, &DocumentQuery::changed, this, changed);
    connect(&session().project(), &OpenProject::changed, this, changed);
    connect(&session().document(), &ExperimentDocument::changed, this, changed);
    connect(m_rates, &DocumentQuery::changed, this,
            [this] { m_rateCard->setCurves(learningRatesFromJson(m_rates->result())); });
    connect(m_difference, &RunDifference::changed, this, &ModelPage::refreshChanges);
    connect(m_difference, &RunDifference::changed, this, &ModelPage::refreshMark);
    connect(&session().document(), &ExperimentDocument::problemsChanged, this,
            &ModelPage::refreshProblems);
    refresh();
}

QWidget* ModelPage::makeBuilt()
{
    auto* side = new QWidget;
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(14));
    m_built = new Card(tr("What will be built"));
    m_network = new NetworkSketch;
    m_drawing = new NetworkPanel(m_form->context());
    m_costs = new FactRow;
    m_costs->setObjectName("facts.model");
    m_built->body()->addWidget(m_network, 1);
    m_built->body()->addWidget(m_drawing, 1);
    m_built->body()->addWidget(m_costs);
    m_built->body()->addWidget(makeMeasured());
    column->addWidget(m_built);
    m_rateCard = new RateCard;
    column->addWidget(m_rateCard);
    m_cluster = new ClusterCard(session());
    column->addWidget(m_cluster);
    m_changes = new Card(tr("Changed"));
    m_changes->setObjectName("card.changes");
    m_changed = new KeyValueList;
    m_changes->body()->addWidget(m_changed);
    m_changes->hide();
    column->addWidget(m_changes);
    column->addStretch(1);
    return side;
}

/// What the estimates are worth.
QWidget* ModelPage::makeMeasured()
{
    m_measured = new QWidget;
    auto* line = new QHBoxLayout(m_measured);
    line->setContentsMargins(0, 0, 0, 0);
    m_measuredWords = new Label({}, TextRole::Label, Ink::Secondary);
    m_measuredWords->setObjectName("words.measured");
    m_measuredWords->setWordWrap(true);
    auto* again = new Button(Button::Kind::Link, tr("Measure Again"));
    again->setObjectName("button.measure");
    again->setToolTip(tr("Train the model for half a second, without keeping anything."));
    connect(again, &QPushButton::clicked, m_plan, &DocumentQuery::askAgain);
    line->addWidget(m_measuredWords, 1);
    line->addWidget(again, 0, Qt::AlignTop);
    m_measured->hide();
    return m_measured;
}

QWidget* ModelPage::makeForm()
{
    auto* form = new Card;
    m_title = new Label({}, TextRole::Section);
    m_class = new ElidedLabel({}, TextRole::Label, Ink::Secondary);
    m_form = new ModelForm(session(), *m_difference);
    m_resetAll = new Button(Button::Kind::Link, tr("Reset All"));
    m_resetAll->setObjectName("button.reset_all");
    m_resetAll->setToolTip(
        tr("Return every argument to its default, but keep the columns and what is "
           "predicted."));
    connect(m_resetAll, &QPushButton::clicked, m_form, &ModelForm::resetAll);
    auto* head = new QHBoxLayout;
    head->addWidget(m_title, 1);
    head->addWidget(m_resetAll);
    form->body()->addLayout(head);
    form->body()->addWidget(m_class);
    form->body()->addWidget(m_form, 1);
    return form;
}

QWidget* ModelPage::makeContent()
{
    auto* content = new QWidget(this);
    auto* column = makePageColumn(content);
    m_header = new PageHeader(tr("Model"));
    m_header->setObjectName("header.model");
    m_header->addAction(action("action.show_command"), Button::Kind::Quiet);
    m_header->addAction(action("action.open_text_editor"));
    m_header->addAction(action("action.sweep"));
    m_header->addAction(action("action.train"), Button::Kind::Primary);
    column->addWidget(m_header);
    m_strip = new Strip;
    m_strip->setObjectName("strip.model");
    m_strip->hide();
    connect(m_strip, &Strip::linkActivated, this,
            [this](const QString& link) { Q_EMIT navigate(link.section(':', -1)); });
    column->addWidget(m_strip);

    auto* body = new QWidget;
    auto* rows = new QVBoxLayout(body);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(scaled(14));
    m_estimators = new EstimatorChoice(context());
    rows->addWidget(m_estimators);
    auto* cards = new AdaptiveRow;
    cards->addPart(makeForm(), 4, 330);
    cards->addPart(makeBuilt(), 5, 340);
    rows->addWidget(cards, 1);
    auto* area = makeScrollArea(body);
    area->setObjectName("scroll.model");
    m_bar = new FormBar(*m_form, *area);
    m_bar->addPart(tr("What will be built"), m_built);
    column->addWidget(m_bar);
    column->addWidget(area, 1);
    m_problems = new ProblemList;
    connectProblems(*m_problems, *this, action("action.open_text_editor"), session().document());
    column->addWidget(m_problems);
    return content;
}

QWidget* ModelPage::makeInspector()
{
    auto* inspector = new QWidget(this);
    inspector->setObjectName("inspector.model");
    inspector->setAccessibleName(tr("Strategy and layers"));
    m_strategy = new StrategyChoice(session());
    connect(m_strategy, &StrategyChoice::measured, this,
            [this] { m_cluster->setAdvice(m_strategy->workersFacts()); });
    m_layers = new InspectorSection(tr("Layers"));
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(scaled(16), scaled(16), scaled(16), scaled(16));
    column->setSpacing(scaled(12));
    column->addWidget(new Label(tr("Strategy"), TextRole::Section));
    column->addWidget(m_strategy);
    column->addWidget(m_layers);
    column->addStretch(1);
    auto* outer = new QVBoxLayout(inspector);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(makeScrollArea(content, inspector));
    return inspector;
}

QWidget* ModelPage::inspector()
{
    return m_inspector;
}

void ModelPage::reveal(const QString& what)
{
    if (what.startsWith(QLatin1String("field:"))) {
        const QString path = what.mid(6);
        if (!m_drawing->reveal(path)) {
            m_form->reveal(path);
        }
    } else if (what.startsWith(QLatin1String("estimator:"))) {
        m_estimators->reveal(what.section(u':', 1));
    }
}

QWidget* ModelPage::findField()
{
    return session().document().isOpen() ? m_bar->findField() : nullptr;
}

CommandLine ModelPage::command() const
{
    return m_plan->command();
}

void ModelPage::showEvent(QShowEvent* event)
{
    Page::showEvent(event);
    m_plan->setWanted(this, true);
    m_rates->setWanted(this, true);
    // Its facts advise on the estimators.
    DocumentQuery::preview(session()).setWanted(this, true);
}

void ModelPage::hideEvent(QHideEvent* event)
{
    Page::hideEvent(event);
    m_plan->setWanted(this, false);
    m_rates->setWanted(this, false);
    DocumentQuery::preview(session()).setWanted(this, false);
}

void ModelPage::refresh()
{
    const bool open = session().document().isOpen();
    m_stack->setCurrentIndex(open ? 1 : 0);
    const ExperimentFacts facts = ExperimentFacts::of(session().document().root());
    m_title->setText(facts.estimatorTitle);
    m_class->setText(facts.className);
    m_header->setSentence(facts.estimatorHelp);
    m_estimators->refresh();
    m_form->refresh();
    m_resetAll->setEnabled(m_form->canReset());
    m_network->setFacts(facts);
    const bool isDrawn = !session().document().edits().network().isEmpty();
    m_network->setVisible(!isDrawn);
    m_drawing->setVisible(isDrawn);
    m_drawing->refresh();
    m_cluster->refresh();
    refreshPlan(facts);
    refreshChanges();
    refreshProblems();
}

void ModelPage::refreshPlan(const ExperimentFacts& facts)
{
    const PlanFacts& plan = m_plan->planFacts();
    QList<FactRow::Fact> costs;
    if (plan.parameters >= 0) {
        costs.append({formatCount(plan.parameters), tr("parameters"), {}});
    }
    if (plan.multiplyAdds >= 0) {
        costs.append({formatShortCount(double(plan.multiplyAdds)), tr("mult-adds per row"), {}});
    }
    if (plan.memoryBytes >= 0) {
        costs.append({formatBytes(plan.memoryBytes), tr("memory, estimated"), {}});
    }
    if (plan.secondsPerEpoch) {
        costs.append({estimate(*plan.secondsPerEpoch), tr("per epoch, estimated"), {}});
    }
    if (plan.seconds) {
        costs.append({estimate(*plan.seconds), tr("whole run, estimated"), {}});
    }
    if (costs.isEmpty() && facts.hasModel() && m_plan->isRunning()) {
        costs.append({QString(), tr("Counting parameters…"), {}});
    }
    m_costs->setFacts(costs);
    m_drawing->setPlan(plan);
    m_strategy->setPlan(plan);
    m_cluster->setAdvice(m_strategy->workersFacts());
    refreshMeasured(plan);
    m_layers->setVisible(!plan.layers.isEmpty());
    m_layers->clear();
    for (const PlanLayer& layer : plan.layers) {
        const QString count =
            layer.parameters > 0 ? formatCount(layer.parameters) : QStringLiteral("–");
        QHBoxLayout* row =
            m_layers->addRow(tr("%1, %2, %3 parameters").arg(layer.name, layer.shape, count));
        row->parentWidget()->setToolTip(layer.type);
        auto* name = new ElidedLabel(layer.name, TextRole::Label);
        // The end of a layer's name is what sets it apart from its siblings.
        name->setElideMode(Qt::ElideLeft);
        row->addWidget(name, 1);
        const std::pair<QString, TextRole> numbers[]{{layer.shape, TextRole::Label},
                                                     {count, TextRole::LabelStrong}};
        for (const auto& [text, role] : numbers) {
            auto* number =
                new Label(text, role, role == TextRole::Label ? Ink::Secondary : Ink::Text);
            number->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
            number->setMinimumWidth(scaled(role == TextRole::Label ? 30 : 44));
            row->addWidget(number);
        }
    }
}

void ModelPage::refreshMeasured(const PlanFacts& plan)
{
    m_measured->setVisible(plan.measuredSteps > 0);
    const QString steps = tr("Estimates: measured just now on this machine, in %1.")
                              .arg(counted(plan.measuredSteps, tr("one step of training"),
                                           tr("%1 steps of training")));
    QStringList sentences{steps};
    if (plan.mayTrainOnGpu) {
        sentences << tr("They are of the CPU; what a GPU would take is not measured.");
    }
    if (plan.secondsLow && plan.secondsHigh && *plan.secondsHigh >= kShownSeconds) {
        sentences << tr("The whole run takes %1 to %2 at the measured speeds.")
                         .arg(estimate(*plan.secondsLow), estimate(*plan.secondsHigh));
    }
    if (plan.measuredBytes > 0) {
        sentences << measuredMemory(plan);
    }
    m_measuredWords->setText(sentences.join(u' '));
}

void ModelPage::refreshChanges()
{
    QList<KeyValueList::Row> rows;
    const QString arrow = isRightToLeft() ? QStringLiteral("←") : QStringLiteral("→");
    for (const ExperimentChange& change : m_difference->changes()) {
        const QString label = change.page == QLatin1String("model")
                                  ? change.label
                                  : tr("%1, %2").arg(change.place, change.label);
        rows.append(
            {label,
             change.kind == ExperimentChange::Kind::Added
                 ? tr("added: %1").arg(formatWritten(change.after))
             : change.kind == ExperimentChange::Kind::Removed
                 ? tr("removed: %1").arg(formatWritten(change.before))
                 : QStringLiteral("%1 %2 %3")
                       .arg(formatWritten(change.before), arrow, formatWritten(change.after)),
             change.path});
    }
    m_changes->setTitle(tr("Changed since %1").arg(m_difference->run()));
    m_changed->setRows(rows);
    m_changes->setVisible(!rows.isEmpty());
}

void ModelPage::refreshProblems()
{
    const QList<ProblemRow> problems = problemsOf(session().document().problems().all(), "model");
    QAction* editor = action("action.open_text_editor");
    const QString& misfit = m_plan->planFacts().warmStart.problem;
    const bool isOfWarmStart = problems.isEmpty() && !misfit.isEmpty() && m_plan->error().isEmpty();
    // Errors of the experiment have sentences of their own: the plan only repeats them.
    if (problems.isEmpty() && !m_plan->error().isEmpty() &&
        !session().document().problems().hasErrors()) {
        m_strip->setMessage(Strip::Level::Error, tr("The model cannot be built."), m_plan->error());
        m_strip->setActions({editor});
        m_problems->setProblems({});
    } else if (isOfWarmStart) {
        m_strip->setMessage(Strip::Level::Error, tr("The warm start does not fit."), misfit);
        m_strip->setActions({m_showWarmStart});
        m_problems->setProblems({});
    } else {
        showProblems(problems, *m_strip, *m_problems, *this, editor, session().document());
    }
    refreshMark();
}

void ModelPage::refreshMark()
{
    const QList<ProblemRow> problems = problemsOf(session().document().problems().all(), "model");
    const QString& misfit = m_plan->planFacts().warmStart.problem;
    const QList<ExperimentChange>& changes = m_difference->changes();
    // Of the pages before this one: a run trained with another table or other features.
    const bool isStale =
        std::any_of(changes.begin(), changes.end(), [this](const ExperimentChange& change) {
            return change.page != id(); // of what the model is built on
        });
    if (!session().document().isOpen()) {
        setMark({.kind = RailMark::Kind::Empty, .tip = tr("Nothing is open.")});
    } else if (!problems.isEmpty()) {
        setMark(markOf(problems));
    } else if (!misfit.isEmpty()) {
        setMark({.kind = RailMark::Kind::Error, .tip = misfit});
    } else if (isStale) {
        setMark({.kind = RailMark::Kind::Stale,
                 .tip = tr("The data or the features have changed since %1: train again.")
                            .arg(m_difference->run())});
    } else {
        setMark({.kind = RailMark::Kind::Ready, .tip = tr("The model is ready.")});
    }
}

} // namespace cannery::ui
