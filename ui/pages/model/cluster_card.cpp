// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/model/cluster_card.h"

#include "ui/document/experiment_document.h"
#include "ui/models/formats.h"
#include "ui/pages/page_parts.h"
#include "ui/services/projects/project_session.h"
#include "ui/widgets/button.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/label.h"
#include "ui/widgets/style/theme.h"
#include "ui/widgets/table_view.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPlainTextEdit>

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr int kMostRows = 6; ///< more scroll
constexpr double kConfigHeight = 64;
constexpr double kCellPadding = 24;

} // namespace

ClusterCard::ClusterCard(ProjectSession& session, QWidget* parent)
    : Card(tr("Cluster"), parent), m_session(&session),
      m_words(new Label({}, TextRole::Label, Ink::Secondary)),
      m_table(new TableView(TableView::Rows::Data)),
      m_problem(new Label({}, TextRole::Label, Ink::Error))
{
    setObjectName("card.cluster");
    m_words->setObjectName("words.cluster");
    m_words->setWordWrap(true);
    m_problem->setObjectName("problem.cluster");
    m_problem->setWordWrap(true);
    makeTable();
    body()->addWidget(m_words);
    body()->addWidget(m_table);
    body()->addWidget(m_problem);
    body()->addWidget(makeButtons());
    body()->addWidget(makeConfig());
    body()->addWidget(makeAdvice());
    connect(&m_model, &ClusterModel::edited, this, &ClusterCard::take);
    connect(&m_session->cluster(), &ExperimentCluster::changed, this, &ClusterCard::refresh);
    connect(&m_session->starter(), &RunStarter::readinessChanged, this, &ClusterCard::refresh);
    refresh();
}

void ClusterCard::makeTable()
{
    m_table->setObjectName("table.cluster");
    m_table->setAccessibleName(tr("Tasks of the cluster"));
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setModel(&m_model);
    // By contents, a header would look at the rows in view only.
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    connect(&themeWatch(), &ThemeWatch::changed, this, &ClusterCard::fitTable);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &ClusterCard::refreshConfig);
}

Button* ClusterCard::makeAddButton(ClusterTask::Type type, const QString& text, const QString& name)
{
    auto* button = new Button(Button::Kind::Plain, "plus", text);
    button->setObjectName(name);
    connect(button, &QPushButton::clicked, this, [this, type] {
        if (const int row = m_model.add(type); row >= 0) {
            m_table->selectRow(row);
        }
    });
    return button;
}

QWidget* ClusterCard::makeButtons()
{
    auto* buttons = new QWidget;
    auto* flow = new FlowLayout(buttons, 8);
    flow->setContentsMargins(0, 0, 0, 0);
    m_addWorker = makeAddButton(ClusterTask::Type::Worker, tr("Worker"), "button.add_worker");
    m_addServer =
        makeAddButton(ClusterTask::Type::Ps, tr("Parameter Server"), "button.add_parameter_server");
    m_addEvaluator =
        makeAddButton(ClusterTask::Type::Evaluator, tr("Evaluator"), "button.add_evaluator");
    m_addWorker->setAccessibleName(tr("Add a worker"));
    m_addServer->setAccessibleName(tr("Add a parameter server"));
    m_addEvaluator->setAccessibleName(tr("Add an evaluator"));
    m_remove = new Button(Button::Kind::Plain, tr("Remove"));
    m_remove->setObjectName("button.remove_task");
    m_remove->setAccessibleName(tr("Remove the chosen task"));
    m_reset = new Button(Button::Kind::Link, tr("Reset"));
    m_reset->setObjectName("button.reset_cluster");
    m_reset->setAccessibleName(tr("Reset the table of tasks"));
    m_reset->setToolTip(tr("A few tasks on this machine"));
    for (Button* button : {m_addWorker, m_addServer, m_addEvaluator, m_remove, m_reset}) {
        flow->addWidget(button);
    }
    connect(m_remove, &QPushButton::clicked, this, [this] { m_model.remove(chosenRow()); });
    connect(m_reset, &QPushButton::clicked, this, [this] {
        m_session->cluster().setTasks(
            defaultTasks(memberOf(m_session->document(), QStringLiteral("strategy"))));
    });
    return buttons;
}

QWidget* ClusterCard::makeConfig()
{
    auto* part = new QWidget;
    auto* column = new QVBoxLayout(part);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(4));
    auto* line = new QHBoxLayout;
    m_configTitle = new Label({}, TextRole::LabelStrong);
    m_copy = new Button(Button::Kind::Quiet, "copy", tr("Copy"));
    m_copy->setObjectName("button.copy_tf_config");
    m_copy->setAccessibleName(tr("Copy the TF_CONFIG"));
    line->addWidget(m_configTitle, 1);
    line->addWidget(m_copy);
    m_config = new QPlainTextEdit;
    m_config->setObjectName("field.tf_config");
    m_config->setAccessibleName(tr("TF_CONFIG of the chosen task"));
    m_config->setReadOnly(true);
    m_config->setTabChangesFocus(true);
    m_config->setWordWrapMode(QTextOption::WrapAnywhere);
    m_config->setLayoutDirection(Qt::LeftToRight); // code
    useFont(m_config, TextRole::Code);
    const auto setHeight = [this] { m_config->setFixedHeight(scaled(kConfigHeight)); };
    connect(&themeWatch(), &ThemeWatch::changed, this, setHeight);
    setHeight();
    column->addLayout(line);
    column->addWidget(m_config);
    connect(m_copy, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(m_config->toPlainText()); });
    return part;
}

QWidget* ClusterCard::makeAdvice()
{
    m_advice = new QWidget;
    auto* line = new QHBoxLayout(m_advice);
    line->setContentsMargins(0, 0, 0, 0);
    m_adviceWords = new Label({}, TextRole::Label, Ink::Secondary);
    m_adviceWords->setObjectName("words.workers");
    m_adviceWords->setWordWrap(true);
    m_adopt = new Button(Button::Kind::Link, QString());
    m_adopt->setObjectName("button.use_workers");
    line->addWidget(m_adviceWords, 1);
    line->addWidget(m_adopt, 0, Qt::AlignTop);
    connect(m_adopt, &QPushButton::clicked, this, [this] {
        ClusterTasks tasks = m_model.tasks();
        tasks.setWorkers(static_cast<int>(m_facts.recommended));
        m_session->cluster().setTasks(tasks);
    });
    m_advice->hide();
    return m_advice;
}

int ClusterCard::chosenRow() const
{
    const QModelIndex current = m_table->currentIndex();
    return current.isValid() ? current.row() : -1;
}

/// The person has changed the table.
void ClusterCard::take()
{
    m_session->cluster().setTasks(m_model.tasks());
    refresh();
}

void ClusterCard::refresh()
{
    const ClusterTasks tasks = m_session->cluster().tasks();
    setVisible(!tasks.isEmpty());
    if (tasks.isEmpty()) {
        return;
    }
    const int row = std::max(0, chosenRow());
    m_model.setTasks(tasks);
    // A reset of the model loses the selection: the same row, or the last one, is chosen again.
    if (chosenRow() < 0) {
        m_table->selectRow(std::min(row, m_model.rowCount() - 1));
    }
    fitTable();
    m_addServer->setVisible(tasks.count(ClusterTask::Type::Ps) > 0);
    setHindrance(m_addWorker, tasks.hindranceToAdd(ClusterTask::Type::Worker));
    setHindrance(m_addServer, tasks.hindranceToAdd(ClusterTask::Type::Ps));
    setHindrance(m_addEvaluator, tasks.hindranceToAdd(ClusterTask::Type::Evaluator),
                 tr("A task that evaluates every checkpoint, so that training goes on meanwhile"));
    refreshWords();
    refreshConfig();
    refreshAdvice();
}

void ClusterCard::fitTable()
{
    const int shown = std::min(m_model.rowCount(), kMostRows);
    QHeaderView* header = m_table->horizontalHeader();
    m_table->setFixedHeight(header->sizeHint().height() +
                            shown * m_table->verticalHeader()->defaultSectionSize() + scaled(2));
    const QFontMetrics metrics(m_table->font());
    // The longest of the names, so that the column does not move as tasks are added.
    const QString longest = typeName(ClusterTask::Type::Evaluator);
    header->resizeSection(ClusterModel::TypeColumn,
                          metrics.horizontalAdvance(longest) + scaled(kCellPadding));
    header->resizeSection(ClusterModel::IndexColumn,
                          metrics.horizontalAdvance(tr("Index")) + scaled(kCellPadding));
}

void ClusterCard::refreshWords()
{
    const ClusterTasks& tasks = m_model.tasks();
    const qsizetype count = tasks.tasks().size();
    const QString problem = tasks.problem();
    m_problem->setText(problem);
    m_problem->setVisible(!problem.isEmpty());
    m_words->setText(
        !tasks.isOnThisMachine()
            ? tr("Start each task on its machine: with its TF_CONFIG in the environment, `cannery "
                 "train` takes its part in the cluster.")
        : count > 1
            ? tr("Train starts these %1 tasks on this machine, at ports that are free then. For "
                 "other machines, write their addresses here and start each task with its "
                 "TF_CONFIG.")
                  .arg(formatCount(count))
            : tr("The chief trains alone; add a worker to train in several processes."));
}

void ClusterCard::refreshConfig()
{
    const ClusterTasks& tasks = m_model.tasks();
    const int row = chosenRow();
    const bool isKnown = row >= 0 && row < tasks.tasks().size();
    // Of tasks with a wrong address no TF_CONFIG is of use, not even that of another task.
    const bool isWhole = isKnown && tasks.problem().isEmpty();
    m_configTitle->setText(isKnown ? tr("TF_CONFIG of %1").arg(tasks.tasks().at(row).name())
                                   : tr("TF_CONFIG"));
    m_config->setPlainText(isWhole ? tasks.tfConfig(row) : QString());
    setHindrance(m_copy, isWhole ? QString() : tasks.problem());
    setHindrance(m_remove, tasks.hindranceToRemove(row));
}

void ClusterCard::setAdvice(const WorkersFacts& advice)
{
    m_facts = advice;
    refreshAdvice();
}

void ClusterCard::refreshAdvice()
{
    const int workers = m_model.tasks().workers();
    m_advice->setVisible(!m_facts.isEmpty());
    m_adviceWords->setText(m_facts.sentence);
    m_adopt->setText(counted(m_facts.recommended, tr("Use One"), tr("Use %1")));
    m_adopt->setAccessibleName(
        counted(m_facts.recommended, tr("Use one worker"), tr("Use %1 workers")));
    m_adopt->setVisible(m_facts.recommended > 0 && m_facts.recommended != workers);
}

} // namespace cannery::ui
