// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/runs/run_experiment.h"

#include "ui/pages/page_parts.h"
#include "ui/widgets/label.h"
#include "ui/widgets/style/theme.h"
#include "ui/widgets/table_view.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPlainTextEdit>
#include <QSignalBlocker>
#include <QTextBlock>
#include <QTextCursor>
#include <QVBoxLayout>

#include <algorithm>

namespace cannery::ui {

RunExperiment::RunExperiment(QWidget* parent)
    : SplitView(Qt::Horizontal, parent), m_problems(new ProblemList), m_text(new QPlainTextEdit),
      m_other(new QComboBox), m_diffSummary(new Label({}, TextRole::Label, Ink::Secondary)),
      m_diff(new TableView)
{
    m_text->setObjectName("text.experiment");
    m_text->setAccessibleName(tr("Frozen experiment"));
    m_text->setReadOnly(true);
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    useFont(m_text, TextRole::Code);
    m_other->setObjectName("field.compare_run");
    m_other->setAccessibleName(tr("Run to compare with"));
    auto* differingOnly = new QCheckBox(tr("Differing only"));
    differingOnly->setObjectName("field.differing_only");
    differingOnly->setChecked(true);
    m_diffSummary->setObjectName("label.diff_summary");
    m_diff->setObjectName("table.parameters");
    m_diff->setAccessibleName(tr("Differing fields"));
    m_diff->setModel(&m_diffModel);
    m_diff->setTextElideMode(Qt::ElideMiddle);
    auto* top = new QHBoxLayout;
    top->addWidget(new Label(tr("Compared with"), TextRole::Label, Ink::Secondary));
    top->addWidget(m_other, 1);
    top->addWidget(differingOnly);
    top->addWidget(m_diffSummary);
    auto* right = new QWidget;
    auto* rightColumn = new QVBoxLayout(right);
    rightColumn->setContentsMargins(scaled(12), 0, 0, 0);
    rightColumn->addLayout(top);
    rightColumn->addWidget(m_diff, 1);
    auto* left = new QWidget;
    auto* leftColumn = new QVBoxLayout(left);
    leftColumn->setContentsMargins(0, 0, 0, 0);
    leftColumn->addWidget(m_problems);
    leftColumn->addWidget(m_text, 1);
    addWidget(left);
    addWidget(right);
    setStretchFactor(0, 1);
    setStretchFactor(1, 1);
    connect(m_other, &QComboBox::currentIndexChanged, this,
            [this] { compareWith(m_other->currentData().toString()); });
    connect(m_problems, &ProblemList::activated, this,
            [this](const ProblemRow& problem) { showLine(problem.line); });
    connect(differingOnly, &QCheckBox::toggled, this, [this](bool only) {
        m_diffModel.setDifferingOnly(only);
        m_diffSummary->setText(m_diffModel.summary());
    });
}

void RunExperiment::showRun(const ProjectSnapshotPtr& snapshot, const RunRow& run)
{
    m_snapshot = snapshot;
    m_run = run;
    const QSignalBlocker blocker(m_other);
    const QString before = m_other->currentData().toString();
    QStringList listed;
    m_other->clear();
    for (const RunRow& row : m_snapshot->runs) {
        if (row.name != m_run.name && !row.trashed && !row.parameters.isEmpty()) {
            m_other->addItem(row.displayName(), row.name);
            listed.append(row.name);
        }
    }
    const qsizetype at = listed.indexOf(before);
    m_other->setCurrentIndex(listed.isEmpty() ? -1 : static_cast<int>(std::max<qsizetype>(0, at)));
    m_other->setEnabled(!listed.isEmpty());
    compareWith(m_other->currentData().toString());
}

void RunExperiment::setText(const QString& text, const QList<ProblemRow>& problems)
{
    m_text->setPlainText(text);
    m_problems->setProblems(problems);
}

void RunExperiment::showLine(int line)
{
    QTextCursor cursor(m_text->document()->findBlockByNumber(line - 1));
    cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
    m_text->setTextCursor(cursor);
    m_text->setFocus();
}

void RunExperiment::compareWith(const QString& other)
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

} // namespace cannery::ui
