// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editing/run_difference.h"

#include "ui/document/background.h"
#include "ui/document/experiment_document.h"
#include "ui/models/formats.h"
#include "ui/models/runs/run_snapshot.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/services/runs/run_files.h"

#include <algorithm>
#include <chrono>

namespace cannery::ui {
namespace {

/// Comparing takes milliseconds, but not between two keys.
constexpr std::chrono::milliseconds kUntilCompared{100};

/// The run to compare with; null if there is none.
const RunRow* runBefore(const ProjectSnapshot& runs, const QString& experiment,
                        const QString& copiedFrom)
{
    const auto newest = [&](auto isIt) -> const RunRow* {
        const auto found = std::find_if(runs.runs.begin(), runs.runs.end(), [&](const RunRow& run) {
            return !run.trashed && !run.isForeign && isIt(run);
        });
        return found == runs.runs.end() ? nullptr : &*found;
    };
    const RunRow* own = newest([&](const RunRow& run) { return run.experimentFile == experiment; });
    if (own != nullptr) {
        return own;
    }
    const RunRow* origin = runs.find(copiedFrom);
    return origin != nullptr ? origin : newest([](const RunRow&) { return true; });
}

} // namespace

RunDifference::RunDifference(ProjectSession& session, QObject* parent)
    : QObject(parent), m_session(&session)
{
    m_pool.setMaxThreadCount(1);
    m_soon.setSingleShot(true);
    m_soon.setInterval(kUntilCompared);
    connect(&m_soon, &QTimer::timeout, this, &RunDifference::compare);
    connect(&session.document(), &ExperimentDocument::changed, this, [this] {
        follow();
        m_soon.start();
    });
    connect(&session.runs(), &RunCatalog::snapshotChanged, this, &RunDifference::follow);
    follow();
}

RunDifference::~RunDifference()
{
    m_pool.waitForDone();
}

void RunDifference::follow()
{
    const ProjectSnapshotPtr runs = m_session->runs().snapshot();
    const ExperimentDocument& document = m_session->document();
    const RunRow* run =
        document.isOpen() ? runBefore(*runs, document.file(), m_session->experiments().copiedFrom())
                          : nullptr;
    m_run = run == nullptr ? QString() : run->displayName();
    const QString folder = run == nullptr ? QString() : run->folder;
    if (folder != m_folder) {
        m_folder = folder;
        m_frozen.clear();
        show({}, {});
        if (!folder.isEmpty()) {
            read(folder);
        }
    }
}

void RunDifference::read(const QString& folder)
{
    readRunFiles(folder, this, [this, folder](const RunFilesRead& files) {
        if (folder == m_folder) {
            m_frozen = files.experiment;
            compare();
        }
    });
}

void RunDifference::compare()
{
    if (m_frozen.isEmpty()) {
        return;
    }
    const quint64 number = ++m_compared;
    inBackground(
        m_pool, this,
        [frozen = m_frozen.toUtf8(), text = m_session->document().text().toUtf8()] {
            return changesSinceRun(frozen, text);
        },
        [this, number, run = m_run](const QList<ExperimentChange>& changes) {
            if (number == m_compared && !m_frozen.isEmpty()) {
                show(run, changes);
            }
        });
}

void RunDifference::show(const QString& run, const QList<ExperimentChange>& changes)
{
    if (run != m_shownRun || changes != m_changes) {
        m_shownRun = run;
        m_changes = changes;
        Q_EMIT changed();
    }
}

QString RunDifference::formerly(const QString& path) const
{
    const auto found =
        std::find_if(m_changes.begin(), m_changes.end(),
                     [&](const ExperimentChange& change) { return change.path == path; });
    if (found == m_changes.end()) {
        return {};
    }
    return found->before.isEmpty() ? tr("Not set in %1.").arg(m_shownRun)
                                   : tr("%1 in %2.").arg(formatWritten(found->before), m_shownRun);
}

} // namespace cannery::ui
