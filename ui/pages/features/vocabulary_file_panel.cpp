// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/features/vocabulary_file_panel.h"

#include "ui/document/experiment_document.h"
#include "ui/document/experiment_file.h"
#include "ui/editing/offer_source.h"
#include "ui/pages/page_parts.h"
#include "ui/services/job_runner.h"
#include "ui/services/projects/project_session.h"
#include "ui/widgets/button.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/label.h"
#include "ui/widgets/style/theme.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QPointer>
#include <QVBoxLayout>

#include <utility>

namespace cannery::ui {

namespace {

constexpr char kFileField[] = "vocabulary_file";
constexpr char kSizeField[] = "vocabulary_size";

/// A name that no file of the folder has. Not the one that is named already: a column that names
/// its file anew is read anew, and undo brings the other one back.
QString freeFileName(const QDir& folder, const QString& feature, const QString& named)
{
    QString what = QStringLiteral("_words");
    QString name = vocabularyFileName(feature, what);
    for (int i = 2; folder.exists(name) || name == named; ++i) {
        name = vocabularyFileName(feature, what + u'_' + QString::number(i));
    }
    return name;
}

} // namespace

VocabularyFilePanel::VocabularyFilePanel(ProjectSession& session, QWidget* parent)
    : QWidget(parent), m_session(session), m_words(new Label({}, TextRole::Label, Ink::Secondary)),
      m_locate(new Button(Button::Kind::Plain, tr("Locate…"))),
      m_rebuild(new Button(Button::Kind::Plain, tr("Rebuild From Data")))
{
    setObjectName("panel.vocabulary_file");
    setAccessibleName(tr("Vocabulary file"));
    m_words->setObjectName("words.vocabulary_file");
    m_words->setWordWrap(true);
    m_locate->setObjectName("button.locate_vocabulary");
    m_rebuild->setObjectName("button.rebuild_vocabulary");
    auto* buttons = new QWidget;
    auto* flow = new FlowLayout(buttons, 8);
    flow->addWidget(m_locate);
    flow->addWidget(m_rebuild);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(6));
    column->addWidget(m_words);
    column->addWidget(buttons);
    connect(m_locate, &QPushButton::clicked, this, &VocabularyFilePanel::locate);
    connect(m_rebuild, &QPushButton::clicked, this, &VocabularyFilePanel::rebuild);
    connect(&session.document(), &ExperimentDocument::problemsChanged, this,
            &VocabularyFilePanel::refresh);
}

QString VocabularyFilePanel::written(const char* field) const
{
    return m_session.document().value(m_path + '.' + QLatin1String(field));
}

void VocabularyFilePanel::setColumn(const QString& kindPath, const QString& problem)
{
    // What failed, failed for the column before.
    if (kindPath != std::exchange(m_path, kindPath)) {
        m_failure.clear();
    }
    m_problem = problem;
    refresh();
}

void VocabularyFilePanel::refresh()
{
    const ExperimentDocument& document = m_session.document();
    QString problem = m_problem;
    for (const char* field : {kFileField, kSizeField}) {
        const ProblemRow* found = document.problems().at(m_path + '.' + QLatin1String(field));
        problem = found ? found->sentence : problem;
    }
    problem = m_failure.isEmpty() ? problem : m_failure;
    const QString key = written("key");
    m_words->setText(m_job != 0           ? tr("Reading the words of %1…").arg(key)
                     : !problem.isEmpty() ? problem
                                          : tr("The words are read from the file."));
    m_words->setInk(m_job == 0 && !problem.isEmpty() ? Ink::Error : Ink::Secondary);
    const QString hindrance = document.edits().hindrance();
    setHindrance(m_locate, hindrance, tr("Choose the file that lists the words, one per line."));
    setHindrance(m_rebuild,
                 !hindrance.isEmpty() ? hindrance
                 : key.isEmpty()      ? tr("Choose the feature first.")
                 : m_job != 0         ? tr("The words are being read.")
                                      : QString(),
                 tr("Write a new file with the words of %1 that the table has, the most frequent "
                    "one first.")
                     .arg(key));
}

void VocabularyFilePanel::locate()
{
    const QString experiment = m_session.document().file();
    auto* dialog = new QFileDialog(this, tr("Choose the Vocabulary"), QFileInfo(experiment).path());
    dialog->setObjectName("dialog.locate_vocabulary");
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::fileSelected, this, [this, experiment](const QString& chosen) {
        use(tr("Vocabulary from %1").arg(QFileInfo(chosen).fileName()),
            // As the experiment names it: relative to its folder where that is possible.
            ExperimentFile::nameIn(experiment, chosen));
    });
    dialog->open();
}

/// All words of the file: a number of another one would only be wrong.
void VocabularyFilePanel::use(const QString& title, const QString& file)
{
    const QString prefix = m_path + '.';
    QList<FieldEdit> edits{FieldEdit::set(prefix + QLatin1String(kFileField), quoted(file))};
    const FieldNode* size = m_session.document().field(prefix + QLatin1String(kSizeField));
    if (size && !size->isDefault) {
        edits.append(FieldEdit::remove(size->path));
    }
    m_session.document().apply(title, edits);
}

void VocabularyFilePanel::rebuild()
{
    const QFileInfo experiment(m_session.document().file());
    const QString key = written("key");
    const QString name = freeFileName(experiment.dir(), key, written(kFileField));
    m_failure.clear();
    m_job = m_session.jobs().run(
        tr("Writing the words of %1").arg(key),
        {.arguments = {QStringLiteral("preview"), experiment.fileName(), QStringLiteral("--words"),
                       key, QStringLiteral("--write"), name},
         .folder = experiment.path(),
         .machineArguments = {QStringLiteral("--json")}},
        [this, alive = QPointer<QObject>(this), path = m_path, file = experiment.filePath(), key,
         name](const JobRunner::Outcome& outcome) {
            if (!alive) {
                return;
            }
            m_job = 0;
            // Reading takes time: meanwhile another column, file or feature may have been chosen.
            const bool isStillHere =
                path == m_path && file == m_session.document().file() && key == written("key");
            if (outcome.ok && isStillHere) {
                use(tr("Rebuild the vocabulary of %1").arg(key), name);
            } else if (!outcome.cancelled && isStillHere) {
                m_failure = outcome.sentence;
            }
            refresh();
        });
    refresh();
}

} // namespace cannery::ui
