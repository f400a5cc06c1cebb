// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/model/sweep_words.h"

#include "ui/document/experiment_document.h"
#include "ui/editing/document_query.h"
#include "ui/models/formats.h"
#include "ui/services/projects/project_session.h"

namespace cannery::ui {

SweepWords::SweepWords(ProjectSession& session, QWidget* parent)
    : Label({}, TextRole::Label, Ink::Secondary, parent), m_session(&session),
      m_query(&DocumentQuery::sweep(session))
{
    setObjectName("words.sweep");
    setWordWrap(true);
    connect(m_query, &DocumentQuery::changed, this, &SweepWords::refresh);
    connect(&session.document(), &ExperimentDocument::changed, this, &SweepWords::follow);
    refresh();
}

void SweepWords::showEvent(QShowEvent* event)
{
    Label::showEvent(event);
    follow();
}

void SweepWords::hideEvent(QHideEvent* event)
{
    Label::hideEvent(event);
    m_query->setWanted(this, false);
}

bool SweepWords::hasSweep() const
{
    return m_session->document().field("sweep") != nullptr;
}

void SweepWords::follow()
{
    m_query->setWanted(this, isVisible() && hasSweep());
    refresh();
}

void SweepWords::refresh()
{
    const qint64 runs = m_query->result().value("trials").toInteger();
    if (!hasSweep()) {
        setText(tr("Choose how values are tried, and name the fields that vary."));
    } else if (!m_query->error().isEmpty()) {
        setText(m_query->error());
    } else if (runs > 0) {
        setText(tr("This makes %1 runs; Start Sweep in the Run menu trains them, or those that are "
                   "missing.")
                    .arg(formatCount(runs)));
    } else {
        setText(tr("Counting the runs…"));
    }
}

} // namespace cannery::ui
