// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/runs/runs_list.h"

#include "ui/models/formats.h"
#include "ui/models/metric_names.h"
#include "ui/models/runs/run_groups.h"
#include "ui/models/runs/sweep_summary.h"
#include "ui/pages/page_parts.h"
#include "ui/pages/runs/runs_columns_dialog.h"
#include "ui/pages/runs/runs_panel.h"
#include "ui/pages/runs/runs_table.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/widgets/button.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/link_label.h"
#include "ui/widgets/search_field.h"
#include "ui/widgets/style/theme.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QJsonArray>
#include <QJsonObject>
#include <QPainter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace cannery::ui {
namespace {

constexpr int kGroupLines = 6;
constexpr int kLeastHeightWithPanel = 400; ///< design pixels

QString link(const QString& target, const QString& words)
{
    return QStringLiteral("<a href=\"%1\">%2</a>").arg(target, words.toHtmlEscaped());
}

} // namespace

RunsList::RunsList(RunCatalog& catalog, QAction* duplicate, QAction* exportModel, QWidget* parent)
    : QWidget(parent), m_catalog(&catalog), m_proxy(m_model),
      m_filter(new SearchField(tr("Filter runs, e.g. auc > 0.9 and tag:best"))),
      m_problem(new Label({}, TextRole::Label, Ink::Error)), m_trashBar(new QWidget),
      m_restore(new Button(Button::Kind::Plain, "restore", tr("Restore"))),
      m_emptyTrash(new Button(Button::Kind::Danger, tr("Empty Trash…"))),
      m_stack(new QStackedWidget), m_table(new RunsTable(m_model, m_proxy)),
      m_noMatch(new LinkLabel), m_count(new LinkLabel({}, TextRole::Label, Ink::Secondary)),
      m_sweep(new LinkLabel({}, TextRole::Label, Ink::Secondary)),
      m_groups(new Label({}, TextRole::Label, Ink::Secondary)),
      m_panel(new RunsPanel(duplicate, exportModel))
{
    setObjectName("runs.list");
    m_noMatch->setObjectName("label.no_match");
    m_noMatch->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_noMatch->setWordWrap(true);
    m_noMatch->setContentsMargins(0, scaled(16), 0, 0);
    m_stack->addWidget(m_table);
    m_stack->addWidget(m_noMatch);
    m_count->setObjectName("label.run_count");
    m_sweep->setObjectName("label.sweep");
    m_sweep->setWordWrap(true);
    m_sweep->hide();
    m_groups->setObjectName("label.groups");
    m_groups->setWordWrap(true);
    m_groups->hide();

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(scaled(16), scaled(12), scaled(12), scaled(8));
    column->setSpacing(scaled(8));
    column->addLayout(makeFilterRow());
    column->addWidget(m_problem);
    fillTrashBar();
    column->addWidget(m_trashBar);
    column->addWidget(m_stack, 1);
    column->addWidget(m_count);
    column->addWidget(m_sweep);
    column->addWidget(m_groups);
    column->addWidget(m_panel);

    connect(m_count, &QLabel::linkActivated, this, &RunsList::follow);
    connect(m_sweep, &QLabel::linkActivated, m_table, &RunsTable::selectRun);
    connect(m_noMatch, &QLabel::linkActivated, this, &RunsList::follow);
    connectTable();
    connect(m_panel, &RunsPanel::notesEdited, m_catalog, &RunCatalog::setNotes);
    connect(m_panel, &RunsPanel::tagsEdited, m_catalog, &RunCatalog::setTags);
    connect(m_panel, &RunsPanel::starToggled, m_catalog, &RunCatalog::setStar);
    connect(m_panel, &RunsPanel::openRequested, this, &RunsList::openRequested);
    updateWords();
    updatePanel();
}

QLayout* RunsList::makeFilterRow()
{
    m_filter->setObjectName("field.filter");
    m_filter->setAccessibleName(tr("Run filter"));
    m_problem->setObjectName("label.filter_problem");
    m_problem->setWordWrap(true);
    m_problem->hide();
    auto* columns = new IconButton("adjustments", tr("Columns…"));
    columns->setObjectName("button.columns");
    auto* row = new QHBoxLayout;
    row->setSpacing(scaled(8));
    row->addWidget(m_filter, 1);
    row->addWidget(columns);
    connect(m_filter, &QLineEdit::textChanged, this, &RunsList::applyFilter);
    connect(columns, &QToolButton::clicked, this, &RunsList::chooseColumns);
    return row;
}

void RunsList::fillTrashBar()
{
    auto* back = new Button(Button::Kind::Link, "arrow-left", tr("Runs"));
    back->setObjectName("button.leave_trash");
    back->setAccessibleName(tr("Back to the runs"));
    m_restore->setObjectName("button.restore");
    m_emptyTrash->setObjectName("button.empty_trash");
    auto* row = new QHBoxLayout(m_trashBar);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(back);
    row->addStretch(1);
    row->addWidget(m_restore);
    row->addWidget(m_emptyTrash);
    m_trashBar->hide();
    connect(back, &QPushButton::clicked, this, [this] { showTrash(false); });
    connect(m_restore, &QPushButton::clicked, this, [this] {
        const QStringList chosen = m_table->selectedRuns();
        m_catalog->restore(chosen);
    });
    connect(m_emptyTrash, &QPushButton::clicked, this, &RunsList::emptyTrashRequested);
}

void RunsList::connectTable()
{
    connect(m_table, &RunsTable::selectionMoved, this, &RunsList::updatePanel);
    connect(m_table, &RunsTable::selectionMoved, this, &RunsList::selectionMoved);
    connect(m_table, &RunsTable::openRequested, this, &RunsList::openRequested);
    connect(m_table, &RunsTable::colourChosen, m_catalog, &RunCatalog::setColourSlot);
    connect(m_table->horizontalHeader(), &QHeaderView::sortIndicatorChanged, this,
            &RunsList::stateChanged);
    connect(&m_model, &RunTableModel::renameRequested, m_catalog, &RunCatalog::setTitle);
    connect(&m_model, &RunTableModel::starRequested, m_catalog, &RunCatalog::setStar);
    connect(&m_model, &RunTableModel::shownChanged, this, &RunsList::stateChanged);
    connect(&m_model, &RunTableModel::shownChanged, this, &RunsList::updateWords);
}

/// A link in the text below the table, or in its place.
void RunsList::follow(const QString& target)
{
    if (target == QLatin1String("trash")) {
        showTrash(true);
    } else if (target == QLatin1String("runs")) {
        showTrash(false);
    } else {
        m_filter->clear();
    }
}

void RunsList::setSnapshot(const ProjectSnapshotPtr& snapshot)
{
    // Remembered before the rows change, since a reset loses the current one.
    const QString current = m_table->currentRun();
    m_model.setSnapshot(snapshot);
    if (!m_hasOwnColumns) {
        followColumns(*snapshot);
    }
    keepCurrent(current);
    QStringList tags;
    for (const RunRow& run : snapshot->runs) {
        for (const QString& tag : run.tags) {
            if (!tags.contains(tag)) {
                tags.append(tag);
            }
        }
    }
    tags.sort();
    m_panel->setKnownTags(tags);
    updateWords();
    updatePanel();
}

/// Until the user chooses columns, they follow what the runs have.
void RunsList::followColumns(const ProjectSnapshot& snapshot)
{
    qsizetype metrics = 0;
    for (const RunRow& run : snapshot.runs) {
        metrics = std::max(metrics, run.metrics.size());
    }
    const std::pair<qsizetype, qsizetype> seen(snapshot.runs.size(), metrics);
    // Looked for only if runs or metrics have come: each snapshot would otherwise reset the header.
    if (seen != m_columnsSeen) {
        m_columnsSeen = seen;
        m_model.setColumns(defaultColumns(snapshot));
    }
}

void RunsList::keepCurrent(const QString& run)
{
    if (m_table->currentIndex().isValid() || m_proxy.rowCount() == 0) {
        return;
    }
    const bool isThere = m_proxy.indexOf(run).isValid();
    m_table->selectRun(isThere ? run : m_proxy.runAt(0));
}

void RunsList::paintEvent(QPaintEvent*)
{
    QPainter(this).fillRect(rect(), tokens().surface);
}

void RunsList::applyFilter()
{
    const QString current = m_table->currentRun();
    const RunFilter filter = RunFilter::parse(m_filter->text());
    QString problem;
    if (filter.error()) {
        problem = filter.error()->sentence;
    } else if (const QString field = filter.unknownField(m_model.snapshot()->runs);
               !field.isEmpty() && m_model.rowCount() > 0) {
        problem = tr("No run has a metric or parameter “%1”.").arg(field);
    }
    m_filter->setProblem(problem);
    m_problem->setText(problem);
    m_problem->setVisible(!problem.isEmpty());
    m_proxy.setFilter(filter);
    keepCurrent(current);
    updateWords();
    updatePanel();
    Q_EMIT filterChanged();
    Q_EMIT stateChanged();
}

void RunsList::showTrash(bool shows)
{
    if (shows == showsTrash()) {
        return;
    }
    m_proxy.setShowsTrash(shows);
    if (m_proxy.rowCount() > 0) {
        // The selection of the other list means nothing here.
        m_table->selectRun(m_proxy.runAt(0));
    }
    updateWords();
    updatePanel();
    Q_EMIT selectionMoved();
}

bool RunsList::isDrawn(const RunRow& run) const
{
    return !run.trashed && m_model.isShown(run.name) && m_proxy.filter().matches(run);
}

QString RunsList::noMatchWords() const
{
    if (showsTrash()) {
        return tr("The Trash is empty. %1").arg(link("runs", tr("Back to the runs")));
    }
    if (m_proxy.hiddenCount() > 0) {
        return tr("No run matches – %1 hidden. %2")
            .arg(formatCount(m_proxy.hiddenCount()), link("clear", tr("Clear Filter")));
    }
    return tr("All runs are in the Trash. %1").arg(link("trash", tr("Show the Trash")));
}

void RunsList::updateWords()
{
    const int rows = m_proxy.rowCount();
    const bool isTrash = showsTrash();
    m_trashBar->setVisible(isTrash);
    const QString fixed = m_model.snapshot()->changeHindrance();
    for (Button* button : {m_restore, m_emptyTrash}) {
        setHindrance(button, fixed);
        button->setEnabled(fixed.isEmpty() && isTrash && rows > 0);
    }
    const bool isListed = rows > 0 || m_model.rowCount() == 0;
    m_stack->setCurrentWidget(isListed ? static_cast<QWidget*>(m_table) : m_noMatch);
    if (!isListed) {
        m_noMatch->setText(noMatchWords());
    }
    int shown = 0;
    int outside = 0;
    // Counted without the filter, so that what it hides can be named.
    for (const RunRow& run : m_model.snapshot()->runs) {
        outside += run.trashed ? 0 : 1;
        shown += isDrawn(run) ? 1 : 0;
    }
    QStringList parts;
    if (isTrash) {
        parts.append(tr("%1 in the Trash").arg(formatCount(m_proxy.trashedCount())));
    } else {
        parts.append(tr("%1 shown of %2").arg(formatCount(shown), formatCount(outside)));
        if (const int hidden = rows > 0 ? outside - rows : 0; hidden > 0) {
            parts.append(tr("%1 hidden by the filter").arg(formatCount(hidden)));
        }
        if (const int trashed = m_proxy.trashedCount(); trashed > 0) {
            parts.append(link("trash", tr("%1 in Trash").arg(formatCount(trashed))));
        }
    }
    m_count->setText(parts.join(QStringLiteral(" · ")));
    updateSweep();
    updateGroups();
}

void RunsList::updateSweep()
{
    const std::optional<SweepSummary> sweep = newestSweep(*m_model.snapshot());
    m_sweep->setVisible(sweep.has_value() && !showsTrash());
    if (!sweep) {
        return;
    }
    QString words = tr("%1: %2 of %3 have ended.")
                        .arg(sweep->name, formatCount(sweep->ended),
                             counted(sweep->runs, tr("one run"), tr("%1 runs")));
    if (const RunRow* best = m_model.snapshot()->find(sweep->best)) {
        words += u' ' + tr("Best %1: %2 in %3")
                            .arg(metricWord(sweep->metric), formatNumber(sweep->value),
                                 link(best->name, best->displayName()));
        words += u'.';
        m_sweep->setToolTip(sweep->settings.isEmpty() ? QString()
                                                      : tr("With %1.").arg(sweep->settings));
    }
    m_sweep->setText(words);
}

void RunsList::setGroup(const QString& parameter)
{
    m_groupParameter = parameter;
    updateGroups();
}

void RunsList::updateGroups()
{
    QList<const RunRow*> drawn;
    QString metric;
    for (const RunRow& run : m_model.snapshot()->runs) {
        if (isDrawn(run)) {
            drawn.append(&run);
            // By the first run's metric: means of different ones cannot be compared.
            metric = metric.isEmpty() ? run.shownMetric() : metric;
        }
    }
    QStringList lines;
    for (const RunGroup& group : groupRuns(drawn, m_groupParameter)) {
        QList<double> values;
        for (const QString& name : group.runs) {
            const MetricSummary* summary = m_model.snapshot()->find(name)->metric(metric);
            if (summary) {
                // As in the table: at the best evaluation, if the run has one.
                values.append(std::isnan(summary->atBest) ? summary->last : summary->atBest);
            }
        }
        const QString mean = meanAndDeviation(values);
        lines.append(mean.isEmpty() ? group.label
                                    : tr("%1: %2 %3").arg(group.label, metricName(metric), mean));
    }
    const bool isShown = !m_groupParameter.isEmpty() && !lines.isEmpty();
    m_groups->setVisible(isShown);
    m_groups->setToolTip(lines.join('\n'));
    m_groups->setText(lines.mid(0, kGroupLines).join('\n'));
}

void RunsList::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    updatePanel();
}

void RunsList::updatePanel()
{
    const RunRow* run = m_model.snapshot()->find(m_table->currentRun());
    // In a low window the table takes precedence: a run's own page shows the same.
    m_panel->setVisible(run != nullptr && height() >= scaled(kLeastHeightWithPanel));
    if (run) {
        m_panel->setRun(*run, m_model.snapshot()->changeHindrance(run));
    }
}

void RunsList::chooseColumns()
{
    auto* dialog = new RunsColumnsDialog(m_model.columns(), *m_model.snapshot(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &RunsColumnsDialog::changed, this, [this, dialog] {
        const QString current = m_table->currentRun();
        m_hasOwnColumns = true;
        m_model.setColumns(dialog->columns());
        keepCurrent(current);
        Q_EMIT stateChanged();
    });
    dialog->open();
}

QJsonObject RunsList::saveState() const
{
    QJsonObject state;
    state.insert("filter", m_filter->text());
    // Runs that are known but not shown were hidden by the user; new ones are shown.
    state.insert("shown", QJsonArray::fromStringList(m_model.shownRuns()));
    state.insert("known", QJsonArray::fromStringList(m_model.knownRuns()));
    state.insert("baseline", m_model.baseline());
    state.insert("sort_column", m_table->horizontalHeader()->sortIndicatorSection());
    state.insert("sort_descending",
                 m_table->horizontalHeader()->sortIndicatorOrder() == Qt::DescendingOrder);
    if (m_hasOwnColumns) {
        state.insert("columns", toJson(m_model.columns()));
    }
    return state;
}

void RunsList::restoreState(const QJsonObject& state)
{
    const auto strings = [&](const char* key) {
        QStringList list;
        for (const QJsonValue& value : state.value(QLatin1String(key)).toArray()) {
            list.append(value.toString());
        }
        return list;
    };
    m_hasOwnColumns = state.contains("columns");
    // So that the next snapshot chooses columns again.
    m_columnsSeen = {-1, -1};
    if (m_hasOwnColumns) {
        m_model.setColumns(columnsFromJson(state.value("columns").toArray()));
    }
    m_model.restoreShown(strings("shown"), strings("known"));
    m_model.setBaseline(state.value("baseline").toString());
    const int column = state.value("sort_column").toInt(-1);
    const bool descends = column >= 0 && state.value("sort_descending").toBool(true);
    m_table->horizontalHeader()->setSortIndicator(column, descends ? Qt::DescendingOrder
                                                                   : Qt::AscendingOrder);
    m_filter->setText(state.value("filter").toString());
}

} // namespace cannery::ui
