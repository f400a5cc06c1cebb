// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/steps/text_card.h"

#include "ui/models/formats.h"
#include "ui/widgets/markdown_label.h"
#include "ui/widgets/style/theme.h"

#include <QScrollArea>

namespace cannery::ui {

TextCard::TextCard(const SummaryKey& key, QWidget* parent)
    : StepCard(key, Slider::Shown, parent), m_text(new MarkdownLabel)
{
    m_text->setObjectName("label.text");
    m_text->setAlignment(Qt::AlignTop | Qt::AlignLeading);
    m_text->setMargin(scaled(2));
    auto* area = new QScrollArea;
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setWidget(m_text);
    area->setAccessibleName(tr("Text of %1").arg(key.tag));
    area->viewport()->setAutoFillBackground(false);
    m_text->setAutoFillBackground(false);
    setContent(area);
}

void TextCard::setHistory(const StepHistory<TextStep>& history)
{
    if (history != m_history) {
        m_history = history;
        stepsChanged(shownOf(m_history.steps.size(), m_history.logged));
    }
}

QString TextCard::describe(qsizetype number) const
{
    return tr("Step %1").arg(formatCount(m_history.steps[number]->step));
}

void TextCard::showStep(qsizetype number, bool /*isCursor*/)
{
    if (m_shown != m_history.steps[number]) {
        m_shown = m_history.steps[number];
        m_text->setMarkdown(m_shown->markdown);
    }
}

} // namespace cannery::ui
