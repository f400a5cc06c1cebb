// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QList>
#include <QString>

#include <optional>

class QJsonObject;

namespace cannery::ui {

struct PlanLayer
{
    QString name;
    QString type;
    QString shape; ///< "32 × 64"
    qint64 parameters = 0;
};

/// What `cannery plan` reports about a model before training.
struct PlanFacts
{
    QList<PlanLayer> layers;
    qint64 parameters = -1;        ///< -1: unknown
    qint64 memoryBytes = -1;       ///< while training
    qint64 multiplyAdds = -1;      ///< for one row, forward
    std::optional<double> seconds; ///< for the whole run, estimated
    std::optional<double> secondsPerEpoch;
    qint64 trainRows = -1;
    int wideInputs = -1;
    int deepInputs = -1;

    bool isEmpty() const { return parameters < 0 && layers.isEmpty(); }
};

/// From the JSON of `cannery plan FILE --json`.
PlanFacts planFactsFromJson(const QJsonObject& plan);

} // namespace cannery::ui
