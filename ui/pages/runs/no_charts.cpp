// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/runs/no_charts.h"

#include "ui/pages/runs/other_summaries.h"
#include "ui/services/runs/summary_feed.h"
#include "ui/widgets/link_label.h"

#include <QVBoxLayout>

namespace cannery::ui {

NoCharts::NoCharts(QWidget* parent)
    : QWidget(parent), m_words(new LinkLabel), m_feed(new SummaryFeed(this))
{
    m_words->setObjectName("label.no_charts");
    m_words->setAlignment(Qt::AlignCenter);
    m_words->setWordWrap(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_words);
    connect(m_feed, &SummaryFeed::changed, this, &NoCharts::refresh);
    connect(m_words, &QLabel::linkActivated, this, [this] {
        if (const auto view = viewOf(*m_feed->summaries())) {
            Q_EMIT inspectRequested(m_run, *view);
        }
    });
}

void NoCharts::setReason(const QString& reason, const RunRow* run)
{
    m_reason = reason;
    m_run = run ? run->name : QString();
    m_title = run ? run->displayName() : QString();
    m_feed->setRun(run ? run->folder : QString(), run && (isLive(run->state) || run->isForeign));
    refresh();
}

void NoCharts::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    m_feed->setActive(true);
}

void NoCharts::hideEvent(QHideEvent* event)
{
    QWidget::hideEvent(event);
    m_feed->setActive(false);
}

void NoCharts::refresh()
{
    const QString logged = m_run.isEmpty() ? QString() : summariesInWords(*m_feed->summaries());
    m_words->setText(logged.isEmpty()
                         ? m_reason.toHtmlEscaped()
                         : tr("%1 has logged no scalars, but %2. <a href=\"inspect\">Inspect</a>")
                               .arg(m_title.toHtmlEscaped(), logged.toHtmlEscaped()));
}

} // namespace cannery::ui
