// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/runs/run_embeddings.h"

#include "ui/charts/steps/scatter_card.h"
#include "ui/models/formats.h"
#include "ui/models/tables/embedding_rows_model.h"
#include "ui/pages/page_parts.h"
#include "ui/services/job_runner.h"
#include "ui/widgets/button.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/label.h"
#include "ui/widgets/style/theme.h"
#include "ui/widgets/table_view.h"

#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QJsonObject>
#include <QPointer>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace cannery::ui {
namespace {

/// "deck_embedding · 8 rows of 4 numbers".
QString wordsOf(const EmbeddingTable& table)
{
    return RunEmbeddings::tr("%1 · %2 rows of %3 numbers")
        .arg(table.column.isEmpty() ? table.variable : table.column, formatCount(table.rows),
             formatCount(table.dimension));
}

/// As TensorFlow writes them.
bool hasCheckpoint(const QString& folder)
{
    return !QDir(folder).entryList({QStringLiteral("*.index")}, QDir::Files).isEmpty();
}

/// A name for the new folder of the table.
QString folderNameOf(const EmbeddingTable& table)
{
    QString name = table.column.isEmpty() ? table.variable : table.column;
    return "projector-" + name.replace('/', '_');
}

} // namespace

RunEmbeddings::RunEmbeddings(JobRunner& jobs, QWidget* parent)
    : QWidget(parent), m_jobs(&jobs), m_tables(new QComboBox),
      m_export(new Button(Button::Kind::Plain, "package-export", tr("Export for Projector…"))),
      m_state(new Label({}, TextRole::Label, Ink::Secondary)), m_parts(new AdaptiveRow),
      m_scatter(new ScatterCard(tr("Rows along two components"))),
      m_model(new EmbeddingRowsModel(this)), m_rows(new TableView(TableView::Rows::Data))
{
    setObjectName("run_embeddings");
    m_tables->setObjectName("field.embedding_table");
    m_tables->setAccessibleName(tr("Table of embeddings"));
    m_tables->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_export->setObjectName("button.export_projector");
    m_state->setObjectName("label.embeddings_state");
    m_state->setWordWrap(true);
    m_scatter->setObjectName("card.embedding_rows");
    makeRows();
    arrange();
    clear({});
    connect(m_tables, &QComboBox::activated, this, [this](int index) {
        m_wanted = m_tables->itemData(index).toString();
        askTable();
        Q_EMIT tableChosen();
    });
    connect(m_export, &QPushButton::clicked, this, &RunEmbeddings::askForFolder);
    connect(m_scatter, &ScatterCard::chosenChanged, this, &RunEmbeddings::chooseRow);
}

void RunEmbeddings::makeRows()
{
    m_rows->setObjectName("table.embedding_rows");
    m_rows->setAccessibleName(tr("Rows of the table of embeddings"));
    m_rows->setModel(m_model);
    m_rows->setSelectionMode(QAbstractItemView::SingleSelection);
    m_rows->horizontalHeader()->setStretchLastSection(false); // the texts take the room
    m_rows->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_rows->horizontalHeader()->setSectionResizeMode(EmbeddingRowsModel::TextColumn,
                                                     QHeaderView::Stretch);
    connect(m_rows->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                m_scatter->setChosen(m_model->pointAt(current.row()));
            });
}

void RunEmbeddings::arrange()
{
    auto* head = new QWidget;
    auto* flow = new FlowLayout(head);
    flow->addWidget(m_tables);
    flow->addWidget(m_export);
    m_scatter->setMinimumHeight(scaled(300));
    m_rows->setMinimumHeight(scaled(160));
    m_parts->addPart(m_scatter, 3, 380);
    m_parts->addPart(m_rows, 2, 300);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(12));
    column->addWidget(head);
    column->addWidget(m_state);
    column->addWidget(makeScrollArea(m_parts), 1);
    column->addStretch();
}

void RunEmbeddings::showRun(const RunRow& run)
{
    if (run.folder != m_run.folder) {
        m_tables->clear();
        clear({});
    }
    m_run = run;
    if (isVisible()) {
        ask();
    }
}

void RunEmbeddings::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    ask();
}

void RunEmbeddings::setFilter(const QString& text)
{
    const qsizetype chosen = m_scatter->chosen();
    m_model->setFilter(text);
    chooseRow(chosen);
}

void RunEmbeddings::chooseTable(const QString& variable)
{
    if (variable.isEmpty() || std::exchange(m_wanted, variable) == variable) {
        return;
    }
    if (const int index = m_tables->findData(variable); index >= 0) {
        m_tables->setCurrentIndex(index);
        askTable();
    }
}

void RunEmbeddings::inspect(const QStringList& words, std::function<void(const QJsonObject&)> done)
{
    const QFileInfo folder(m_run.folder);
    m_jobs->run(
        QStringLiteral("inspect"),
        {.arguments = QStringList{QStringLiteral("inspect"), folder.fileName()} + words,
         .folder = folder.path(),
         .machineArguments = {QStringLiteral("--json")}},
        [this, alive = QPointer<QObject>(this), asked = m_asked,
         done = std::move(done)](const JobRunner::Outcome& outcome) {
            // Another run, or a newer checkpoint, may have been asked for meanwhile.
            if (!alive || asked != m_asked || outcome.cancelled) {
                return;
            }
            if (outcome.ok) {
                done(outcome.json.object());
            } else {
                clear(outcome.sentence);
            }
        },
        true);
}

/// Once for each checkpoint.
void RunEmbeddings::ask()
{
    const qint64 step = m_run.checkpoints.isEmpty() ? -1 : m_run.checkpoints.last().step;
    const QString asked = QStringLiteral("%1@%2").arg(m_run.folder).arg(step);
    if (m_run.folder.isEmpty() || std::exchange(m_asked, asked) == asked) {
        return;
    }
    if (m_run.isForeign && !hasCheckpoint(m_run.folder)) {
        clear(tr("Embeddings are read from a checkpoint, and this folder of event files has none. "
                 "If the program saved one elsewhere, open that folder as event files."));
        return;
    }
    // What is shown stays until the new checkpoint was read.
    if (m_facts.points.isEmpty()) {
        showMessage(tr("Reading the checkpoint…"));
    }
    inspect({QStringLiteral("--embeddings")},
            [this](const QJsonObject& json) { takeTables(embeddingTablesFromJson(json)); });
}

void RunEmbeddings::takeTables(const QList<EmbeddingTable>& tables)
{
    if (tables.isEmpty()) {
        clear(tr("This run has no table of embeddings. An embedding column learns one: a few "
                 "numbers for each of its categories."));
        return;
    }
    m_tables->clear();
    for (const EmbeddingTable& table : tables) {
        m_tables->addItem(wordsOf(table), table.variable);
        m_tables->setItemData(m_tables->count() - 1, table.variable, Qt::ToolTipRole);
    }
    const int wanted = std::max(0, m_tables->findData(m_wanted));
    m_tables->setCurrentIndex(wanted);
    m_tables->setVisible(true);
    m_wanted = m_tables->itemData(wanted).toString();
    askTable();
}

void RunEmbeddings::askTable()
{
    inspect({QStringLiteral("--components"), m_wanted},
            [this, wanted = m_wanted](const QJsonObject& json) {
                if (wanted == m_wanted) {
                    take(embeddingFromJson(json));
                }
            });
}

void RunEmbeddings::take(const EmbeddingFacts& facts)
{
    m_export->setEnabled(true);
    m_export->setVisible(true);
    m_parts->setVisible(true);
    if (facts == m_facts) {
        showMessage(facts.problem);
        return;
    }
    m_facts = facts;
    const auto shown = facts.points.size();
    m_scatter->setScatter(
        {.points = facts.shares.isEmpty() ? QList<ComponentPoint>() : facts.points,
         .groups = {},
         .xTitle = componentTitle(facts.shares, 0),
         .yTitle = componentTitle(facts.shares, 1),
         .note = shown < facts.table.rows
                     ? tr("the first %1 of %2 rows")
                           .arg(formatCount(shown), formatCount(facts.table.rows))
                     : QString()});
    m_scatter->setVisible(!facts.shares.isEmpty());
    m_model->setPoints(facts.points);
    showMessage(facts.shares.isEmpty()
                    ? tr("All rows of this table are the same: it has no components.")
                    : facts.problem);
}

/// Without a table, only the sentence.
void RunEmbeddings::clear(const QString& sentence)
{
    m_facts = {};
    m_scatter->setScatter({});
    m_model->setPoints({});
    m_parts->setVisible(false);
    m_tables->setVisible(m_tables->count() > 1);
    m_export->setVisible(false);
    showMessage(sentence);
}

void RunEmbeddings::showMessage(const QString& sentence, bool isProblem)
{
    m_state->setInk(isProblem ? Ink::Error : Ink::Secondary);
    m_state->setText(sentence);
    m_state->setVisible(!sentence.isEmpty());
}

/// The row of a point; what is filtered out is not selected.
void RunEmbeddings::chooseRow(qsizetype point)
{
    const int row = m_model->rowOf(point);
    if (row < 0) {
        m_rows->clearSelection();
        m_rows->selectionModel()->clearCurrentIndex();
    } else {
        m_rows->selectRow(row);
        m_rows->scrollTo(m_model->index(row, EmbeddingRowsModel::TextColumn));
    }
}

void RunEmbeddings::askForFolder()
{
    // In the project, but not among its runs.
    const QString runs = QFileInfo(m_run.folder).path();
    auto* dialog = new QFileDialog(this, tr("Export for Projector"), QFileInfo(runs).path());
    dialog->setObjectName("dialog.export_projector");
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setOption(QFileDialog::DontConfirmOverwrite); // nothing is overwritten
    dialog->setLabelText(QFileDialog::FileName, tr("New folder:"));
    dialog->setLabelText(QFileDialog::Accept, tr("Export"));
    dialog->selectFile(folderNameOf(m_facts.table));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::fileSelected, this, &RunEmbeddings::exportTo);
    dialog->open();
}

void RunEmbeddings::exportTo(const QString& folder)
{
    const QFileInfo run(m_run.folder);
    m_export->setEnabled(false);
    m_jobs->run(
        tr("Exporting embeddings of %1").arg(run.fileName()),
        {.arguments = {QStringLiteral("inspect"), run.fileName(), QStringLiteral("--components"),
                       m_facts.table.variable, QStringLiteral("--projector"), folder},
         .folder = run.path(),
         .machineArguments = {QStringLiteral("--json")}},
        [this, alive = QPointer<QObject>(this), folder](const JobRunner::Outcome& outcome) {
            if (!alive) {
                return;
            }
            m_export->setEnabled(true);
            if (outcome.ok) {
                showMessage(tr("Written to %1: TensorBoard shows it with --logdir, and "
                               "projector.tensorflow.org loads its two tables.")
                                .arg(formatPath(folder)));
            } else if (!outcome.cancelled) {
                showMessage(outcome.sentence, true);
            }
        });
}

} // namespace cannery::ui
