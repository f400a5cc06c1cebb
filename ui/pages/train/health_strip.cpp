// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/train/health_strip.h"

#include "ui/actions/action_registry.h"
#include "ui/document/experiment_document.h"
#include "ui/pages/page_parts.h"
#include "ui/pages/train/train_facts.h"
#include "ui/services/engine_service.h"
#include "ui/services/projects/project_session.h"

#include <QAction>

namespace cannery::ui {

HealthStrip::HealthStrip(const PageContext& context, QWidget* parent)
    : Strip(parent), m_context(context), m_cure(new QAction(this)), m_next(new QAction(this))
{
    m_cure->setObjectName("action.health_cure");
    m_next->setObjectName("action.health_next");
    setDismissible(true);
    hide();
    connect(this, &Strip::dismissed, this, [this] { m_dismissedNote = m_shownNote; });
    for (const QAction* action : {m_cure, m_next}) {
        connect(action, &QAction::triggered, this,
                [this, action] { cure(static_cast<HealthCure>(action->data().toInt())); });
    }
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
    m_batchSize = note.batchSize;
    m_edits.clear();
    for (const auto& [path, value] : note.settings) {
        m_edits << FieldEdit::set(path, value);
    }
    setUp(*m_cure, note.cure, note.cureText, run);
    setUp(*m_next, note.next, note.nextText, run);
    QList<QAction*> actions;
    for (QAction* action : {m_cure, m_next}) {
        if (!action->text().isEmpty()) {
            actions << action;
        }
    }
    setActions(actions);
    show();
}

void HealthStrip::setUp(QAction& action, HealthCure cure, const QString& text, const RunRow& run)
{
    action.setText(cure == HealthCure::None ? QString() : text);
    action.setData(static_cast<int>(cure));
    const bool trains = cure == HealthCure::Resume || cure == HealthCure::Retry;
    const bool edits = cure == HealthCure::SetBatchSize || cure == HealthCure::SetFields;
    const QString elsewhere = m_context.session->document().file() == run.experimentFile
                                  ? QString()
                                  : tr("Open the experiment of this run first.");
    setHindrance(&action, edits    ? elsewhere
                          : trains ? m_context.session->project().changeHindrance()
                                   : QString());
}

void HealthStrip::forgetDismissal()
{
    m_dismissedNote.clear();
}

void HealthStrip::cure(HealthCure cure)
{
    switch (cure) {
    case HealthCure::StopAndKeep:
        m_context.session->engines().stopAndKeep(m_run);
        break;
    case HealthCure::Resume:
        m_context.session->starter().resume(m_run);
        break;
    case HealthCure::Retry:
        m_context.session->starter().train();
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
    case HealthCure::SetFields:
        m_context.session->document().apply(m_cure->text(), m_edits);
        break;
    case HealthCure::None:
        break;
    }
}

} // namespace cannery::ui
