// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/continue_dialog.h"

#include "ui/models/formats.h"
#include "ui/models/runs/run_snapshot.h"
#include "ui/services/projects/project_session.h"
#include "ui/widgets/button.h"
#include "ui/widgets/dialog.h"

#include <QCoreApplication>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>

namespace cannery::ui {
namespace {

class ContinueWords
{
    Q_DECLARE_TR_FUNCTIONS(ContinueDialog)
};

bool isOurs(const RunRow& run)
{
    return !run.isForeign && run.error.isEmpty() && !run.trashed;
}

} // namespace

bool canResume(const RunRow& run)
{
    const bool isShort = run.state == RunState::Stopped && !run.checkpoints.isEmpty() &&
                         run.maxSteps && run.globalStep < *run.maxSteps;
    return isOurs(run) && (run.state == RunState::Interrupted || run.state == RunState::Failed ||
                           run.state == RunState::Paused || isShort);
}

bool canTrainLonger(const RunRow& run)
{
    return isOurs(run) && (run.state == RunState::Finished || run.state == RunState::Stopped) &&
           !run.checkpoints.isEmpty();
}

QString resumeHindrance(const ProjectSnapshot& snapshot, const RunRow* run)
{
    if (!run) {
        return ContinueWords::tr("Select a run first.");
    }
    if (const QString fixed = snapshot.changeHindrance(run); !fixed.isEmpty()) {
        return fixed;
    }
    if (canResume(*run) || canTrainLonger(*run)) {
        return {};
    }
    if (run->trashed) {
        return ContinueWords::tr("This run is in the Trash; restore it first.");
    }
    if (isLive(run->state)) {
        return ContinueWords::tr("%1 is training now.").arg(run->displayName());
    }
    return ContinueWords::tr("%1 has no checkpoint to continue from.").arg(run->displayName());
}

void askToTrainLonger(ProjectSession& session, const RunRow& run, QWidget* parent)
{
    auto* dialog = new Dialog(ContinueWords::tr("Train %1 longer").arg(run.displayName()), parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setObjectName("dialog.continue");
    dialog->setSentence(ContinueWords::tr("The run continues from its last checkpoint, at step %1.")
                            .arg(formatCount(run.checkpoints.last().step)));
    auto* steps = new QSpinBox;
    steps->setObjectName("field.more_steps");
    steps->setAccessibleName(ContinueWords::tr("More steps"));
    steps->setRange(1, std::numeric_limits<int>::max() / 2);
    steps->setGroupSeparatorShown(true);
    steps->setSuffix(ContinueWords::tr(" more steps"));
    steps->setValue(static_cast<int>(std::clamp<qint64>(run.globalStep, 1, 1'000'000'000)));
    dialog->body()->addWidget(steps);
    dialog->addButton(Button::Kind::Plain, ContinueWords::tr("Cancel"), QDialog::Rejected);
    dialog->addButton(Button::Kind::Primary, ContinueWords::tr("Train Longer"), QDialog::Accepted,
                      true);
    QObject::connect(dialog, &QDialog::accepted, &session,
                     [&session, steps, name = run.name, step = run.globalStep] {
                         session.starter().start(
                             session.starter().commands().resume(name, step + steps->value()));
                     });
    dialog->open();
}

void resumeOrTrainLonger(ProjectSession& session, const RunRow& run, QWidget* parent)
{
    if (session.project().isReadOnly()) {
        return;
    }
    if (canResume(run)) {
        session.starter().resume(run.name);
    } else if (canTrainLonger(run)) {
        askToTrainLonger(session, run, parent);
    }
}

} // namespace cannery::ui
