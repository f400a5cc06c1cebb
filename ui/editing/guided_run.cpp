// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editing/guided_run.h"

#include "ui/editing/train_once_open.h"
#include "ui/services/projects/project_session.h"

#include <QFileInfo>

#include <algorithm>

namespace cannery::ui {

GuidedRun::GuidedRun(ProjectSession& session, QObject* parent)
    : QObject(parent), m_session(&session), m_import(session.jobs(), session.settings()),
      m_training(new TrainOnceOpen(session, this))
{
    connect(&m_import, &TableImport::asked, this, &GuidedRun::answer);
    connect(&m_import, &TableImport::tableWanted, this, [this](const QString& file) {
        fail(tr("%1 holds several tables.").arg(QFileInfo(file).fileName()));
        m_undecided = file;
        Q_EMIT changed();
        Q_EMIT tableWanted();
    });
    connect(&m_import, &TableImport::failed, this, &GuidedRun::fail);
    connect(&m_import, &TableImport::working, &m_session->project(), &OpenProject::noteMaking);
    connect(&m_import, &TableImport::troubleChanged, this, [this] {
        if (needsRemedy()) {
            fail(m_import.trouble().words());
        }
    });
    connect(&m_import, &TableImport::made, this, [this](const QString& experiment) {
        m_isMaking = false;
        m_training->expect(experiment);
        Q_EMIT changed();
        m_session->project().open(experiment, Opening::Sample);
    });
    connect(m_training, &TrainOnceOpen::failed, this, &GuidedRun::fail);
    connect(m_training, &TrainOnceOpen::begun, this, [this] {
        reset();
        Q_EMIT begun();
    });
}

void GuidedRun::reset()
{
    m_import.cancel();
    m_import.forgetTrouble();
    m_asking = Asking::Nothing;
    m_table.clear();
    m_undecided.clear();
    m_reading = {};
    m_choices = {.bestScore = true};
    m_facts = {};
    m_rows = 0;
    m_guess.clear();
    m_guessReason.clear();
    m_problem.clear();
    m_isMaking = false;
    m_training->forget();
    m_task.clear();
    m_labelProblem.clear();
    m_leftOut.clear();
    m_remarks.clear();
    m_warnings.clear();
    forgetModels();
    Q_EMIT changed();
}

bool GuidedRun::isBeginning() const
{
    return m_isMaking || m_training->isWaiting();
}

void GuidedRun::forgetModels()
{
    m_kinds.clear();
    m_chosen.clear();
    m_guessLoss.reset();
    m_seconds.reset();
}

const ModelKindFacts* GuidedRun::kind(const QString& family) const
{
    const auto found =
        std::find_if(m_kinds.begin(), m_kinds.end(),
                     [&](const ModelKindFacts& kind) { return kind.family == family; });
    return found == m_kinds.end() ? nullptr : &*found;
}

void GuidedRun::ask(Asking what)
{
    m_asking = what;
    m_problem.clear();
    ProjectChoices choices = m_choices;
    // The columns need no models to be tried, which takes most of the time.
    choices.isQuick = what == Asking::Columns;
    m_import.ask(m_table, m_reading, what == Asking::Table ? ProjectChoices() : choices);
    Q_EMIT changed();
}

void GuidedRun::setTable(const QString& table, const RowsChoice& rows)
{
    const QString path = table.isEmpty() ? QString() : QFileInfo(table).absoluteFilePath();
    if (path == m_table && (!rows.isMade() || rows == m_reading.rows)) {
        return;
    }
    reset();
    m_table = path;
    m_reading.rows = rows;
    if (!path.isEmpty()) {
        ask(Asking::Table);
    }
}

void GuidedRun::setLabel(const QString& column)
{
    if (column.isEmpty() || column == m_choices.label || !hasTable()) {
        return;
    }
    m_choices.label = column;
    // A column that was left out may become the label; the estimator was chosen for the label
    // before.
    m_choices.leftOut.removeAll(column);
    m_choices.estimator.clear();
    askForTask();
}

void GuidedRun::setClusters()
{
    if (areClusters() || !hasTable()) {
        return;
    }
    m_choices.label.clear();
    m_choices.estimator = ProjectChoices::clusters().estimator;
    askForTask();
}

void GuidedRun::askForTask()
{
    m_task.clear();
    m_labelProblem.clear();
    forgetModels();
    ask(Asking::Columns);
}

void GuidedRun::setWanted(const QString& column, bool isWanted)
{
    if (isWanted != m_choices.leftOut.contains(column)) {
        return;
    }
    if (isWanted) {
        m_choices.leftOut.removeAll(column);
    } else {
        m_choices.leftOut.append(column);
    }
    forgetModels();
    ask(Asking::Columns);
}

void GuidedRun::setFamily(const QString& family)
{
    if (family != m_chosen) {
        m_choices.estimator = family;
        m_chosen = family;
        m_seconds.reset();
        ask(Asking::Model);
    }
}

void GuidedRun::answer()
{
    const NewFacts& found = m_import.question().answer;
    const Asking asked = std::exchange(m_asking, Asking::Nothing);
    if (asked == Asking::Table) {
        takeTable();
    } else {
        takeColumns(found);
    }
    if (asked == Asking::Model && m_labelProblem.isEmpty()) {
        takeModel(found);
    }
    // One question leads to the next, so that the page fills up from the top while models are still
    // tried.
    if (asked == Asking::Columns && m_labelProblem.isEmpty()) {
        ask(Asking::Model);
    } else if (asked == Asking::Table && !m_guess.isEmpty()) {
        setLabel(m_guess);
    }
    Q_EMIT changed();
}

void GuidedRun::takeTable()
{
    const NewFacts& found = m_import.question().answer;
    m_facts = found.table;
    m_rows = found.rows;
    m_guess = found.guess;
    m_guessReason = found.guessReason;
}

void GuidedRun::takeColumns(const NewFacts& found)
{
    m_task = found.task;
    m_labelProblem = m_task.isEmpty() ? found.problem : QString();
    m_leftOut = found.leftOut;
    // What the user has left out is no remark of the engine.
    for (const QString& column : std::as_const(m_choices.leftOut)) {
        m_leftOut.remove(column);
    }
    m_remarks = found.taken;
    m_warnings = found.warnings;
}

/// A family that is chosen is tried alone: the losses of the others are kept.
void GuidedRun::takeModel(const NewFacts& found)
{
    QList<ModelKindFacts> kinds = found.kinds;
    for (ModelKindFacts& kind : kinds) {
        const ModelKindFacts* known = this->kind(kind.family);
        if (!kind.loss && known != nullptr) {
            kind.loss = known->loss;
        }
    }
    m_kinds = kinds;
    m_chosen = found.chosen;
    m_guessLoss = found.guessLoss;
    m_seconds = found.seconds;
}

void GuidedRun::fail(const QString& sentence)
{
    // Forgotten, so that the same path is read again once the file was mended.
    if (m_asking == Asking::Table) {
        m_table.clear();
    }
    m_asking = Asking::Nothing;
    m_isMaking = false;
    m_problem = sentence;
    Q_EMIT changed();
}

CommandLine GuidedRun::command() const
{
    const bool isAsked = !m_choices.label.isEmpty() || areClusters();
    return isAsked ? m_import.command(m_table, m_choices, m_reading) : CommandLine();
}

void GuidedRun::train()
{
    if (m_chosen.isEmpty() || isBeginning()) {
        return;
    }
    m_import.cancel();
    m_asking = Asking::Nothing;
    m_isMaking = true;
    m_problem.clear();
    m_import.make(m_table, m_choices, m_reading);
    Q_EMIT changed();
}

} // namespace cannery::ui
