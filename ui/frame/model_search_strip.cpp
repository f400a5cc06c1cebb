// SPDX-License-Identifier: GPL-3.0-only
#include "ui/frame/model_search_strip.h"

#include "ui/document/experiment_document.h"
#include "ui/services/job_runner.h"
#include "ui/services/projects/project_session.h"

#include <QAction>

namespace cannery::ui {

ModelSearchStrip::ModelSearchStrip(ProjectSession& session, QWidget* parent)
    : Strip(parent), m_session(&session)
{
    setObjectName("strip.model_search");
    auto* skip = new QAction(tr("Skip"), this);
    skip->setObjectName("action.skip_models");
    skip->setToolTip(tr("Keep the usual model for a table of this size."));
    setActions({skip});
    hide();
    connect(skip, &QAction::triggered, &session.tables(), &TableImport::skipTrying);
    connect(&session.tables(), &TableImport::tryingChanged, this, &ModelSearchStrip::refresh);
    connect(&session.jobs(), &JobRunner::changed, this, &ModelSearchStrip::refresh);
    connect(&session.project(), &OpenProject::changed, this, &ModelSearchStrip::refresh);
}

void ModelSearchStrip::refresh()
{
    const TableImport& tables = m_session->tables();
    if (tables.trying().isEmpty() || tables.trying() != m_session->document().file()) {
        hide();
        return;
    }
    const QString count = tables.triedCount();
    setMessage(
        Level::Info, count.isEmpty() ? tr("Trying models…") : tr("Trying models, %1…").arg(count),
        tr("They are judged on rows that they have not learned from; until then the model is "
           "the usual one for such a table."));
}

} // namespace cannery::ui
