// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/train/health_strip.h"

#include "ui/actions/action_registry.h"
#include "ui/document/experiment_document.h"
#include "ui/pages/page_parts.h"
#include "ui/pages/train/train_facts.h"
#include "ui/services/engine_service.h"
#include "ui/services/project_session.h"

#include <QAction>

namespace cannery::ui {

HealthStrip::HealthStrip(const PageContext& context, QWidget* parent)
    : Strip(parent), m_context(context), m_cure(new QAction(this))
{
    m_cure->setObjectName("action.health_cure");
    setDismissible(true);
    hide();
    connect(this, &Strip::dismissed, this, [this] { m_dismissedNote = m_shownNote; });
    connect(m_cure, &QAction::triggered, this, &HealthStrip::cure);
}

void HealthStrip::showRun(const RunRow& run, const std::optional<EngineStatus>& status)
{
    m_run = run.name;
    m_folder = run.folder;
    const HealthNote note =
        healthNote(run, stateOf(run, status), m_context.session->engines().events(m_run));
    m_shownNote = note.id;
    if (note.isEmpty() || note.id == m_dismissedNote) {
        hide();
        return;
    }
    setMessage(note.level, note.lead, note.sentence);
    m_cure->setText(note.cureText);
    m_cure->setData(static_cast<int>(note.cure));
    const bool trains = note.cure == HealthCure::Resume || note.cure == HealthCure::Retry;
    m_batchSize = note.batchSize;
    const bool edits = note.cure == HealthCure::SetBatchSize;
    const QString elsewhere = m_context.session->document().file() == run.experimentFile
                                  ? QString()
                                  : tr("Open the experiment of this run first.");
    setHindrance(m_cure, edits    ? elsewhere
                         : trains ? m_context.session->changeHindrance()
                                  : QString());
    setActions(note.cure == HealthCure::None ? QList<QAction*>() : QList<QAction*>{m_cure});
    show();
}

void HealthStrip::forgetDismissal()
{
    m_dismissedNote.clear();
}

void HealthStrip::cure()
{
    switch (static_cast<HealthCure>(m_cure->data().toInt())) {
    case HealthCure::StopAndKeep:
        m_context.session->engines().stopAndKeep(m_run);
        break;
    case HealthCure::Resume:
        m_context.session->resumeRun(m_run);
        break;
    case HealthCure::Retry:
        m_context.session->train();
        break;
    case HealthCure::OpenFolder:
        m_context.session->showOutside(m_folder);
        break;
    case HealthCure::OpenLog:
        m_context.actions->find("action.log")->trigger();
        break;
    case HealthCure::SetBatchSize:
        m_context.session->document().setValue(QStringLiteral("train_spec.input.batch_size"),
                                               QString::number(m_batchSize));
        break;
    case HealthCure::None:
        break;
    }
}

} // namespace cannery::ui
