// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/projects/experiment_origins.h"

#include "ui/models/runs/run_snapshot.h"
#include "ui/services/runs/run_catalog.h"

#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace cannery::ui {
namespace {

/// The view state that has the origins of copies: a run by the file's name, so that a project can
/// be moved as a whole.
const QString kOrigins = QStringLiteral("copied_from");

QJsonObject originsOf(const RunCatalog& runs)
{
    return QJsonDocument::fromJson(runs.viewState(kOrigins)).object();
}

} // namespace

QString ExperimentOrigins::copiedFrom(const QString& experiment) const
{
    return originsOf(m_runs).value(QFileInfo(experiment).fileName()).toString();
}

QString ExperimentOrigins::originOf(const QString& experiment) const
{
    const ProjectSnapshotPtr runs = m_runs.snapshot();
    // What it was trained as itself is nearer to it than what it was copied from.
    const auto own = std::find_if(runs->runs.begin(), runs->runs.end(), [&](const RunRow& run) {
        return !run.trashed && !run.isForeign && run.experimentFile == experiment;
    });
    return own != runs->runs.end() ? own->name : copiedFrom(experiment);
}

void ExperimentOrigins::note(const QString& experiment, const QString& run)
{
    QJsonObject origins = originsOf(m_runs);
    if (run.isEmpty()) {
        origins.remove(QFileInfo(experiment).fileName());
    } else {
        origins.insert(QFileInfo(experiment).fileName(), run);
    }
    m_runs.setViewState(kOrigins, QJsonDocument(origins).toJson());
}

void ExperimentOrigins::noteMoved(const QString& from, const QString& to)
{
    if (const QString origin = originOf(from); !origin.isEmpty()) {
        note(from, {});
        note(to, origin); // runs keep the former name
    }
}

} // namespace cannery::ui
