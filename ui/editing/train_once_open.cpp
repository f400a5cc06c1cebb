// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editing/train_once_open.h"

#include "ui/document/experiment_document.h"
#include "ui/services/projects/project_session.h"

namespace cannery::ui {

TrainOnceOpen::TrainOnceOpen(ProjectSession& session, QObject* parent)
    : QObject(parent), m_session(&session)
{
    connect(&session.project(), &OpenProject::changed, this, &TrainOnceOpen::look);
    connect(&session.starter(), &RunStarter::readinessChanged, this, &TrainOnceOpen::look);
    connect(&session, &ProjectSession::failed, this, [this](const QString& sentence) {
        if (m_isWaiting) {
            forget();
            Q_EMIT failed(sentence);
        }
    });
}

void TrainOnceOpen::expect(const QString& experiment)
{
    m_isWaiting = true;
    m_experiment = experiment;
    m_folderBefore = m_session->project().folder();
}

void TrainOnceOpen::forget()
{
    m_isWaiting = false;
    m_experiment.clear();
}

bool TrainOnceOpen::isThere() const
{
    const ExperimentDocument& document = m_session->document();
    if (!m_session->project().isOpen() || m_session->project().isOpening() || !document.isOpen() ||
        document.isLoading()) {
        return false;
    }
    const QString folder = m_session->project().folder();
    return m_experiment.isEmpty() ? folder != m_folderBefore && document.file().startsWith(folder)
                                  : document.file() == m_experiment;
}

void TrainOnceOpen::look()
{
    if (m_isWaiting && isThere() && m_session->starter().hindrance().isEmpty() &&
        !m_session->starter().commands().train().isEmpty()) {
        forget();
        m_session->starter().train();
        Q_EMIT begun();
    }
}

} // namespace cannery::ui
