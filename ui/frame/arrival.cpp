// SPDX-License-Identifier: GPL-3.0-only
#include "ui/frame/arrival.h"

#include <algorithm>

namespace cannery::ui {

QString placeAfter(Opening why, bool isEventFolder, const ProjectSnapshot& runs)
{
    if (isEventFolder) {
        return QStringLiteral("runs");
    }
    switch (why) {
    case Opening::Restored:
    case Opening::Switched:
        return {};
    case Opening::Created:
        return QStringLiteral("data");
    case Opening::Duplicated:
        return QStringLiteral("model");
    case Opening::Sample:
        return QStringLiteral("train");
    case Opening::Chosen:
        break;
    }
    const bool trains = std::any_of(runs.runs.begin(), runs.runs.end(), [](const RunRow& run) {
        return !run.trashed && isLive(run.state);
    });
    const bool hasRuns = std::any_of(runs.runs.begin(), runs.runs.end(),
                                     [](const RunRow& run) { return !run.trashed; });
    return trains    ? QStringLiteral("train")
           : hasRuns ? QStringLiteral("runs")
                     : QStringLiteral("data");
}

} // namespace cannery::ui
