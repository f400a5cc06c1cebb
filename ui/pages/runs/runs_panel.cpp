// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/runs/runs_panel.h"

#include "ui/models/formats.h"
#include "ui/pages/page_parts.h"
#include "ui/pages/runs/notes_editor.h"
#include "ui/pages/runs/run_swatch.h"
#include "ui/pages/runs/tag_chips.h"
#include "ui/widgets/button.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/style/theme.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>

namespace cannery::ui {

QString runFacts(const RunRow& run)
{
    QStringList parts;
    if (run.isForeign) {
        parts.append(RunsPanel::tr("Event files from another program, read-only"));
        return parts.join(QStringLiteral(" · "));
    }
    parts.append(run.finishedAt.isValid()
                     ? RunsPanel::tr("%1 %2").arg(displayName(run.state), formatAgo(run.finishedAt))
                     : displayName(run.state));
    const double seconds = run.durationSeconds(QDateTime::currentDateTime());
    if (seconds >= 0) {
        parts.append(formatDuration(seconds));
    }
    parts.append(RunsPanel::tr("%1 steps").arg(formatCount(run.globalStep)));
    return parts.join(QStringLiteral(" · "));
}

RunsPanel::RunsPanel(QAction* duplicate, QAction* exportModel, QWidget* parent)
    : QWidget(parent), m_swatch(new RunSwatch), m_title(new ElidedLabel({}, TextRole::Section)),
      m_star(new IconButton("star", tr("Star"))),
      m_open(new Button(Button::Kind::Link, tr("Open"))), m_notes(new NotesEditor),
      m_tags(new TagChips), m_facts(new Label({}, TextRole::Label, Ink::Secondary)),
      m_duplicate(new Button(Button::Kind::Plain, duplicate)),
      m_export(new Button(Button::Kind::Plain, exportModel))
{
    setObjectName("panel.run");
    m_star->setObjectName("button.panel_star");
    m_open->setObjectName("button.open_run");
    m_open->setAccessibleName(tr("Open the run"));
    m_facts->setWordWrap(true);
    m_duplicate->setOwnText(tr("Duplicate and Edit"));
    m_export->setOwnText(tr("Export…"));

    auto* top = new QHBoxLayout;
    top->setSpacing(scaled(8));
    top->addWidget(m_swatch);
    top->addWidget(m_title, 1);
    top->addWidget(m_star);
    top->addWidget(m_open);
    auto* buttons = new QWidget;
    auto* flow = new FlowLayout(buttons, 8);
    flow->addWidget(m_duplicate);
    flow->addWidget(m_export);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, scaled(14), 0, scaled(6));
    column->setSpacing(scaled(8));
    column->addLayout(top);
    column->addWidget(m_notes);
    column->addWidget(m_tags);
    column->addWidget(m_facts);
    column->addWidget(buttons);

    connect(m_star, &QToolButton::clicked, this,
            [this] { Q_EMIT starToggled(m_run.name, !m_run.starred); });
    connect(m_open, &QPushButton::clicked, this, [this] { Q_EMIT openRequested(m_run.name); });
    connect(m_notes, &NotesEditor::notesEdited, this,
            [this](const QString& notes) { Q_EMIT notesEdited(m_run.name, notes); });
    connect(m_tags, &TagChips::tagsEdited, this,
            [this](const QStringList& tags) { Q_EMIT tagsEdited(m_run.name, tags); });
}

void RunsPanel::setRun(const RunRow& run, const QString& hindrance)
{
    m_run = run;
    static_cast<RunSwatch*>(m_swatch)->setSlot(run.colourSlot);
    m_title->setText(run.displayName());
    m_title->setToolTip(run.name);
    m_star->setIconName(run.starred ? "star-filled" : "star");
    m_star->setName(run.starred ? tr("Remove the star") : tr("Star"));
    setHindrance(m_star, hindrance, m_star->accessibleName());
    m_star->setVisible(!run.isForeign);
    m_notes->setHindrance(hindrance);
    m_notes->setNotes(run.notes);
    m_notes->setVisible(!run.isForeign);
    m_tags->setHindrance(hindrance);
    m_tags->setTags(run.tags);
    m_tags->setVisible(!run.isForeign);
    m_facts->setText(runFacts(run));
    m_facts->setToolTip(run.finishedAt.isValid() ? formatMoment(run.finishedAt) : QString());
    m_duplicate->setVisible(!run.isForeign);
    m_export->setVisible(!run.isForeign && !run.checkpoints.isEmpty());
}

void RunsPanel::setKnownTags(const QStringList& tags)
{
    m_tags->setKnownTags(tags);
}

void RunsPanel::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setPen(tokens().line);
    painter.drawLine(0, 0, width(), 0);
}

} // namespace cannery::ui
