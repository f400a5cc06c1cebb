// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/run_page.h"

#include "ui/actions/action_registry.h"
#include "ui/models/formats.h"
#include "ui/models/run_columns.h"
#include "ui/pages/continue_dialog.h"
#include "ui/pages/log_lines.h"
#include "ui/pages/notes_editor.h"
#include "ui/pages/page_parts.h"
#include "ui/pages/run_files.h"
#include "ui/pages/runs_panel.h"
#include "ui/pages/tag_chips.h"
#include "ui/services/engine_service.h"
#include "ui/services/project_session.h"
#include "ui/services/run_catalog.h"
#include "ui/widgets/button.h"
#include "ui/widgets/card.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/key_value_list.h"
#include "ui/widgets/label.h"
#include "ui/widgets/page_header.h"
#include "ui/widgets/pill.h"
#include "ui/widgets/segmented.h"
#include "ui/widgets/split_view.h"
#include "ui/widgets/strip.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/theme.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace cannery::ui {
namespace {

QString momentOrDash(const QDateTime& time)
{
    return time.isValid() ? formatMoment(time) : QStringLiteral("–");
}

} // namespace

RunPage::RunPage(const PageContext& context, QWidget* parent)
    : QWidget(parent), m_context(context), m_header(new PageHeader({})), m_banner(new Strip),
      m_views(new Segmented({tr("Overview"), tr("Experiment"), tr("Checkpoints"), tr("Log")})),
      m_stack(new QStackedWidget)
{
    setObjectName("run_page");
    makeActions();
    m_header->setCrumb(tr("Runs"));
    m_header->setObjectName("header.run");
    m_views->setObjectName("segmented.run_views");
    m_views->setAccessibleName(tr("Views of the run"));
    m_banner->hide();
    m_stack->addWidget(makeScrollArea(makeOverview()));
    m_stack->addWidget(makeExperiment());
    m_stack->addWidget(makeCheckpoints());
    m_stack->addWidget(makeLog());
    auto* viewRow = new QHBoxLayout;
    viewRow->addWidget(m_views);
    viewRow->addStretch(1);
    auto* inner = new QVBoxLayout;
    inner->setContentsMargins(scaled(24), 0, scaled(24), scaled(16));
    inner->setSpacing(scaled(12));
    inner->addWidget(m_header);
    inner->addWidget(m_banner);
    inner->addLayout(viewRow);
    inner->addWidget(m_stack, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(inner, 1);

    connect(m_header, &PageHeader::crumbActivated, this, &RunPage::leaveRequested);
    connect(m_views, &Segmented::currentChanged, this, [this](int view) {
        m_stack->setCurrentIndex(view);
        showView();
    });
    connect(&themeWatch(), &ThemeWatch::changed, this, [this] {
        if (!m_run.name.isEmpty()) {
            showBanner(); // its words hold a colour
        }
    });
}

void RunPage::makeActions()
{
    const auto make = [this](const char* name, const char* icon, const QString& text,
                             const QString& tip) {
        auto* action = new QAction(text, this);
        action->setObjectName(QString::fromLatin1(name));
        action->setToolTip(tip);
        action->setProperty("icon_name", QString::fromLatin1(icon));
        return action;
    };
    m_duplicate = m_context.actions->find("action.duplicate");
    m_export = m_context.actions->find("action.export_savedmodel");
    m_resume = make("action.run_resume", "player-play", tr("Resume"),
                    tr("Go on from the last checkpoint"));
    m_continue = make("action.run_continue", "player-play", tr("Train Longer…"),
                      tr("Train more steps from the last checkpoint"));
    m_trash = make("action.run_trash", "trash", tr("Move to Trash"), tr("Undo brings it back"));
    m_rescan = make("action.run_rescan", "refresh", tr("Rebuild From Event Files"),
                    tr("Reads the folders of the runs again"));
    connect(m_resume, &QAction::triggered, this,
            [this] { m_context.session->resumeRun(m_run.name); });
    connect(m_continue, &QAction::triggered, this,
            [this] { askToTrainLonger(*m_context.session, m_run, this); });
    connect(m_trash, &QAction::triggered, this, [this] { Q_EMIT trashRequested(m_run.name); });
    connect(m_rescan, &QAction::triggered, this, [this] { m_context.session->runs().rescan(); });
    m_header->addAction(m_trash, Button::Kind::Quiet);
    m_header->addAction(m_continue);
    m_header->addAction(m_duplicate, Button::Kind::Plain, tr("Duplicate and Edit"));
    m_header->addAction(m_export, Button::Kind::Primary, tr("Export…"));
}

QWidget* RunPage::makeOverview()
{
    auto* content = new QWidget;
    auto* flow = new FlowLayout(content, 12);
    flow->setContentsMargins(0, 0, 0, 0);
    flow->setColumns(340, 2);
    auto* said = new Card(tr("Notes"));
    m_notes = new NotesEditor;
    m_tags = new TagChips;
    said->body()->addWidget(m_notes);
    said->body()->addWidget(m_tags);
    said->body()->addStretch(1);
    auto* facts = new Card(tr("Facts"));
    m_facts = new KeyValueList;
    m_facts->setObjectName("facts.run");
    facts->body()->addWidget(m_facts);
    m_evaluationCard = new Card(tr("Evaluation"));
    m_evaluation = new KeyValueList;
    m_evaluation->setObjectName("facts.evaluation");
    m_evaluationCard->body()->addWidget(m_evaluation);
    m_evaluationCard->body()->addStretch(1);
    m_filesCard = new Card(tr("Files"));
    m_files = new KeyValueList;
    m_files->setObjectName("facts.files");
    m_filesCard->body()->addWidget(m_files);
    m_filesCard->body()->addStretch(1);
    const auto stack = [flow](const QList<Card*>& cards) {
        auto* box = new QWidget;
        auto* boxColumn = new QVBoxLayout(box);
        boxColumn->setContentsMargins(0, 0, 0, 0);
        boxColumn->setSpacing(scaled(12));
        for (Card* card : cards) {
            boxColumn->addWidget(card);
        }
        boxColumn->addStretch(1);
        flow->addWidget(box);
    };
    stack({facts, m_filesCard});
    stack({m_evaluationCard, said});
    RunCatalog& catalog = m_context.session->runs();
    connect(m_notes, &NotesEditor::notesEdited, this,
            [this, &catalog](const QString& notes) { catalog.setNotes(m_run.name, notes); });
    connect(m_tags, &TagChips::tagsEdited, this,
            [this, &catalog](const QStringList& tags) { catalog.setTags(m_run.name, tags); });
    return content;
}

QWidget* RunPage::makeExperiment()
{
    m_text = new QPlainTextEdit;
    m_text->setObjectName("text.experiment");
    m_text->setAccessibleName(tr("Frozen experiment"));
    m_text->setReadOnly(true);
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    useFont(m_text, TextRole::Code);
    m_other = new QComboBox;
    m_other->setObjectName("field.compare_run");
    m_other->setAccessibleName(tr("Run to compare with"));
    m_differingOnly = new QCheckBox(tr("Differing only"));
    m_differingOnly->setObjectName("field.differing_only");
    m_differingOnly->setChecked(true);
    m_diffSummary = new Label({}, TextRole::Label, Ink::Secondary);
    m_diffSummary->setObjectName("label.diff_summary");
    m_diff = new TableView;
    m_diff->setObjectName("table.parameters");
    m_diff->setAccessibleName(tr("Differing fields"));
    m_diff->setModel(&m_diffModel);
    m_diff->setTextElideMode(Qt::ElideMiddle);
    auto* top = new QHBoxLayout;
    top->addWidget(new Label(tr("Compared with"), TextRole::Label, Ink::Secondary));
    top->addWidget(m_other, 1);
    top->addWidget(m_differingOnly);
    top->addWidget(m_diffSummary);
    auto* right = new QWidget;
    auto* rightColumn = new QVBoxLayout(right);
    rightColumn->setContentsMargins(scaled(12), 0, 0, 0);
    rightColumn->addLayout(top);
    rightColumn->addWidget(m_diff, 1);
    auto* split = new SplitView(Qt::Horizontal);
    split->addWidget(m_text);
    split->addWidget(right);
    split->setStretchFactor(0, 1);
    split->setStretchFactor(1, 1);
    connect(m_other, &QComboBox::currentIndexChanged, this,
            [this] { compareWith(m_other->currentData().toString()); });
    connect(m_differingOnly, &QCheckBox::toggled, this, [this](bool only) {
        m_diffModel.setDifferingOnly(only);
        m_diffSummary->setText(m_diffModel.summary());
    });
    return split;
}

QWidget* RunPage::makeCheckpoints()
{
    auto* content = new QWidget;
    m_checkpoints = new TableView(TableView::Rows::Features);
    m_checkpoints->setObjectName("table.checkpoints");
    m_checkpoints->setAccessibleName(tr("Checkpoints"));
    m_checkpoints->setSelectionMode(QAbstractItemView::SingleSelection);
    m_checkpoints->setModel(&m_checkpointModel);
    m_noCheckpoints =
        new Label(tr("No checkpoint of this run is on disk."), TextRole::Body, Ink::Secondary);
    m_exportCheckpoint = new Button(Button::Kind::Plain, "package-export", tr("Export…"));
    m_exportCheckpoint->setObjectName("button.export_checkpoint");
    m_startFrom = new Button(Button::Kind::Plain, "player-play", tr("Start From"));
    m_startFrom->setObjectName("button.start_from");
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_exportCheckpoint);
    buttons->addWidget(m_startFrom);
    buttons->addStretch(1);
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(8));
    column->addLayout(buttons);
    column->addWidget(m_noCheckpoints);
    column->addWidget(m_checkpoints, 1);
    connect(m_exportCheckpoint, &QPushButton::clicked, this, [this] {
        Q_EMIT navigate(QStringLiteral("export:run:%1@%2").arg(m_run.name).arg(selectedStep()));
    });
    connect(m_startFrom, &QPushButton::clicked, this, [this] {
        ProjectSession& session = *m_context.session;
        session.start(session.warmStartCommand(m_run.name, selectedStep()));
    });
    return content;
}

QWidget* RunPage::makeLog()
{
    m_log = new LogLines(m_context.session->engines());
    return m_log;
}

bool RunPage::setRun(const ProjectSnapshotPtr& snapshot, const QString& run)
{
    const RunRow* row = snapshot->find(run);
    if (!row) {
        return false;
    }
    const bool isNew = row->name != m_run.name;
    m_snapshot = snapshot;
    m_run = *row;
    showHeader();
    showBanner();
    showView();
    if (isNew) {
        m_text->clear();
        m_files->setRows({});
        readFiles();
        m_log->setRun(m_run.name, m_run.folder);
    }
    return true;
}

void RunPage::setView(View view)
{
    m_views->setCurrentIndex(view);
    m_stack->setCurrentIndex(view);
    showView();
}

/// The view that is looked at; the others are brought up to date when they are.
void RunPage::showView()
{
    if (!m_snapshot) {
        return;
    }
    switch (m_stack->currentIndex()) {
    case Overview:
        showOverview();
        break;
    case Experiment:
        showExperiment();
        break;
    case Checkpoints:
        showCheckpoints();
        break;
    default:
        break; // the log listens itself
    }
}

void RunPage::showHeader()
{
    m_header->setTitle(m_run.displayName());
    m_header->setSentence(runFacts(m_run));
    m_header->pill().setVisible(!m_run.isForeign);
    showState(m_header->pill(), m_run.state);
    m_resume->setText(m_run.state == RunState::Failed && m_run.checkpoints.isEmpty()
                          ? tr("Retry")
                          : tr("Resume"));
    const QString fixed = m_snapshot->changeHindrance(&m_run);
    setHindrance(m_resume, fixed, tr("Go on from the last checkpoint"));
    m_resume->setEnabled(fixed.isEmpty() && canResume(m_run));
    setHindrance(m_continue, fixed, tr("Train more steps from the last checkpoint"));
    setHindrance(m_trash, fixed, tr("Undo brings it back"));
    setHindrance(m_rescan, fixed, tr("Reads the folders of the runs again"));
    m_continue->setVisible(canTrainLonger(m_run));
    m_trash->setVisible(!m_run.isForeign && !isLive(m_run.state) && !m_run.trashed);
}

void RunPage::showBanner()
{
    if (!m_run.error.isEmpty()) {
        m_banner->setMessage(Strip::Level::Error, tr("This run cannot be read."), m_run.error);
        m_banner->setActions({m_rescan});
    } else if (m_run.state == RunState::Failed) {
        m_banner->setMessage(Strip::Level::Error, tr("Failed."), m_run.reason);
        m_banner->setActions({m_resume});
    } else if (m_run.state == RunState::Interrupted) {
        m_banner->setMessage(
            Strip::Level::Warning, tr("Interrupted."),
            m_run.checkpoints.isEmpty()
                ? tr("The engine ended before the first checkpoint; Resume begins again.")
                : tr("The engine ended at step %1; Resume goes on from checkpoint %2.")
                      .arg(formatCount(m_run.globalStep),
                           formatCount(m_run.checkpoints.last().step)));
        m_banner->setActions({m_resume});
    } else {
        m_banner->hide();
    }
}

void RunPage::showOverview()
{
    const QString fixed = m_snapshot->changeHindrance(&m_run);
    m_notes->setHindrance(fixed);
    m_notes->setNotes(m_run.notes);
    m_tags->setHindrance(fixed);
    m_tags->setTags(m_run.tags);
    const double seconds = m_run.durationSeconds(QDateTime::currentDateTime());
    const QString dash = QStringLiteral("–");
    const QString steps =
        m_run.maxSteps
            ? tr("%1 of %2").arg(formatCount(m_run.globalStep), formatCount(*m_run.maxSteps))
            : formatCount(m_run.globalStep);
    QList<KeyValueList::Row> facts{
        {tr("State"), displayName(m_run.state), m_run.reason},
        {tr("Why"), m_run.reason.isEmpty() ? dash : m_run.reason},
        {tr("Steps"), steps},
        {tr("Started"), momentOrDash(m_run.startedAt)},
        {tr("Ended"), momentOrDash(m_run.finishedAt)},
        {tr("Took"), seconds < 0 ? dash : formatDuration(seconds)},
        {tr("Estimator"), m_run.estimator.isEmpty() ? dash : m_run.estimator},
        {tr("Experiment"), m_run.experimentName.isEmpty() ? dash : m_run.experimentName},
        {tr("Rows"), tr("%1 to train, %2 to evaluate")
                         .arg(formatCount(m_run.trainRows), formatCount(m_run.evalRows))},
        {tr("Data"), m_run.dataFingerprint.isEmpty() ? dash : m_run.dataFingerprint},
        {tr("Engine"), m_run.engine.isEmpty() ? dash : m_run.engine}};
    m_facts->setRows(facts);

    QList<KeyValueList::Row> numbers;
    for (const MetricSummary& summary : m_run.metrics) {
        if (summary.name.startsWith(QLatin1String("train/"))) {
            continue;
        }
        const bool hasBest = !std::isnan(summary.atBest);
        numbers.append({metricName(summary.name),
                        formatNumber(hasBest ? summary.atBest : summary.last),
                        formatExact(hasBest ? summary.atBest : summary.last)});
    }
    m_evaluationCard->setTitle(m_run.bestStep >= 0 ? tr("Evaluation at step %1, the best %2")
                                                         .arg(formatCount(m_run.bestStep),
                                                              metricName(m_run.decisionMetric))
                                                   : tr("Evaluation"));
    m_evaluation->setRows(numbers);
    m_evaluationCard->setVisible(!numbers.isEmpty());
}

void RunPage::showExperiment()
{
    const QSignalBlocker blocker(m_other);
    const QString before = m_other->currentData().toString();
    QStringList listed;
    m_other->clear();
    for (const RunRow& run : m_snapshot->runs) {
        if (run.name != m_run.name && !run.trashed && !run.parameters.isEmpty()) {
            m_other->addItem(run.displayName(), run.name);
            listed.append(run.name);
        }
    }
    const qsizetype at = listed.indexOf(before);
    m_other->setCurrentIndex(listed.isEmpty() ? -1 : static_cast<int>(std::max<qsizetype>(0, at)));
    m_other->setEnabled(!listed.isEmpty());
    compareWith(m_other->currentData().toString());
}

void RunPage::compareWith(const QString& other)
{
    QList<RunRow> runs{m_run};
    if (const RunRow* row = m_snapshot->find(other)) {
        runs.append(*row);
    }
    m_diffModel.setRuns(runs);
    m_diffSummary->setText(m_diffModel.summary());
    m_diff->horizontalHeader()->setStretchLastSection(false);
    m_diff->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
}

void RunPage::showCheckpoints()
{
    const qint64 before = selectedStep();
    m_checkpointModel.setRun(m_run);
    const bool hasAny = m_checkpointModel.rowCount() > 0;
    m_checkpoints->setVisible(hasAny);
    m_noCheckpoints->setVisible(!hasAny);
    m_checkpoints->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    int chosen = 0;
    for (int row = 0; row < m_checkpointModel.rowCount(); ++row) {
        const CheckpointRow& checkpoint = *m_checkpointModel.checkpoint(row);
        if (before >= 0 ? checkpoint.step == before : checkpoint.isBest) {
            chosen = row;
        }
    }
    if (hasAny) {
        m_checkpoints->selectRow(chosen);
    }
    m_exportCheckpoint->setEnabled(hasAny);
    const QString fixed = m_snapshot->changeHindrance(&m_run);
    setHindrance(m_startFrom, fixed,
                 tr("A new run of the open experiment that begins with the weights of this "
                    "checkpoint"));
    m_startFrom->setEnabled(hasAny && fixed.isEmpty());
}

qint64 RunPage::selectedStep() const
{
    const QModelIndex current = m_checkpoints->currentIndex();
    const CheckpointRow* row = m_checkpointModel.checkpoint(current.row());
    return current.isValid() && row ? row->step : -1;
}

void RunPage::readFiles()
{
    const quint64 reading = ++m_reading;
    readRunFiles(m_run.folder, this, [this, reading](const RunFilesRead& files) {
        if (reading != m_reading) {
            return; // another run is shown meanwhile
        }
        m_text->setPlainText(files.experiment.isEmpty() ? tr("This run has no frozen experiment.")
                                                        : files.experiment);
        QList<KeyValueList::Row> rows{{tr("Folder"), formatPath(m_run.folder), m_run.folder}};
        for (const auto& [name, bytes] : files.entries) {
            rows.append({name, bytes < 0 ? tr("folder") : formatBytes(bytes)});
        }
        m_files->setRows(rows);
    });
}

} // namespace cannery::ui
