// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/predict_dialog.h"

#include "ui/document/experiment_document.h"
#include "ui/document/table_files.h"
#include "ui/editing/experiment_facts.h"
#include "ui/models/formats.h"
#include "ui/pages/checkpoint_choice.h"
#include "ui/services/job_runner.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/widgets/label.h"
#include "ui/widgets/progress_bar.h"
#include "ui/widgets/style/theme.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QJsonObject>
#include <QLineEdit>
#include <QPointer>

namespace cannery::ui {

PredictDialog::PredictDialog(ProjectSession& session, QWidget* parent)
    : Dialog(tr("Predict File"), parent), m_session(&session), m_from(new CheckpointChoice),
      m_words(new Label({}, TextRole::Label, Ink::Secondary)), m_progress(new ProgressBar)
{
    setObjectName("dialog.predict");
    const bool readsPictures =
        !ExperimentFacts::of(session.document().root()).trainPictures.isEmpty();
    setSentence(readsPictures
                    ? tr("Writes a model's predictions for every picture of a folder to a file.")
                    : tr("Writes a model's predictions for every row of a table to another file."));
    setContentWidth(520);
    m_from->setRuns(session.runs().snapshot());
    body()->addWidget(new Label(tr("Model"), TextRole::Label, Ink::Secondary));
    body()->addWidget(m_from);
    m_input = readsPictures
                  ? addFileField(tr("Pictures from"), "field.predict_input", Choice::Folder)
                  : addFileField(tr("Rows from"), "field.predict_input", Choice::Table);
    m_output = addFileField(tr("Write to"), "field.predict_output", Choice::NewFile);
    m_words->setObjectName("label.predict");
    m_words->setWordWrap(true);
    m_progress->setObjectName("progress.predict");
    m_progress->setAccessibleName(tr("Progress of the prediction"));
    m_progress->hide();
    body()->addWidget(m_progress);
    body()->addWidget(m_words);
    m_open = addButton(Button::Kind::Quiet, tr("Show in Folder"), keepsOpen);
    addButton(Button::Kind::Plain, tr("Close"), QDialog::Rejected)->setObjectName("button.close");
    m_predict = addButton(Button::Kind::Primary, tr("Predict"), keepsOpen, true);
    m_predict->setObjectName("button.predict");
    m_open->hide();
    connect(m_open, &QPushButton::clicked, this, [this] {
        const QDir project(m_session->project().folder());
        m_session->showOutside(
            QFileInfo(project.absoluteFilePath(m_output->text())).absolutePath());
    });
    connect(m_predict, &QPushButton::clicked, this, &PredictDialog::start);
    connect(m_input, &QLineEdit::textChanged, this, [this](const QString& file) {
        // A proposal, until somebody chooses another file.
        if (!file.isEmpty() && !m_output->isModified()) {
            const QFileInfo info(file);
            m_output->setText(info.path() + '/' + info.completeBaseName() + "_predictions.csv");
        }
        refreshButtons();
    });
    connect(m_output, &QLineEdit::textChanged, this, &PredictDialog::refreshButtons);
    connect(&session.jobs(), &JobRunner::changed, this, &PredictDialog::refreshJob);
    refreshButtons();
}

PredictDialog::~PredictDialog() = default;

QLineEdit* PredictDialog::addFileField(const QString& label, const QString& name, Choice what)
{
    auto* field = new QLineEdit;
    field->setObjectName(name);
    field->setAccessibleName(label);
    auto* choose = new Button(Button::Kind::Plain, tr("Choose…"));
    choose->setObjectName(
        QString(name).replace(QLatin1String("field."), QLatin1String("button.choose_")));
    choose->setAccessibleName(tr("Choose %1").arg(label));
    choose->setAutoDefault(false);
    connect(choose, &QPushButton::clicked, this, [this, field, what] {
        auto* dialog = new QFileDialog(this);
        const bool forWriting = what == Choice::NewFile;
        dialog->setAcceptMode(forWriting ? QFileDialog::AcceptSave : QFileDialog::AcceptOpen);
        if (what == Choice::Folder) {
            dialog->setFileMode(QFileDialog::Directory);
        }
        dialog->setObjectName("dialog.predict_file");
        dialog->setNameFilter(forWriting ? tr("CSV (*.csv)") : tableFileFilters());
        dialog->setDirectory(m_session->project().folder());
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        connect(dialog, &QFileDialog::fileSelected, field, [field](const QString& file) {
            field->setText(file);
            field->setModified(true); // as if typed: a name that is proposed does not replace it
        });
        dialog->open();
    });
    body()->addWidget(new Label(label, TextRole::Label, Ink::Secondary));
    auto* line = new QHBoxLayout;
    line->addWidget(field, 1);
    line->addWidget(choose);
    body()->addLayout(line);
    return field;
}

void PredictDialog::chooseRun(const QString& run)
{
    m_from->chooseRun(run);
}

void PredictDialog::setInput(const QString& file)
{
    m_input->setText(file);
}

CommandLine PredictDialog::command() const
{
    return {.arguments = {"predict", m_from->run(), "--checkpoint", m_from->checkpoint(), "--input",
                          m_input->text(), "--output", m_output->text(), "--force"},
            .folder = m_session->project().folder(),
            .machineArguments = {"--json", "--progress", "json"}};
}

void PredictDialog::refreshButtons()
{
    const bool can = m_job == 0 && !m_from->isEmpty() && !m_input->text().isEmpty() &&
                     !m_output->text().isEmpty();
    m_predict->setEnabled(can);
    if (m_from->isEmpty()) {
        m_words->setText(tr("No run in this project has a checkpoint yet."));
    }
}

void PredictDialog::start()
{
    m_open->hide();
    m_progress->setFraction(-1);
    m_progress->show();
    m_words->setText(tr("Reading rows…"));
    m_job = m_session->jobs().run(
        tr("Predicting %1").arg(QFileInfo(m_input->text()).fileName()), command(),
        [guard = QPointer<PredictDialog>(this)](const JobRunner::Outcome& outcome) {
            if (!guard) {
                return;
            }
            PredictDialog& dialog = *guard;
            dialog.m_job = 0;
            dialog.m_progress->hide();
            dialog.m_open->setVisible(outcome.ok);
            const qint64 rows = outcome.json.object().value("rows").toInteger(-1);
            dialog.m_words->setText(outcome.cancelled ? tr("Cancelled; nothing was written.")
                                    : !outcome.ok     ? outcome.sentence
                                    : rows >= 0 ? tr("Rows predicted: %1.").arg(formatCount(rows))
                                                : tr("All rows predicted."));
            dialog.refreshButtons();
        });
    refreshButtons();
}

void PredictDialog::refreshJob()
{
    for (const Job& job : m_session->jobs().jobs()) {
        if (m_job != 0 && job.id == m_job) {
            m_progress->setFraction(job.progress);
            if (!job.message.isEmpty()) {
                m_words->setText(job.message);
            }
        }
    }
}

// Closing cancels: nobody would see the result.
void PredictDialog::reject()
{
    if (m_job != 0) {
        m_session->jobs().cancel(m_job);
        return;
    }
    Dialog::reject();
}

} // namespace cannery::ui
