// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/runs/run_watch_list.h"

#include "ui/services/runs/series_store.h"

#include <algorithm>

namespace cannery::ui {

void RunWatchList::apply(const QString& run) const
{
    const bool isWatched =
        std::any_of(m_watched.begin(), m_watched.end(),
                    [&](const QSet<QString>& runs) { return runs.contains(run); });
    m_series->setWatched(run, isWatched);
}

void RunWatchList::setRuns(const QList<RunRow>& runs)
{
    QSet<QString> gone(m_folders.keyBegin(), m_folders.keyEnd());
    for (const RunRow& run : runs) {
        gone.remove(run.name);
        if (!m_folders.contains(run.name)) {
            m_folders.insert(run.name, run.folder);
            m_series->addRun(run.name, run.folder);
            apply(run.name);
        }
        const double steps = run.stepsPerEpoch();
        if (m_stepsPerEpoch.value(run.name) != steps) {
            m_stepsPerEpoch.insert(run.name, steps);
            m_series->setStepsPerEpoch(run.name, steps);
        }
    }
    for (const QString& run : std::as_const(gone)) {
        m_series->removeRun(run);
        m_folders.remove(run);
        m_stepsPerEpoch.remove(run);
    }
}

void RunWatchList::watch(const QString& who, const QSet<QString>& runs)
{
    const QSet<QString> before = m_watched.value(who);
    m_watched.insert(who, runs);
    for (const QString& run : before + runs) {
        if (m_folders.contains(run) && before.contains(run) != runs.contains(run)) {
            apply(run);
        }
    }
}

void RunWatchList::clear()
{
    setRuns({});
    m_watched.clear();
}

} // namespace cannery::ui
