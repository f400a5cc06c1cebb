// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/runs/run_mistakes.h"

#include "ui/document/experiment_reading.h"
#include "ui/editing/experiment_facts.h"
#include "ui/models/formats.h"
#include "ui/models/pictures/mistaken_pictures.h"
#include "ui/services/job_runner.h"
#include "ui/services/runs/run_files.h"
#include "ui/widgets/label.h"
#include "ui/widgets/pictures/picture_grid.h"
#include "ui/widgets/style/theme.h"

#include <QDir>
#include <QFileInfo>
#include <QPointer>
#include <QVBoxLayout>

#include <utility>

namespace cannery::ui {

RunMistakes::RunMistakes(JobRunner& jobs, QWidget* parent)
    : QWidget(parent), m_jobs(&jobs), m_state(new Label({}, TextRole::Label, Ink::Secondary)),
      m_model(new MistakenPicturesModel(this)), m_grid(new PictureGrid)
{
    setObjectName("run_mistakes");
    m_state->setObjectName("label.mistakes_state");
    m_state->setWordWrap(true);
    m_grid->setObjectName("grid.mistakes");
    m_grid->setAccessibleName(tr("Pictures that the model mistakes"));
    m_grid->setModel(m_model);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(12));
    column->addWidget(m_state);
    column->addWidget(m_grid, 1);
    column->addStretch();
    m_grid->hide();
    connect(m_model, &QAbstractItemModel::modelReset, this,
            [this] { m_grid->setVisible(m_model->rowCount() > 0); });
    connect(m_grid, &PictureGrid::opened, this, &RunMistakes::pictureOpened);
}

void RunMistakes::showRun(const RunRow& run)
{
    if (run.folder != m_run.folder) {
        m_model->setPictures({}, {});
        showMessage({});
    }
    m_run = run;
    if (isVisible()) {
        ask();
    }
}

void RunMistakes::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    ask();
}

/// Once for each checkpoint.
void RunMistakes::ask()
{
    const qint64 step = m_run.checkpoints.isEmpty() ? -1 : m_run.checkpoints.last().step;
    const QString asked = QStringLiteral("%1@%2").arg(m_run.folder).arg(step);
    if (m_run.folder.isEmpty() || std::exchange(m_asked, asked) == asked) {
        return;
    }
    readRunFiles(m_run.folder, this, [this, asked](const RunFilesRead& files) {
        if (asked == m_asked) {
            take(ExperimentFacts::of(readExperiment(files.experiment.toUtf8(), {})->root));
        }
    });
}

void RunMistakes::take(const ExperimentFacts& facts)
{
    m_isEvaluated = !facts.evalPictures.isEmpty();
    const QString pictures = m_isEvaluated ? facts.evalPictures : facts.trainPictures;
    if (pictures.isEmpty()) {
        showMessage(
            tr("Mistakes are shown of classifiers of pictures, and this run reads a table."));
    } else if (m_run.checkpoints.isEmpty()) {
        showMessage(tr("This run has no checkpoint yet."));
    } else {
        // Its paths begin at the project, and the run is in <project>/runs.
        const QDir project(m_run.folder + QStringLiteral("/../.."));
        m_folder = QDir::cleanPath(project.absoluteFilePath(pictures));
        predict();
    }
}

void RunMistakes::predict()
{
    if (m_model->rowCount() == 0) {
        showMessage(tr("Looking at the pictures…"));
    }
    const QFileInfo run(m_run.folder);
    m_jobs->run(tr("Looking for mistakes of %1").arg(run.fileName()),
                {.arguments = {QStringLiteral("predict"), run.fileName(), QStringLiteral("--input"),
                               m_folder, QStringLiteral("--format"), QStringLiteral("jsonl")},
                 .folder = run.path(),
                 .machineArguments = {QStringLiteral("--progress"), QStringLiteral("json")}},
                [this, alive = QPointer<QObject>(this),
                 asked = m_asked](const JobRunner::Outcome& outcome) {
                    if (!alive || asked != m_asked || outcome.cancelled) {
                        return;
                    }
                    if (outcome.ok) {
                        take(mistakesOf(outcome.output));
                    } else {
                        m_model->setPictures({}, {});
                        showMessage(outcome.sentence, true);
                    }
                });
}

void RunMistakes::take(const PictureMistakes& mistakes)
{
    if (!mistakes.hasPaths) {
        m_model->setPictures({}, {});
        showMessage(tr("The predictions of this run do not name their pictures: add key_column: "
                       "\"path\" to the data, and train again."));
        return;
    }
    m_model->setPictures(m_folder, mistakes.worst);
    const QString of = m_isEvaluated ? tr("%1 of the %2 pictures to evaluate on")
                                     : tr("%1 of the %2 pictures that it was trained on");
    QString sentence = of.arg(formatCount(mistakes.mistaken), formatCount(mistakes.pictures)) +
                       tr(" are taken for another class than that of their folder.");
    if (mistakes.worst.size() < mistakes.mistaken) {
        sentence += tr(" The %1 most confident ones:").arg(formatCount(mistakes.worst.size()));
    }
    showMessage(sentence);
}

void RunMistakes::showMessage(const QString& sentence, bool isProblem)
{
    m_state->setInk(isProblem ? Ink::Error : Ink::Secondary);
    m_state->setText(sentence);
    m_state->setVisible(!sentence.isEmpty());
}

} // namespace cannery::ui
