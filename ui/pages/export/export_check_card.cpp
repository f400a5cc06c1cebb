// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/export/export_check_card.h"

#include "ui/models/formats.h"
#include "ui/pages/page_parts.h"
#include "ui/widgets/button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/pill.h"
#include "ui/widgets/progress_bar.h"
#include "ui/widgets/style/theme.h"

#include <QDir>
#include <QHBoxLayout>
#include <QVBoxLayout>

namespace cannery::ui {

ExportCheckCard::ExportCheckCard(QWidget* parent)
    : Card(parent), m_pill(new Pill), m_words(new Label({}, TextRole::Body, Ink::Secondary)),
      m_progress(new ProgressBar), m_cancel(new Button(Button::Kind::Plain, tr("Cancel"))),
      m_checks(new QVBoxLayout)
{
    setObjectName("card.check");
    auto* top = new QHBoxLayout;
    top->addWidget(new Label(tr("Check"), TextRole::Section), 1);
    top->addWidget(m_pill);
    body()->addLayout(top);
    m_words->setObjectName("label.check");
    m_words->setWordWrap(true);
    body()->addWidget(m_words);
    auto* line = new QHBoxLayout;
    m_progress->setObjectName("progress.export");
    m_progress->setAccessibleName(tr("Progress of the export"));
    m_cancel->setObjectName("button.cancel_export");
    connect(m_cancel, &QPushButton::clicked, this, &ExportCheckCard::cancelRequested);
    line->addWidget(m_progress, 1);
    line->addWidget(m_cancel);
    body()->addLayout(line);
    body()->addLayout(m_checks);
}

void ExportCheckCard::setStage(ExportStage stage)
{
    m_progress->setVisible(stage == ExportStage::Running);
    m_progress->setFraction(-1);
    m_cancel->setVisible(stage == ExportStage::Running);
    clearLayout(m_checks);
    m_words->setVisible(stage != ExportStage::Done);
    switch (stage) {
    case ExportStage::Ready:
        m_pill->setState(Pill::Kind::Neutral, "clock", tr("Not yet"));
        m_words->setText(tr("After writing, the SavedModel is read back and its predictions "
                            "are compared with the checkpoint's."));
        break;
    case ExportStage::Running:
        m_pill->setState(Pill::Kind::Accent, "player-play", tr("Working"));
        m_words->setText(tr("Writing…"));
        break;
    case ExportStage::Done:
        break;
    case ExportStage::Failed:
        m_pill->setState(Pill::Kind::Error, "alert-circle", tr("Failed"));
        m_words->setText(tr("No folder was left behind."));
        break;
    }
}

void ExportCheckCard::setProgress(double fraction, const QString& message)
{
    m_progress->setFraction(fraction);
    m_words->setText(message.isEmpty() ? tr("Writing…") : message);
}

void ExportCheckCard::setFacts(const ExportFacts& facts, const QString& projectFolder)
{
    const bool ok = facts.isVerified();
    m_pill->setState(ok ? Pill::Kind::Ok : Pill::Kind::Warn, ok ? "check" : "alert-triangle",
                     ok ? tr("Ready") : tr("Not compared"));
    addCheck(true, tr("Reloaded from the written files"),
             facts.bytes > 0 ? formatBytes(facts.bytes) : QString());
    if (facts.verifiedRows > 0) {
        addCheck(ok,
                 tr("%1 of %2 predictions agree")
                     .arg(formatCount(facts.equalRows), formatCount(facts.verifiedRows)),
                 tr("largest difference %1").arg(formatNumber(facts.maxDifference, 2)));
    }
    addCheck(true, QDir(projectFolder).relativeFilePath(facts.path), {});
}

void ExportCheckCard::addCheck(bool ok, const QString& what, const QString& detail)
{
    auto* row = new QWidget;
    row->setAccessibleName(what + ", " + detail);
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, scaled(2), 0, scaled(2));
    line->setSpacing(scaled(8));
    line->addWidget(makeIcon(ok ? "circle-check" : "alert-circle", ok ? Ink::Ok : Ink::Error));
    line->addWidget(new Label(what), 1);
    line->addWidget(new Label(detail, TextRole::Label, Ink::Secondary));
    m_checks->addWidget(row);
}

} // namespace cannery::ui
