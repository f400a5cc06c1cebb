// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_snapshot.h"

#include <QWidget>

namespace cannery::ui {

struct ExperimentFacts;
struct PictureMistakes;
class JobRunner;
class Label;
class MistakenPicturesModel;
class PictureGrid;

/// The pictures that a run's last checkpoint takes for another class than that of their folder, the
/// most confident mistakes first: of the pictures to evaluate on, or, if there are none, of those
/// to train on. The engine predicts them once for each checkpoint, while this is shown. GUI thread.
class RunMistakes : public QWidget
{
    Q_OBJECT

public:
    explicit RunMistakes(JobRunner& jobs, QWidget* parent = nullptr);

    void showRun(const RunRow& run);
    MistakenPicturesModel& model() { return *m_model; }

Q_SIGNALS:
    void pictureOpened(const QString& file);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void ask();
    void predict();
    void take(const ExperimentFacts& facts);
    void take(const PictureMistakes& mistakes);
    void showMessage(const QString& sentence, bool isProblem = false);

    JobRunner* m_jobs;
    Label* m_state;
    MistakenPicturesModel* m_model;
    PictureGrid* m_grid;
    RunRow m_run;
    QString m_asked;            ///< run folder and step that the engine was asked about
    QString m_folder;           ///< of the pictures
    bool m_isEvaluated = false; ///< they are not those trained on
};

} // namespace cannery::ui
