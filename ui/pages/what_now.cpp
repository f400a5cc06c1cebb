// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/what_now.h"

#include "ui/actions/action_registry.h"
#include "ui/models/runs/run_verdict.h"
#include "ui/pages/page_parts.h"
#include "ui/widgets/button.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/label.h"

#include <QVBoxLayout>

#include <utility>

namespace cannery::ui {
namespace {

bool isUsable(const RunRow& run, RunState state)
{
    return (state == RunState::Finished || state == RunState::Stopped) && !run.isForeign &&
           !run.trashed && !run.checkpoints.isEmpty();
}

} // namespace

WhatNow::WhatNow(const PageContext& context, bool showsVerdict, QWidget* parent)
    : Card(tr("What now?"), parent), m_words(new Label(QString())), m_showsVerdict(showsVerdict)
{
    setObjectName("card.what_now");
    m_words->setObjectName("label.what_now");
    m_words->setWordWrap(true);
    auto* steps = new QWidget;
    auto* flow = new FlowLayout(steps, 8);
    flow->setContentsMargins(0, 0, 0, 0);
    const std::pair<const char*, QString> all[]{
        {"action.export_predictions", tr("Predict a File…")},
        {"action.export_savedmodel", tr("Export…")}};
    for (const auto& [id, text] : all) {
        auto* button = new Button(Button::Kind::Plain, context.actions->find(id));
        button->setOwnText(text);
        flow->addWidget(button);
    }
    auto* line = new AdaptiveRow;
    line->addPart(m_words, 1, 320);
    line->addPart(steps, 0, 260);
    body()->addWidget(line);
    hide();
}

void WhatNow::showRun(const RunRow& run, RunState state)
{
    setVisible(isUsable(run, state));
    const QString steps =
        tr("Use the model on a file of new rows, or export it for other programs.");
    const QString verdict = m_showsVerdict ? verdictOf(run) : QString();
    m_words->setText(verdict.isEmpty() ? steps : verdict + u' ' + steps);
}

} // namespace cannery::ui
