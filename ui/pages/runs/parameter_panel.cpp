// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/runs/parameter_panel.h"

#include "ui/charts/parallel_plot.h"
#include "ui/models/formats.h"
#include "ui/models/metric_names.h"
#include "ui/pages/page_parts.h"
#include "ui/widgets/key_value_list.h"
#include "ui/widgets/label.h"
#include "ui/widgets/style/theme.h"

#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include <cmath>

namespace cannery::ui {
namespace {

QList<KeyValueList::Row> importanceRows(const ParameterStudy& study)
{
    QList<KeyValueList::Row> rows;
    for (const StudyAxis& axis : study.axes) {
        // The metric is an axis, but nothing that was chosen.
        if (axis.path != study.metric) {
            rows.append({axis.label,
                         std::isnan(axis.importance) ? ParameterPanel::tr("too few runs to tell")
                                                     : formatPercent(axis.importance, 0),
                         axis.path});
        }
    }
    return rows;
}

} // namespace

ParameterPanel::ParameterPanel(QWidget* parent)
    : QWidget(parent), m_title(new Label({}, TextRole::Section)),
      m_words(new Label({}, TextRole::Label, Ink::Secondary)), m_plot(new ParallelPlot),
      m_chosen(new Label({}, TextRole::Label, Ink::Secondary)),
      m_importanceTitle(new Label(tr("Importance"), TextRole::LabelStrong)),
      m_importance(new KeyValueList), m_caveat(new Label({}, TextRole::Label, Ink::Secondary))
{
    setObjectName("panel.parameters");
    m_title->setObjectName("title.parameters");
    m_words->setObjectName("words.parameters");
    m_importance->setObjectName("list.importance");
    m_caveat->setObjectName("words.importance");
    m_words->setWordWrap(true);
    m_caveat->setWordWrap(true);
    m_chosen->setObjectName("words.chosen_runs");
    m_chosen->setWordWrap(true);
    m_caveat->setText(tr("The share of the differences in the metric's ranks that goes with one "
                         "parameter (ε², Kelley 1935). Parameters that matter only together do "
                         "not show."));
    auto* content = new QWidget;
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(makeScrollArea(content));
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(scaled(16), scaled(4), scaled(16), scaled(16));
    column->setSpacing(scaled(8));
    column->addWidget(m_title);
    column->addWidget(m_words);
    m_plotArea = makeScrollArea(m_plot);
    m_plotArea->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded); // many axes need much room
    m_plotArea->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    column->addWidget(m_plotArea, 1);
    column->addWidget(m_chosen);
    const auto fit = [this] {
        m_plotArea->setMinimumHeight(m_plot->minimumSizeHint().height() +
                                     m_plotArea->horizontalScrollBar()->sizeHint().height());
    };
    fit();
    connect(&themeWatch(), &ThemeWatch::changed, this, fit);
    column->addWidget(m_importanceTitle);
    column->addWidget(m_importance);
    column->addWidget(m_caveat);
    connect(m_plot, &ParallelPlot::runHovered, this, &ParameterPanel::runHovered);
    connect(m_plot, &ParallelPlot::brushed, this, [this](const QStringList& runs) {
        publishChoice();
        Q_EMIT runsChosen(runs);
    });
}

void ParameterPanel::setRuns(const ProjectSnapshotPtr& snapshot, const QStringList& shown)
{
    const ParameterStudy study = studyParameters(*snapshot, shown);
    // One axis is the metric itself.
    const bool differs = study.axes.size() > 1;
    m_title->setText(differs ? tr("Parameters and %1").arg(metricName(study.metric))
                             : tr("Nothing to compare"));
    QString words = differs ? tr("%n runs; %1 is better.", nullptr, int(study.lines.size()))
                                  .arg(study.higherIsBetter ? tr("higher") : tr("lower"))
                            : tr("Show runs that were evaluated and differ in some parameter.");
    if (study.leftOut > 0) {
        words += ' ' + tr("%n less important parameters are left out.", nullptr, study.leftOut);
    }
    m_words->setText(words);
    m_plot->setStudy(differs ? study : ParameterStudy());
    m_plotArea->setVisible(differs);
    m_importance->setRows(differs ? importanceRows(study) : QList<KeyValueList::Row>());
    for (QWidget* part :
         {static_cast<QWidget*>(m_importanceTitle), static_cast<QWidget*>(m_importance),
          static_cast<QWidget*>(m_caveat), static_cast<QWidget*>(m_chosen)}) {
        part->setVisible(differs);
    }
    publishChoice();
}

void ParameterPanel::publishChoice()
{
    const ParameterStudy& study = m_plot->study();
    const AxisBrushes& brushes = m_plot->brushes();
    m_chosen->setText(
        brushes.isEmpty()
            ? tr("Drag along an axis to select the runs whose values lie there, or use the arrow "
                 "keys.")
            : tr("%1 of %2 runs selected: %3. Click an axis to clear it, Esc clears all.")
                  .arg(formatCount(brushes.chosen(study).size()), formatCount(study.lines.size()),
                       brushes.words(study)));
}

void ParameterPanel::setEmphasis(const QString& run)
{
    m_plot->setEmphasis(run);
}

} // namespace cannery::ui
