// SPDX-License-Identifier: GPL-3.0-only
#include "ui/frame/drawer/drawer.h"

#include "ui/frame/drawer/issues_model.h"
#include "ui/frame/drawer/job_delegate.h"
#include "ui/frame/drawer/jobs_model.h"
#include "ui/frame/drawer/log_model.h"
#include "ui/services/job_runner.h"
#include "ui/services/lasting_jobs.h"
#include "ui/widgets/button.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/table_view.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPainter>
#include <QScrollBar>
#include <QStackedWidget>

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr int kMostButtons = 200;

TableView* makeView(QAbstractItemModel* model, const QString& objectName, const QString& name,
                    TableView::Rows rows, QWidget* parent)
{
    auto* view = new TableView(rows, parent);
    view->setModel(model);
    view->setObjectName(objectName);
    view->setAccessibleName(name);
    view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    return view;
}

/// The buttons at the end of a row.
QWidget* buttonCell(const QString& objectName, const QList<Button*>& buttons)
{
    auto* cell = new QWidget;
    cell->setObjectName(objectName);
    auto* row = new QHBoxLayout(cell);
    row->setContentsMargins(0, 0, scaled(8), 0);
    row->setSpacing(scaled(6));
    row->addStretch(1);
    for (Button* button : buttons) {
        row->addWidget(button);
    }
    return cell;
}

} // namespace

Drawer::Drawer(JobRunner& jobs, QWidget* parent)
    : QWidget(parent), m_jobs(&jobs), m_issues(new IssuesModel(this)), m_log(new LogModel(this)),
      m_jobsModel(new JobsModel(this)), m_title(new Label({}, TextRole::Strong, Ink::Text, this)),
      m_empty(new Label({}, TextRole::Body, Ink::Secondary, this)),
      m_copy(new Button(Button::Kind::Quiet, "copy", tr("Copy Details"), this)),
      m_clear(new Button(Button::Kind::Quiet, tr("Clear Finished"), this)),
      m_stack(new QStackedWidget(this))
{
    setObjectName("drawer");
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, scaled(4), 0, 0);
    column->setSpacing(0);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(scaled(16), 0, scaled(8), 0);
    auto* close = new IconButton("x", tr("Close Drawer"), this);
    close->setObjectName("button.close_drawer");
    m_copy->setObjectName("button.copy_details");
    m_clear->setObjectName("button.clear_finished");
    head->addWidget(m_title);
    head->addSpacing(scaled(12));
    head->addWidget(m_empty, 1);
    head->addWidget(m_clear);
    head->addWidget(m_copy);
    head->addWidget(close);
    column->addLayout(head);
    m_stack->addWidget(makeIssues());
    m_stack->addWidget(makeLog());
    m_stack->addWidget(makeJobs());
    column->addWidget(m_stack, 1);
    connect(close, &QToolButton::clicked, this, &Drawer::closeRequested);
    connect(m_copy, &QPushButton::clicked, this, &Drawer::copyDetails);
    connect(m_clear, &QPushButton::clicked, this, &Drawer::clearJobs);
    setMinimumHeight(scaled(120));
    showPart(Part::Issues);
}

QWidget* Drawer::makeIssues()
{
    m_issuesView =
        makeView(m_issues, "drawer.issues", tr("Issues"), TableView::Rows::Features, this);
    QHeaderView* header = m_issuesView->horizontalHeader();
    header->setSectionResizeMode(IssuesModel::Place, QHeaderView::ResizeToContents);
    header->setSectionResizeMode(IssuesModel::Sentence, QHeaderView::Stretch);
    header->setSectionResizeMode(IssuesModel::Fix, QHeaderView::ResizeToContents);
    header->setStretchLastSection(false);
    // A reset removes the widgets of the rows.
    connect(m_issues, &QAbstractItemModel::modelReset, this, &Drawer::placeIssueButtons);
    connect(m_issuesView, &QAbstractItemView::activated, this, [this](const QModelIndex& index) {
        Q_EMIT showProblem(m_issues->problems().at(index.row()));
    });
    return m_issuesView;
}

QWidget* Drawer::makeLog()
{
    m_logView = makeView(m_log, "drawer.log", tr("Log"), TableView::Rows::Data, this);
    m_logView->horizontalHeader()->resizeSection(LogModel::Time, scaled(90));
    m_logView->horizontalHeader()->resizeSection(LogModel::Run, scaled(110));
    m_logView->setSelectionMode(QAbstractItemView::ExtendedSelection);
    connect(m_log, &QAbstractItemModel::rowsAboutToBeInserted, this, [this] {
        // Before the insertion: afterwards the maximum has moved, and the newest line is out of
        // view.
        const QScrollBar* bar = m_logView->verticalScrollBar();
        m_logView->setProperty("follows", bar->value() >= bar->maximum());
    });
    connect(m_log, &QAbstractItemModel::rowsInserted, this, [this] {
        if (m_logView->isVisible() && m_logView->property("follows").toBool()) {
            m_logView->scrollToBottom();
        }
        refreshEmpty();
    });
    connect(m_log, &QAbstractItemModel::modelReset, this, &Drawer::refreshEmpty);
    return m_logView;
}

QWidget* Drawer::makeJobs()
{
    m_jobsView = makeView(m_jobsModel, "drawer.jobs", tr("Jobs"), TableView::Rows::Features, this);
    m_jobsView->setItemDelegateForColumn(JobsModel::Progress, new JobDelegate(m_jobsView));
    QHeaderView* header = m_jobsView->horizontalHeader();
    header->resizeSection(JobsModel::Title, scaled(260));
    header->resizeSection(JobsModel::Progress, scaled(180));
    header->setSectionResizeMode(JobsModel::Message, QHeaderView::Stretch);
    header->setSectionResizeMode(JobsModel::Cancel, QHeaderView::ResizeToContents);
    header->setStretchLastSection(false);
    connect(m_jobsModel, &QAbstractItemModel::modelReset, this, &Drawer::placeJobButtons);
    connect(m_jobsModel, &QAbstractItemModel::dataChanged, this, &Drawer::placeJobButtons);
    return m_jobsView;
}

void Drawer::showPart(Part part)
{
    m_part = part;
    m_stack->setCurrentIndex(static_cast<int>(part));
    m_title->setText(part == Part::Issues ? tr("Issues")
                     : part == Part::Log  ? tr("Log")
                                          : tr("Jobs"));
    m_clear->setVisible(part == Part::Jobs);
    if (part == Part::Log) {
        m_logView->scrollToBottom();
    }
    refreshEmpty();
}

Drawer::Part Drawer::part() const
{
    return m_part;
}

void Drawer::refreshEmpty()
{
    QString sentence;
    if (m_part == Part::Issues && m_issues->rowCount() == 0) {
        sentence = tr("No issues in the experiment.");
    } else if (m_part == Part::Log && m_log->rowCount() == 0) {
        sentence = tr("No engine messages yet.");
    } else if (m_part == Part::Jobs && m_jobsModel->rowCount() == 0) {
        sentence = tr("Exports and predictions appear here.");
    }
    m_empty->setText(sentence);
    m_copy->setEnabled(sentence.isEmpty());
    m_clear->setEnabled(sentence.isEmpty());
}

void Drawer::placeIssueButtons()
{
    // Each button is a widget. Of thousands of issues, the first ones have them.
    const int rows = std::min(m_issues->rowCount(), kMostButtons);
    for (int row = 0; row < rows; ++row) {
        const ProblemRow problem = m_issues->problems().at(row);
        auto* edit = new Button(Button::Kind::Quiet, tr("Open in Text Editor"));
        auto* show = new Button(Button::Kind::Plain, tr("Show"));
        edit->setVisible(!problem.file.isEmpty());
        connect(edit, &QPushButton::clicked, this,
                [this, problem] { Q_EMIT editProblem(problem); });
        connect(show, &QPushButton::clicked, this,
                [this, problem] { Q_EMIT showProblem(problem); });
        show->setAccessibleName(tr("Show %1").arg(problem.sentence));
        QList<Button*> buttons{edit, show};
        if (!problem.fix.isEmpty()) {
            auto* fix = new Button(Button::Kind::Plain, problem.fix);
            connect(fix, &QPushButton::clicked, this,
                    [this, problem] { Q_EMIT fixProblem(problem); });
            buttons << fix;
        }
        m_issuesView->setIndexWidget(m_issues->index(row, IssuesModel::Fix),
                                     buttonCell("issue." + problem.id, buttons));
    }
    refreshEmpty();
}

void Drawer::placeJobButtons()
{
    // Only where the state has changed: a button that is being pressed must not be replaced.
    for (int row = 0; row < m_jobsModel->rowCount(); ++row) {
        const Job& job = m_jobsModel->jobs().at(row);
        const QModelIndex place = m_jobsModel->index(row, JobsModel::Cancel);
        const bool running = job.state == Job::State::Running;
        if (running == (m_jobsView->indexWidget(place) != nullptr)) {
            continue;
        }
        if (!running) {
            m_jobsView->setIndexWidget(place, nullptr);
            continue;
        }
        auto* cancel = new Button(Button::Kind::Plain, tr("Cancel"));
        cancel->setObjectName(QString("button.cancel_job_%1").arg(job.id));
        cancel->setAccessibleName(tr("Cancel %1").arg(job.title));
        connect(cancel, &QPushButton::clicked, this, [this, id = job.id] { cancelJob(id); });
        m_jobsView->setIndexWidget(place, buttonCell({}, {cancel}));
    }
    refreshEmpty();
}

void Drawer::cancelJob(int id)
{
    // Ids below 0 are of lasting jobs, so at most one of the two has the job.
    if (m_lasting == nullptr || !m_lasting->stop(id)) {
        m_jobs->cancel(id);
    }
}

void Drawer::clearJobs()
{
    m_jobs->clearFinished();
    if (m_lasting != nullptr) {
        m_lasting->clearFinished();
    }
}

void Drawer::copyDetails()
{
    QStringList lines;
    if (m_part == Part::Issues) {
        for (int row = 0; row < m_issues->rowCount(); ++row) {
            lines += m_issues->details(row);
        }
    } else if (m_part == Part::Log) {
        for (const LogEntry& entry : m_log->entries()) {
            lines +=
                entry.time.toString(Qt::ISODateWithMs) + '\t' + entry.run + '\t' + entry.sentence;
        }
    } else {
        for (const Job& job : m_jobsModel->jobs()) {
            lines += job.command.display() + '\n' + job.message;
        }
    }
    QGuiApplication::clipboard()->setText(lines.join('\n'));
}

void Drawer::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    painter.fillRect(rect(), tokens().surface);
    painter.fillRect(QRect(0, 0, width(), 1), tokens().line);
}

} // namespace cannery::ui
