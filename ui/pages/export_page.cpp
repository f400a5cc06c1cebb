// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/export_page.h"

#include "ui/models/formats.h"
#include "ui/models/signature_model.h"
#include "ui/pages/checkpoint_choice.h"
#include "ui/pages/page_parts.h"
#include "ui/services/job_runner.h"
#include "ui/services/project_session.h"
#include "ui/services/run_catalog.h"
#include "ui/widgets/attention.h"
#include "ui/widgets/button.h"
#include "ui/widgets/card.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/label.h"
#include "ui/widgets/page_header.h"
#include "ui/widgets/pill.h"
#include "ui/widgets/progress_bar.h"
#include "ui/widgets/segmented.h"
#include "ui/widgets/strip.h"
#include "ui/widgets/table_view.h"

#include <QAction>
#include <QDir>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLineEdit>
#include <QRegularExpression>
#include <QScrollArea>
#include <QSet>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr int kMostPast = 100; ///< rows of exports

} // namespace

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
    auto* shown = new Attention(
        this, [this] { refreshShown(); }, Attention::kAtOnce);
    connect(&session().runs(), &RunCatalog::snapshotChanged, this, [this, shown] {
        refreshMark();
        shown->changed();
    });
    connect(&session(), &ProjectSession::projectChanged, this, [this] {
        m_done.clear();
        m_from->forgetChoice();
        m_facts = {};
        m_name->clear();
        showStage(Stage::Ready);
        refresh();
    });
    connect(&session().jobs(), &JobRunner::changed, this, &ExportPage::refreshJob);
    connect(action("action.export_savedmodel"), &QAction::triggered, this, [this] {
        for (const Page* page : window()->findChildren<Page*>()) {
            if (page != this && page->isVisible() && !page->currentRun().isEmpty()) {
                m_from->chooseRun(page->currentRun());
            }
        }
        Q_EMIT navigate("export");
    });
    showStage(Stage::Ready);
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
    auto* cards = new AdaptiveRow;
    cards->addPart(makeForm(), 2, 300);
    cards->addPart(makeResults(), 4, 480);
    column->addWidget(makeScrollArea(cards), 1);
    return content;
}

Card* ExportPage::makeForm()
{
    auto* form = new Card;
    QVBoxLayout* column = form->body();
    column->setSpacing(scaled(8));
    const auto title = [column](const QString& text) {
        auto* label = new Label(text, TextRole::Section);
        label->setContentsMargins(0, scaled(8), 0, 0);
        column->addWidget(label);
    };
    title(tr("From"));
    m_from = new CheckpointChoice;
    column->addWidget(m_from);
    title(tr("Requests carry"));
    m_receiver = new Segmented({tr("tf.Example"), tr("One tensor a feature")});
    m_receiver->setObjectName("field.receiver");
    m_receiver->setAccessibleName(tr("What requests carry"));
    column->addWidget(m_receiver);
    m_receiverHelp = new Label({}, TextRole::Label, Ink::Secondary);
    m_receiverHelp->setWordWrap(true);
    column->addWidget(m_receiverHelp);
    title(tr("Where"));
    m_name = new QLineEdit;
    m_name->setObjectName("field.export_name");
    m_name->setAccessibleName(tr("Name of the served model"));
    m_folder = new QLineEdit("exports");
    m_folder->setObjectName("field.export_folder");
    m_folder->setAccessibleName(tr("Folder"));
    auto* choose = new Button(Button::Kind::Plain, tr("Choose…"));
    choose->setObjectName("button.choose_folder");
    connect(choose, &QPushButton::clicked, this, &ExportPage::chooseFolder);
    column->addWidget(new Label(tr("Name"), TextRole::Label, Ink::Secondary));
    column->addWidget(m_name);
    column->addWidget(new Label(tr("Folder"), TextRole::Label, Ink::Secondary));
    auto* folder = new QHBoxLayout;
    folder->addWidget(m_folder, 1);
    folder->addWidget(choose);
    column->addLayout(folder);
    auto* help = new Label(tr("A version folder, named by the time, appears in it only when the "
                              "check has passed. TF Serving watches the folder above it."),
                           TextRole::Label, Ink::Secondary);
    help->setWordWrap(true);
    column->addWidget(help);
    column->addStretch(1);
    connect(m_from, &CheckpointChoice::changed, this, [this] {
        m_header->setSentence(m_from->sentence());
        forgetOther();
    });
    const auto explain = [this](int index) {
        m_receiverHelp->setText(index == 0
                                    ? tr("Serialized tf.Example messages: classify, regress and "
                                         "predict signatures.")
                                    : tr("Each feature as a tensor of its own: the predict "
                                         "signature, easy to call by JSON."));
    };
    connect(m_receiver, &Segmented::currentChanged, this, explain);
    connect(m_receiver, &Segmented::currentChanged, this, &ExportPage::forgetOther);
    connect(m_name, &QLineEdit::textChanged, this, &ExportPage::forgetOther);
    connect(m_folder, &QLineEdit::textChanged, this, &ExportPage::forgetOther);
    connect(m_folder, &QLineEdit::textChanged, this, &ExportPage::refreshHindrance);
    explain(0);
    return form;
}

QWidget* ExportPage::makeResults()
{
    auto* results = new QWidget;
    auto* column = new QVBoxLayout(results);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(12));
    m_signatures = new Card(tr("Signatures"));
    m_signatures->setObjectName("card.signatures");
    m_signatureChoice = new Segmented({tr("predict")});
    m_signatureChoice->setObjectName("field.signature");
    m_signatureChoice->setAccessibleName(tr("Signature"));
    m_method = new ElidedLabel({}, TextRole::Code, Ink::Secondary);
    auto* top = new QHBoxLayout;
    top->addWidget(m_signatureChoice);
    top->addWidget(m_method, 1);
    m_signatures->body()->addLayout(top);
    m_model = new SignatureModel(this);
    m_tensors = new TableView(TableView::Rows::Data);
    m_tensors->setObjectName("table.signature");
    m_tensors->setAccessibleName(tr("Tensors of the signature"));
    m_tensors->setModel(m_model);
    m_tensors->verticalHeader()->setVisible(false);
    m_tensors->horizontalHeader()->setSectionResizeMode(QHeaderView::Interactive);
    m_tensors->horizontalHeader()->setStretchLastSection(true);
    m_tensors->horizontalHeader()->setHighlightSections(false);
    m_tensors->setColumnWidth(SignatureModel::DirectionColumn, scaled(80));
    m_tensors->setColumnWidth(SignatureModel::NameColumn, scaled(220));
    m_tensors->setColumnWidth(SignatureModel::TypeColumn, scaled(110));
    m_tensors->setMinimumHeight(scaled(150));
    m_signatures->body()->addWidget(m_tensors, 1);
    connect(m_signatureChoice, &Segmented::currentChanged, this, &ExportPage::showSignature);
    column->addWidget(m_signatures, 1);
    column->addWidget(makeCheck());
    auto* past = new Card;
    m_past = new InspectorSection(tr("Exports of this project"));
    m_past->setObjectName("list.exports");
    past->body()->addWidget(m_past);
    column->addWidget(past);
    column->addStretch();
    return results;
}

Card* ExportPage::makeCheck()
{
    auto* card = new Card;
    card->setObjectName("card.check");
    auto* top = new QHBoxLayout;
    top->addWidget(new Label(tr("Check"), TextRole::Section), 1);
    m_pill = new Pill;
    top->addWidget(m_pill);
    card->body()->addLayout(top);
    m_checkWords = new Label({}, TextRole::Body, Ink::Secondary);
    m_checkWords->setObjectName("label.check");
    m_checkWords->setWordWrap(true);
    card->body()->addWidget(m_checkWords);
    auto* line = new QHBoxLayout;
    m_progress = new ProgressBar;
    m_progress->setObjectName("progress.export");
    m_progress->setAccessibleName(tr("Progress of the export"));
    m_cancel = new Button(Button::Kind::Plain, tr("Cancel"));
    m_cancel->setObjectName("button.cancel_export");
    connect(m_cancel, &QPushButton::clicked, this, [this] { session().jobs().cancel(m_job); });
    line->addWidget(m_progress, 1);
    line->addWidget(m_cancel);
    card->body()->addLayout(line);
    m_checks = new QVBoxLayout;
    card->body()->addLayout(m_checks);
    return card;
}

void ExportPage::chooseFolder()
{
    auto* dialog = new QFileDialog(this, tr("Where Do Exports Go?"),
                                   QDir(session().projectFolder()).filePath(m_folder->text()));
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::fileSelected, m_folder, &QLineEdit::setText);
    dialog->open();
}

QString ExportPage::defaultName() const
{
    QString name = session().projectName().section(',', 0, 0).toLower();
    static const QRegularExpression kOther("[^a-z0-9]+");
    name.replace(kOther, "_");
    return name.isEmpty() ? QStringLiteral("model") : name;
}

CommandLine ExportPage::command() const
{
    if (m_from->isEmpty()) {
        return {};
    }
    const QString name = m_name->text().isEmpty() ? defaultName() : m_name->text();
    const QString base = QDir::cleanPath(m_folder->text() + '/' + name);
    return {.arguments = {"export", m_from->run(), "--checkpoint", m_from->checkpoint(),
                          "--receiver", m_receiver->currentIndex() == 0 ? "parsing" : "raw",
                          "--output", base},
            .folder = session().projectFolder(),
            .machineArguments = {"--json", "--progress", "json"}};
}

void ExportPage::reveal(const QString& what)
{
    if (what.startsWith(QLatin1String("run:"))) {
        m_from->chooseRun(what.mid(4).section('@', 0, 0));
        if (what.contains('@')) {
            m_from->chooseStep(what.section('@', -1).toLongLong());
        }
    }
}

QByteArray ExportPage::saveState() const
{
    const QJsonObject state{{"receiver", m_receiver->currentIndex()},
                            {"folder", m_folder->text()},
                            {"name", m_name->text()}};
    return QJsonDocument(state).toJson(QJsonDocument::Compact);
}

void ExportPage::restoreState(const QByteArray& state)
{
    const QJsonObject json = QJsonDocument::fromJson(state).object();
    m_receiver->setCurrentIndex(json.value("receiver").toInt());
    m_folder->setText(json.value("folder").toString("exports"));
    m_name->setText(json.value("name").toString());
}

void ExportPage::refresh()
{
    refreshMark();
    refreshShown();
}

/// The rail shows it, whatever page is open.
void ExportPage::refreshMark()
{
    m_from->setRuns(session().runs().snapshot());
    const bool can = session().hasProject() && !m_from->isEmpty();
    setMark(can ? RailMark{}
                : RailMark{.kind = RailMark::Kind::Empty, .tip = tr("Nothing to export yet.")});
}

void ExportPage::refreshShown()
{
    const bool hasProject = session().hasProject();
    const bool can = hasProject && !m_from->isEmpty();
    m_stack->setCurrentIndex(can ? 1 : 0);
    m_empty->setTitle(hasProject ? tr("Nothing to export yet") : tr("Nothing is open"));
    m_empty->setSentence(hasProject
                             ? tr("A run's checkpoint becomes a SavedModel here, as soon as there "
                                  "is one.")
                             : tr("Open a project or start from a sample; its models are exported "
                                  "here."));
    m_empty->setPrimaryAction(action(hasProject ? "action.train" : "action.open_project"));
    m_empty->setPlainAction(hasProject ? nullptr : action("action.page_home"), tr("Use a Sample"));
    m_name->setPlaceholderText(defaultName());
    m_header->setSentence(m_from->sentence());
    refreshHindrance();
    refreshPast();
}

void ExportPage::refreshPast()
{
    m_past->clear();
    int count = 0;
    QSet<QString> seen;
    const auto add = [this, &count, &seen](const QString& run, const QString& path,
                                           const QString& when) {
        if (seen.contains(path)) {
            return;
        }
        seen.insert(path);
        const QString shown = QDir(session().projectFolder()).relativeFilePath(path);
        QHBoxLayout* row = m_past->addRow(tr("Export of %1 in %2").arg(run, shown));
        row->addWidget(makeIcon("folder", Ink::Secondary));
        row->addWidget(new ElidedLabel(shown, TextRole::Code), 1);
        row->addWidget(new Label(QStringList{run, when}.join(QStringLiteral(" · ")),
                                 TextRole::Label, Ink::Secondary));
        auto* open = new Button(Button::Kind::Quiet, tr("Open Folder"));
        connect(open, &QPushButton::clicked, this, [this, path] { session().showOutside(path); });
        row->addWidget(open);
        ++count;
    };
    for (const auto& [run, path] : m_done) {
        add(run, QDir::cleanPath(path), tr("just now"));
    }
    QList<std::pair<const RunRow*, const ExportRow*>> past;
    const ProjectSnapshotPtr snapshot = session().runs().snapshot();
    for (const RunRow& run : snapshot->runs) {
        for (const ExportRow& done : run.exports) {
            past.append({&run, &done});
        }
    }
    std::stable_sort(past.begin(), past.end(), [](const auto& a, const auto& b) {
        return a.second->exportedAt > b.second->exportedAt;
    });
    for (const auto& [run, done] : past) {
        if (count == kMostPast) {
            m_past->addWords(tr("%1 older ones are in the folders of the runs.")
                                 .arg(formatCount(past.size() + m_done.size() - count)));
            break;
        }
        const QString path = QDir::cleanPath(QDir(run->folder).absoluteFilePath(done->path));
        add(done->exporter.isEmpty() ? run->displayName()
                                     : tr("%1 by “%2”").arg(run->displayName(), done->exporter),
            path, formatAgo(done->exportedAt));
    }
    if (count == 0) {
        m_past->setNothing(tr("What is exported is listed here."));
    }
}

void ExportPage::start()
{
    if (m_job != 0 || m_from->isEmpty()) {
        return;
    }
    m_facts = {};
    m_command = command();
    const QString run = m_from->run();
    m_job = session().jobs().run(
        tr("Exporting SavedModel of %1").arg(run), command(),
        [this, run](const JobRunner::Outcome& outcome) {
            m_job = 0;
            if (outcome.ok) {
                m_facts = exportFactsFromJson(outcome.json.object());
                if (!m_facts.path.isEmpty() && QDir::isRelativePath(m_facts.path)) {
                    m_facts.path = QDir(session().projectFolder()).filePath(m_facts.path);
                }
                m_done.prepend({run, m_facts.path});
                showStage(Stage::Done);
                session().runs().refresh();
            } else {
                showStage(outcome.cancelled ? Stage::Ready : Stage::Failed);
                if (!outcome.cancelled) {
                    m_strip->setMessage(Strip::Level::Error, tr("Nothing was exported."),
                                        outcome.sentence);
                }
            }
        });
    showStage(Stage::Running);
}

/// A read-only project takes no export; another folder does.
void ExportPage::refreshHindrance()
{
    const QDir project(session().projectFolder());
    const QString target = QDir::cleanPath(project.absoluteFilePath(m_folder->text()));
    const bool isInside = (target + '/').startsWith(project.absolutePath() + '/');
    setHindrance(m_export, session().isReadOnly() && isInside
                               ? tr("The project is read-only: choose a folder of your own to "
                                    "export to.")
                               : QString());
    if (m_stage == Stage::Running) {
        m_export->setEnabled(false);
    }
}

/// "Ready" and the signatures are of what was exported, not of what is asked for now.
void ExportPage::forgetOther()
{
    if ((m_stage == Stage::Done || m_stage == Stage::Failed) && command() != m_command) {
        m_facts = {};
        showStage(Stage::Ready);
    }
}

void ExportPage::refreshJob()
{
    if (m_job == 0) {
        return;
    }
    for (const Job& job : session().jobs().jobs()) {
        if (job.id == m_job) {
            m_progress->setFraction(job.progress);
            m_checkWords->setText(job.message.isEmpty() ? tr("Writing…") : job.message);
        }
    }
}

void ExportPage::showStage(Stage stage)
{
    m_stage = stage;
    const bool running = stage == Stage::Running;
    refreshHindrance();
    m_openFolder->setEnabled(stage == Stage::Done);
    m_progress->setVisible(running);
    m_progress->setFraction(-1);
    m_cancel->setVisible(running);
    m_strip->hide();
    clearLayout(m_checks);
    m_checkWords->setVisible(stage != Stage::Done);
    switch (stage) {
    case Stage::Ready:
        m_pill->setState(Pill::Kind::Neutral, "clock", tr("Not yet"));
        m_checkWords->setText(tr("After writing, the SavedModel is read back and its predictions "
                                 "are compared with the checkpoint's."));
        break;
    case Stage::Running:
        m_pill->setState(Pill::Kind::Accent, "player-play", tr("Working"));
        m_checkWords->setText(tr("Writing…"));
        break;
    case Stage::Done:
        break;
    case Stage::Failed:
        m_pill->setState(Pill::Kind::Error, "alert-circle", tr("Failed"));
        m_checkWords->setText(tr("No folder was left behind."));
        break;
    }
    showFacts();
}

void ExportPage::addCheck(bool ok, const QString& what, const QString& detail)
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

void ExportPage::showFacts()
{
    m_signatures->setVisible(!m_facts.signatures.isEmpty());
    if (m_stage != Stage::Done) {
        return;
    }
    const bool ok = m_facts.isVerified();
    m_pill->setState(ok ? Pill::Kind::Ok : Pill::Kind::Warn, ok ? "check" : "alert-triangle",
                     ok ? tr("Ready") : tr("Not compared"));
    addCheck(true, tr("Reloaded from the written files"),
             m_facts.bytes > 0 ? formatBytes(m_facts.bytes) : QString());
    if (m_facts.verifiedRows > 0) {
        addCheck(ok,
                 tr("%1 of %2 predictions agree")
                     .arg(formatCount(m_facts.equalRows), formatCount(m_facts.verifiedRows)),
                 tr("greatest difference %1").arg(formatNumber(m_facts.maxDifference, 2)));
    }
    addCheck(true, QDir(session().projectFolder()).relativeFilePath(m_facts.path), {});
    QStringList names;
    for (const SignatureFacts& signature : m_facts.signatures) {
        names.append(signature.name);
    }
    if (!names.isEmpty()) {
        m_signatureChoice->setLabels(names);
        const int best = static_cast<int>(qMax(qsizetype(0), names.indexOf("predict")));
        m_signatureChoice->setCurrentIndex(best);
        showSignature(best);
    }
    refreshPast();
}

void ExportPage::showSignature(int index)
{
    if (index >= 0 && index < m_facts.signatures.size()) {
        m_model->setSignature(m_facts.signatures[index]);
        m_method->setText(m_facts.signatures[index].method);
    }
}

} // namespace cannery::ui
