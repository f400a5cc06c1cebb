// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/projects/window_recovery.h"

#include "ui/document/experiment_document.h"
#include "ui/services/projects/open_project.h"
#include "ui/services/projects/settings.h"

namespace cannery::ui {
namespace {

/// The settings key of the window's last project.
const auto kLastProject = QStringLiteral("session/last");

} // namespace

WindowRecovery::WindowRecovery(OpenProject& project, ExperimentDocument& document,
                               Settings& settings, QObject* parent)
    : QObject(parent), m_project(project), m_settings(settings)
{
    connect(&m_window, &WindowSession::found, this, [this] {
        if (!m_window.lost().isEmpty()) {
            Q_EMIT found();
        }
    });
    connect(&m_project, &OpenProject::taken, this, [this](const ProjectTarget& target) {
        if (target.kind == ProjectTarget::Kind::Nothing) {
            m_window.noteClosed();
            noteLast({});
            return;
        }
        // Marked before it is read: a project whose reading crashes the window must not be opened
        // by the next start.
        m_window.noteOpening(target.folder, target.experimentFile, m_project.isEventFolder());
        forgetLost(target.folder);
        noteLast(target.experimentFile.isEmpty() ? target.folder : target.experimentFile);
    });
    connect(&m_project, &OpenProject::opened, this, [this] { m_window.noteOpened(); });
    connect(&m_project, &OpenProject::notOpened, this, [this](Opening why) {
        if (why == Opening::Restored) {
            Q_EMIT nothingRestored();
        }
    });
    connect(&document, &ExperimentDocument::moved, this, [this, &document] {
        m_window.noteOpening(m_project.folder(), document.file(), m_project.isEventFolder());
        m_window.noteOpened();
        noteLast(document.file());
    });
}

void WindowRecovery::restoreLast()
{
    connect(
        &m_window, &WindowSession::found, this,
        [this] {
            const QString last = m_settings.value(kLastProject).toString();
            // Opened meanwhile, by the command line or the user.
            if (m_project.isOpen() || m_project.isOpening()) {
                return;
            }
            if (m_window.lost().isEmpty() && !last.isEmpty()) {
                m_project.open(last, Opening::Restored);
            } else {
                Q_EMIT nothingRestored();
            }
        },
        Qt::SingleShotConnection);
    m_window.findLost();
}

void WindowRecovery::findLost()
{
    m_window.findLost();
}

const QList<LostWindow>& WindowRecovery::lost() const
{
    return m_window.lost();
}

void WindowRecovery::openLost(const QString& project)
{
    for (const LostWindow& window : m_window.lost()) {
        if (window.project == project) {
            m_project.open(window.experimentFile.isEmpty() ? window.project
                                                           : window.experimentFile);
            return;
        }
    }
}

void WindowRecovery::forgetLost(const QString& project)
{
    const qsizetype before = m_window.lost().size();
    m_window.forget(project);
    if (m_window.lost().size() != before) {
        Q_EMIT found();
    }
}

void WindowRecovery::noteLast(const QString& target)
{
    m_settings.setValue(kLastProject, target.isEmpty() ? QVariant() : QVariant(target));
}

} // namespace cannery::ui
