// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/train/train_header.h"

#include "ui/actions/action_registry.h"
#include "ui/pages/continue_dialog.h"
#include "ui/pages/page_parts.h"
#include "ui/pages/train/train_facts.h"
#include "ui/services/engine_service.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/widgets/button.h"
#include "ui/widgets/page_header.h"
#include "ui/widgets/pill.h"

#include <QAction>
#include <QComboBox>
#include <QSignalBlocker>
#include <QVBoxLayout>

namespace cannery::ui {

TrainHeader::TrainHeader(const PageContext& context, QWidget* parent)
    : QWidget(parent), m_context(context), m_column(new QVBoxLayout(this)),
      m_resume(new QAction(tr("Resume"), this)), m_longer(new QAction(tr("Train Longer…"), this)),
      m_openRun(new QAction(tr("Open in Runs"), this))
{
    m_column->setContentsMargins(0, 0, 0, 0);
    m_resume->setObjectName("action.train_resume");
    m_longer->setObjectName("action.train_longer");
    m_openRun->setObjectName("action.open_in_runs");
    connect(m_openRun, &QAction::triggered, this, [this] { Q_EMIT openRequested(m_run); });
    connect(m_resume, &QAction::triggered, this,
            [this] { m_context.session->starter().resume(m_run); });
    connect(m_longer, &QAction::triggered, this, &TrainHeader::continueRequested);
    make(Stage::Live);
}

QAction* TrainHeader::action(const QString& id) const
{
    return m_context.actions->find(id);
}

void TrainHeader::showRun(const RunRow& run, const std::optional<EngineStatus>& status)
{
    m_run = run.name;
    const RunState state = stateOf(run, status);
    make(stageOf(state));
    m_header->setTitle(run.displayName());
    showState(m_header->pill(), state);
    m_header->pill().show();
    const bool says = status && !status->reason.isEmpty();
    m_header->setSentence(says ? status->reason : run.subtitle());
    refreshSwitcher();
    refreshActions(run);
}

TrainHeader::Stage TrainHeader::stageOf(RunState state)
{
    switch (state) {
    case RunState::Finishing:
        return Stage::Finishing;
    case RunState::Paused:
        return Stage::Paused;
    case RunState::Failed:
    case RunState::Interrupted:
        return Stage::Stuck;
    default:
        return isLive(state) ? Stage::Live : Stage::Ended;
    }
}

/// Builds a new header, because buttons cannot be removed from one.
void TrainHeader::make(Stage stage)
{
    if (m_stage == stage) {
        return;
    }
    m_stage = stage;
    if (m_header) {
        m_header->hide();
        m_header->setObjectName({});
        m_header->deleteLater();
    }
    m_header = new PageHeader({});
    m_header->setObjectName("header.train");
    m_header->setCrumb(tr("Train"));
    m_switcher = new QComboBox;
    m_switcher->setObjectName("field.run");
    m_switcher->setAccessibleName(tr("Shown run"));
    m_header->addWidget(m_switcher);
    m_switcher->hide();
    addActions(stage);
    m_column->insertWidget(0, m_header);
    connect(m_header, &PageHeader::crumbActivated, this, &TrainHeader::crumbActivated);
    connect(m_switcher, &QComboBox::activated, this,
            [this](int index) { Q_EMIT runChosen(m_switcher->itemData(index).toString()); });
}

void TrainHeader::addActions(Stage stage)
{
    switch (stage) {
    case Stage::Live:
    case Stage::Paused:
        m_header->addAction(action("action.checkpoint_now"));
        m_header->addAction(action("action.pause"), Button::Kind::Plain,
                            stage == Stage::Paused ? tr("Resume") : tr("Pause"));
        m_header->addAction(action("action.stop_keep"), Button::Kind::Plain, tr("Stop and Keep"));
        break;
    case Stage::Finishing:
        m_header->addAction(action("action.stop_discard"), Button::Kind::Danger,
                            tr("Stop Without Saving"));
        break;
    case Stage::Ended:
        m_header->addAction(m_openRun);
        m_header->addAction(m_longer);
        m_header->addAction(action("action.train"), Button::Kind::Plain, tr("Train Again"));
        m_header->addAction(action("action.export_savedmodel"), Button::Kind::Primary,
                            tr("Export…"));
        break;
    case Stage::Stuck:
        m_header->addAction(m_openRun);
        m_header->addAction(m_resume, Button::Kind::Primary);
        break;
    }
}

void TrainHeader::refreshActions(const RunRow& run)
{
    const ProjectSnapshotPtr snapshot = m_context.session->runs().snapshot();
    m_context.actions->setHindrance("action.resume_run",
                                    resumeHindrance(*snapshot, snapshot->find(m_run)));
    m_longer->setText(canResume(run) ? tr("Resume") : tr("Train Longer…"));
    const QString fixed = snapshot->changeHindrance(&run);
    setHindrance(m_longer, fixed, tr("More steps from the last checkpoint"));
    m_longer->setEnabled(fixed.isEmpty() && (canResume(run) || canTrainLonger(run)));
    setHindrance(m_resume, fixed);
}

// The shown run may have ended: it stays in the list until another one is chosen.
void TrainHeader::refreshSwitcher()
{
    QStringList runs = m_context.session->engines().liveRuns();
    if (!runs.contains(m_run)) {
        runs.append(m_run);
    }
    QStringList shown;
    for (int i = 0; i < m_switcher->count(); ++i) {
        shown.append(m_switcher->itemData(i).toString());
    }
    // Not refilled while it is the same, as this would close an open list.
    if (shown != runs) {
        const QSignalBlocker blocker(m_switcher);
        m_switcher->clear();
        const ProjectSnapshotPtr snapshot = m_context.session->runs().snapshot();
        for (const QString& run : runs) {
            const RunRow* known = snapshot->find(run);
            m_switcher->addItem(known ? known->displayName() : run, run);
        }
    }
    const QSignalBlocker blocker(m_switcher);
    m_switcher->setCurrentIndex(static_cast<int>(runs.indexOf(m_run)));
    m_switcher->setVisible(runs.size() > 1);
}

} // namespace cannery::ui
