// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/runs/run_overview.h"

#include "ui/models/formats.h"
#include "ui/models/metric_names.h"
#include "ui/models/runs/run_verdict.h"
#include "ui/pages/runs/evaluation_cards.h"
#include "ui/pages/runs/notes_editor.h"
#include "ui/pages/runs/tag_chips.h"
#include "ui/pages/what_now.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/runs/evaluation_tables.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/services/runs/run_files.h"
#include "ui/widgets/card.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/key_value_list.h"
#include "ui/widgets/label.h"
#include "ui/widgets/style/theme.h"

#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace cannery::ui {
namespace {

QString momentOrDash(const QDateTime& time)
{
    return time.isValid() ? formatMoment(time) : QStringLiteral("–");
}

QList<KeyValueList::Row> factsOf(const RunRow& run)
{
    const double seconds = run.durationSeconds(QDateTime::currentDateTime());
    const QString dash = QStringLiteral("–");
    // A run that was resumed has its last session's time there, and its first one's in createdAt.
    const bool isResumed = run.secondsBefore > 0;
    const QString steps = run.maxSteps
                              ? RunOverview::tr("%1 of %2")
                                    .arg(formatCount(run.globalStep), formatCount(*run.maxSteps))
                              : formatCount(run.globalStep);
    return {
        {RunOverview::tr("State"), displayName(run.state), run.reason},
        {RunOverview::tr("Why"), run.reason.isEmpty() ? dash : run.reason},
        {RunOverview::tr("Steps"), steps},
        {RunOverview::tr("Started"), momentOrDash(isResumed ? run.createdAt : run.startedAt)},
        {RunOverview::tr("Resumed"), isResumed ? momentOrDash(run.startedAt) : dash},
        {RunOverview::tr("Ended"), momentOrDash(run.finishedAt)},
        {RunOverview::tr("Took"), seconds < 0 ? dash : formatDuration(seconds)},
        {RunOverview::tr("Estimator"), run.estimator.isEmpty() ? dash : run.estimator},
        {RunOverview::tr("Experiment"), run.experimentName.isEmpty() ? dash : run.experimentName},
        {RunOverview::tr("Rows"), RunOverview::tr("%1 to train, %2 to evaluate")
                                      .arg(formatCount(run.trainRows), formatCount(run.evalRows))},
        {RunOverview::tr("Data"), run.dataFingerprint.isEmpty() ? dash : run.dataFingerprint},
        {RunOverview::tr("Engine"), run.engine.isEmpty() ? dash : run.engine}};
}

} // namespace

RunOverview::RunOverview(const PageContext& context, QWidget* parent)
    : QWidget(parent), m_whatNow(new WhatNow(context, false)), m_notes(new NotesEditor),
      m_tags(new TagChips), m_facts(new KeyValueList), m_evaluationCard(new Card(tr("Evaluation"))),
      m_verdict(new Label(QString())), m_evaluation(new KeyValueList),
      m_tables(new EvaluationCards), m_files(new KeyValueList)
{
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(scaled(12));
    auto* top = new QWidget;
    all->addWidget(m_whatNow);
    all->addWidget(top);
    all->addWidget(m_tables);
    auto* filesCard = new Card(tr("Files"));
    all->addWidget(filesCard);
    all->addStretch(1);
    auto* flow = new FlowLayout(top, 12);
    flow->setContentsMargins(0, 0, 0, 0);
    flow->setColumns(340, 2);
    auto* annotations = new Card(tr("Notes"));
    annotations->body()->addWidget(m_notes);
    annotations->body()->addWidget(m_tags);
    annotations->body()->addStretch(1);
    auto* facts = new Card(tr("Facts"));
    m_facts->setObjectName("facts.run");
    facts->body()->addWidget(m_facts);
    m_evaluation->setObjectName("facts.evaluation");
    m_verdict->setObjectName("label.verdict");
    m_verdict->setWordWrap(true);
    m_evaluationCard->body()->addWidget(m_verdict);
    m_evaluationCard->body()->addWidget(m_evaluation);
    m_evaluationCard->body()->addStretch(1);
    m_files->setObjectName("facts.files");
    filesCard->body()->addWidget(m_files);
    filesCard->body()->addStretch(1);
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
    stack({facts});
    stack({m_evaluationCard, annotations});
    connect(m_notes, &NotesEditor::notesEdited, this,
            [this, session = context.session](const QString& notes) {
                session->runs().setNotes(m_run, notes);
            });
    connect(m_tags, &TagChips::tagsEdited, this,
            [this, session = context.session](const QStringList& tags) {
                session->runs().setTags(m_run, tags);
            });
}

void RunOverview::showRun(const ProjectSnapshot& snapshot, const RunRow& run)
{
    m_run = run.name;
    m_whatNow->showRun(run, run.state);
    const QString fixed = snapshot.changeHindrance(&run);
    m_notes->setHindrance(fixed);
    m_notes->setNotes(run.notes);
    m_tags->setHindrance(fixed);
    m_tags->setTags(run.tags);
    m_facts->setRows(factsOf(run));
    showEvaluation(run);
}

void RunOverview::showEvaluation(const RunRow& run)
{
    showNumbers(run);
    readTables(run);
}

void RunOverview::showNumbers(const RunRow& run)
{
    // What a table of classes has is not listed a second time.
    const auto isInTable = [this](const QString& metric) {
        return std::any_of(m_tableNames.begin(), m_tableNames.end(), [&](const QString& table) {
            return metric.startsWith(table + QLatin1Char('/'));
        });
    };
    QList<KeyValueList::Row> numbers;
    for (const MetricSummary& summary : run.metrics) {
        if (summary.name.startsWith(QLatin1String("train/")) || isInTable(summary.name)) {
            continue;
        }
        const bool hasBest = !std::isnan(summary.atBest);
        numbers.append({metricName(summary.name),
                        formatNumber(hasBest ? summary.atBest : summary.last),
                        formatExact(hasBest ? summary.atBest : summary.last)});
    }
    m_evaluationCard->setTitle(
        run.bestStep >= 0 ? tr("Evaluation at step %1, the best %2")
                                .arg(formatCount(run.bestStep), metricWord(run.shownMetric()))
                          : tr("Evaluation"));
    const QString verdict = verdictOf(run);
    m_verdict->setText(verdict);
    m_verdict->setVisible(!verdict.isEmpty());
    m_evaluation->setRows(numbers);
    m_evaluationCard->setVisible(!numbers.isEmpty());
}

/// Of the same evaluation as the numbers.
void RunOverview::readTables(const RunRow& run)
{
    const qint64 last = run.evaluations.isEmpty() ? -1 : run.evaluations.last().step;
    const std::pair<QString, qint64> wanted(run.folder, run.bestStep >= 0 ? run.bestStep : last);
    if (m_tablesOf == wanted) {
        return;
    }
    // Tables of another run must not stand here while its own are read.
    if (m_tablesOf.first != wanted.first) {
        showTables({});
    }
    m_tablesOf = wanted;
    readEvaluationTables(wanted.first, wanted.second, this,
                         [this, wanted, run](const QList<EvaluationTable>& tables) {
                             if (m_tablesOf == wanted) {
                                 showTables(tables);
                                 showNumbers(run);
                             }
                         });
}

void RunOverview::showTables(const QList<EvaluationTable>& tables)
{
    m_tables->setTables(tables);
    m_tableNames.clear();
    for (const EvaluationTable& table : tables) {
        if (!table.isSlice) {
            m_tableNames << table.title;
        }
    }
}

void RunOverview::showFiles(const QString& folder, const RunFilesRead& files)
{
    QList<KeyValueList::Row> rows{{tr("Folder"), formatPath(folder), folder}};
    for (const auto& [name, bytes] : files.entries) {
        rows.append({name, bytes < 0 ? tr("folder") : formatBytes(bytes)});
    }
    m_files->setRows(rows);
}

void RunOverview::clearFiles()
{
    m_files->setRows({});
}

} // namespace cannery::ui
