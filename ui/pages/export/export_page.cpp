// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/export/export_page.h"

#include "ui/pages/checkpoint_choice.h"
#include "ui/pages/export/export_check_card.h"
#include "ui/pages/export/export_form.h"
#include "ui/pages/export/past_exports.h"
#include "ui/pages/export/signature_card.h"
#include "ui/pages/page_parts.h"
#include "ui/services/job_runner.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/widgets/behaviour/update_throttle.h"
#include "ui/widgets/button.h"
#include "ui/widgets/card.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/page_header.h"
#include "ui/widgets/strip.h"
#include "ui/widgets/style/theme.h"

#include <QAction>
#include <QDir>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QScrollArea>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace cannery::ui {

ExportPage::ExportPage(const PageContext& context, QWidget* parent)
    : Page("export", context, parent), m_stack(new QStackedWidget(this)),
      m_empty(new EmptyState(this)), m_export(new QAction(tr("Export"), this)),
      m_openFolder(new QAction(tr("Open Folder"), this))
{
    m_export->setObjectName("action.export");
    m_openFolder->setObjectName("action.open_export_folder");
    m_empty->setObjectName("empty.export");
    m_empty->setPicture(EmptyState::Sketch::Boxes, "package-export");
    m_stack->addWidget(makeEmptyPage(tr("Export"), m_empty));
    m_stack->addWidget(makeContent());
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(m_stack);
    connect(m_export, &QAction::triggered, this, &ExportPage::start);
    connect(m_openFolder, &QAction::triggered, this,
            [this] { session().showOutside(m_facts.path); });
    auto* shown = new UpdateThrottle(
        this, [this] { refreshShown(); }, UpdateThrottle::kAtOnce);
    connect(&session().runs(), &RunCatalog::snapshotChanged, this, [this, shown] {
        refreshMark();
        shown->changed();
    });
    connect(&session().project(), &OpenProject::changed, this, [this] {
        m_past->forgetNew();
        m_form->from().forgetChoice();
        m_facts = {};
        m_form->clearName();
        showStage(ExportStage::Ready);
        refresh();
    });
    connect(&session().jobs(), &JobRunner::changed, this, &ExportPage::refreshJob);
    connect(action("action.export_savedmodel"), &QAction::triggered, this, [this] {
        for (const Page* page : window()->findChildren<Page*>()) {
            if (page != this && page->isVisible() && !page->currentRun().isEmpty()) {
                m_form->from().chooseRun(page->currentRun());
            }
        }
        Q_EMIT navigate("export");
    });
    showStage(ExportStage::Ready);
    refresh();
}

QWidget* ExportPage::makeContent()
{
    auto* content = new QWidget(this);
    auto* column = makePageColumn(content);
    m_header = new PageHeader(tr("Export"));
    m_header->setObjectName("header.export");
    m_header->addAction(action("action.show_command"), Button::Kind::Quiet);
    m_header->addAction(m_openFolder);
    m_header->addAction(m_export, Button::Kind::Primary);
    column->addWidget(m_header);
    m_strip = new Strip;
    m_strip->setObjectName("strip.export");
    m_strip->setDismissible(true);
    m_strip->hide();
    column->addWidget(m_strip);
    m_form = new ExportForm;
    connect(m_form, &ExportForm::changed, this, [this] {
        m_header->setSentence(m_form->from().sentence());
        forgetOther();
        refreshHindrance();
    });
    auto* cards = new AdaptiveRow;
    cards->addPart(m_form, 2, 300);
    cards->addPart(makeResults(), 4, 480);
    column->addWidget(makeScrollArea(cards), 1);
    return content;
}

QWidget* ExportPage::makeResults()
{
    auto* results = new QWidget;
    auto* column = new QVBoxLayout(results);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(12));
    m_signatures = new SignatureCard;
    m_signatures->setObjectName("card.signatures");
    column->addWidget(m_signatures, 1);
    m_check = new ExportCheckCard;
    m_check->setObjectName("card.check");
    connect(m_check, &ExportCheckCard::cancelRequested, this,
            [this] { session().jobs().cancel(m_job); });
    column->addWidget(m_check);
    auto* past = new Card;
    m_past = new PastExports(session());
    past->body()->addWidget(m_past);
    column->addWidget(past);
    column->addStretch();
    return results;
}

QString ExportPage::defaultName() const
{
    QString name = session().project().name().section(',', 0, 0).toLower();
    static const QRegularExpression kOther("[^a-z0-9]+");
    name.replace(kOther, "_");
    return name.isEmpty() ? QStringLiteral("model") : name;
}

CommandLine ExportPage::command() const
{
    const CheckpointChoice& from = m_form->from();
    if (from.isEmpty()) {
        return {};
    }
    QStringList arguments{
        "export",     from.run(),         "--checkpoint", from.checkpoint(),
        "--receiver", m_form->receiver(), "--output",     m_form->target(defaultName())};
    if (m_form->modes() != QLatin1String("serve")) {
        arguments << "--modes" << m_form->modes();
    }
    return {.arguments = std::move(arguments),
            .folder = session().project().folder(),
            .machineArguments = {"--json", "--progress", "json"}};
}

void ExportPage::reveal(const QString& what)
{
    if (what.startsWith(QLatin1String("run:"))) {
        m_form->from().chooseRun(what.mid(4).section('@', 0, 0));
        if (what.contains('@')) {
            m_form->from().chooseStep(what.section('@', -1).toLongLong());
        }
    }
}

QByteArray ExportPage::saveState() const
{
    return QJsonDocument(m_form->saveState()).toJson(QJsonDocument::Compact);
}

void ExportPage::restoreState(const QByteArray& state)
{
    m_form->restoreState(QJsonDocument::fromJson(state).object());
}

void ExportPage::refresh()
{
    refreshMark();
    refreshShown();
}

/// The mark in the rail, whatever page is open.
void ExportPage::refreshMark()
{
    m_form->from().setRuns(session().runs().snapshot());
    const bool can = session().project().isOpen() && !m_form->from().isEmpty();
    setMark(can ? RailMark{}
                : RailMark{.kind = RailMark::Kind::Empty, .tip = tr("Nothing to export yet.")});
}

void ExportPage::refreshShown()
{
    const bool hasProject = session().project().isOpen();
    const bool can = hasProject && !m_form->from().isEmpty();
    m_stack->setCurrentIndex(can ? 1 : 0);
    m_empty->setTitle(hasProject ? tr("Nothing to export yet") : tr("Nothing is open"));
    m_empty->setSentence(hasProject
                             ? tr("Export a checkpoint as a SavedModel here, as soon as a run "
                                  "has one.")
                             : tr("Open a project or start from a sample; its models are exported "
                                  "here."));
    m_empty->setPrimaryAction(action(hasProject ? "action.train" : "action.open_project"));
    m_empty->setPlainAction(hasProject ? nullptr : action("action.page_home"), tr("Use a Sample"));
    m_form->setProject(session().project().folder(), defaultName());
    m_header->setSentence(m_form->from().sentence());
    refreshHindrance();
    m_past->refresh();
}

void ExportPage::start()
{
    if (m_job != 0 || m_form->from().isEmpty()) {
        return;
    }
    m_facts = {};
    // What the result will belong to; see forgetOther().
    m_command = command();
    const QString run = m_form->from().run();
    m_job = session().jobs().run(
        tr("Exporting SavedModel of %1").arg(run), command(),
        [this, run](const JobRunner::Outcome& outcome) {
            m_job = 0;
            if (outcome.ok) {
                m_facts = exportFactsFromJson(outcome.json.object());
                // The command ran in the project's folder, which is not this program's.
                if (!m_facts.path.isEmpty() && QDir::isRelativePath(m_facts.path)) {
                    m_facts.path = QDir(session().project().folder()).filePath(m_facts.path);
                }
                m_past->addNew(run, m_facts.path);
                showStage(ExportStage::Done);
                // The export is in the store now.
                session().runs().refresh();
            } else {
                showStage(outcome.cancelled ? ExportStage::Ready : ExportStage::Failed);
                if (!outcome.cancelled) {
                    m_strip->setMessage(Strip::Level::Error, tr("Nothing was exported."),
                                        outcome.sentence);
                }
            }
        });
    showStage(ExportStage::Running);
}

/// A read-only project cannot take the export, but another folder can.
void ExportPage::refreshHindrance()
{
    const QDir project(session().project().folder());
    const QString target = QDir::cleanPath(project.absoluteFilePath(m_form->folder()));
    // With the slash, so that "/project2" is not within "/project".
    const bool isInside = (target + '/').startsWith(project.absolutePath() + '/');
    setHindrance(m_export, session().project().isReadOnly() && isInside
                               ? tr("The project is read-only: choose another folder to "
                                    "export to.")
                               : QString());
    if (m_stage == ExportStage::Running) {
        m_export->setEnabled(false);
    }
}

/// "Ready" and the signatures belong to the last export; a change of the options hides them.
void ExportPage::forgetOther()
{
    if ((m_stage == ExportStage::Done || m_stage == ExportStage::Failed) &&
        command() != m_command) {
        m_facts = {};
        showStage(ExportStage::Ready);
    }
}

void ExportPage::refreshJob()
{
    if (m_job == 0) {
        return;
    }
    for (const Job& job : session().jobs().jobs()) {
        if (job.id == m_job) {
            m_check->setProgress(job.progress, job.message);
        }
    }
}

void ExportPage::showStage(ExportStage stage)
{
    m_stage = stage;
    refreshHindrance();
    m_openFolder->setEnabled(stage == ExportStage::Done);
    m_strip->hide();
    m_check->setStage(stage);
    m_signatures->setSignatures(m_facts.signatures);
    if (stage == ExportStage::Done) {
        m_check->setFacts(m_facts, session().project().folder());
    }
}

} // namespace cannery::ui
