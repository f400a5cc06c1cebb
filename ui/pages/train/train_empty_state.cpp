// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/train/train_empty_state.h"

#include "ui/actions/action_registry.h"
#include "ui/document/experiment_document.h"
#include "ui/editing/experiment_facts.h"
#include "ui/models/formats.h"
#include "ui/pages/page_parts.h"
#include "ui/pages/train/recipe_card.h"
#include "ui/pages/train/train_fields.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/runs/run_catalog.h"

#include <QAction>
#include <QJsonObject>

namespace cannery::ui {

TrainEmptyState::TrainEmptyState(const PageContext& context, QWidget* parent)
    : EmptyState(parent), m_context(context), m_fields(new TrainFields(*context.session)),
      m_recipe(new RecipeCard)
{
    setObjectName("empty.train");
    setPicture(Sketch::Curve, "player-play");
    setFooter(m_fields);
    setFooter(m_recipe);
}

void TrainEmptyState::refresh()
{
    ProjectSession& session = *m_context.session;
    const bool hasProject = session.project().isOpen();
    const QString hindrance = session.starter().hindrance();
    m_recipe->setVisible(hasProject);
    m_fields->setVisible(hasProject && session.document().isOpen());
    m_fields->setEnabled(!session.project().isReadOnly());
    m_fields->refresh();
    if (!hasProject) {
        setTitle(tr("Nothing is open"));
        setSentence(tr("Open a project or start from a sample; its curves appear here."));
        setPrimaryAction(m_context.actions->find("action.page_home"), tr("Go to Home"));
        setPlainAction(m_context.actions->find("action.open_project"));
        setHint({});
        return;
    }
    const bool hasRuns = !session.runs().snapshot()->runs.isEmpty();
    setTitle(tr("Nothing is training"));
    setSentence(
        hindrance.isEmpty()
            ? tr("Curves, speed and checkpoints appear here the moment the first step is logged.")
            : hindrance);
    setPrimaryAction(m_context.actions->find("action.train"), tr("Train Current Recipe"));
    setPlainAction(hasRuns ? m_context.actions->find("action.duplicate") : nullptr,
                   tr("Duplicate Last Run"));
    const QKeySequence keys = m_context.actions->find("action.train")->shortcut();
    setHint(keys.isEmpty()
                ? QString()
                : tr("%1 trains from any page").arg(keys.toString(QKeySequence::NativeText)));
    refreshRecipe();
}

void TrainEmptyState::refreshRecipe()
{
    ProjectSession& session = *m_context.session;
    const ExperimentFacts facts = ExperimentFacts::of(session.document().root());
    const qint64 rows = session.check().facts().value("train_rows").toInteger();
    m_recipe->setItems(
        {{"table", facts.trainFiles.join(QLatin1String(", ")),
          rows > 0 ? tr("%1 training rows").arg(formatCount(rows)) : facts.aim()},
         {"columns",
          counted(facts.features.size(), tr("One feature column"), tr("%1 feature columns")),
          facts.inputs()},
         {"topology-star-3", facts.estimatorTitle, facts.className},
         {"cpu", facts.strategy,
          facts.maxSteps > 0 ? tr("%1 steps").arg(formatCount(facts.maxSteps))
                             : tr("until stopped")}});
}

} // namespace cannery::ui
