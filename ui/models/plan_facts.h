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

/// What `cannery plan` says of a model before it is trained.
struct PlanFacts
{
    QList<PlanLayer> layers;
    qint64 parameters = -1;        ///< below 0: not known
    qint64 memoryBytes = -1;       ///< while training
    qint64 multiplyAdds = -1;      ///< of one row forward
    std::optional<double> seconds; ///< of the whole run, estimated
    std::optional<double> secondsPerEpoch;
    qint64 trainRows = -1;
    int wideInputs = -1;
    int deepInputs = -1;

    bool isEmpty() const { return parameters < 0 && layers.isEmpty(); }
};

/// Of the JSON of `cannery plan FILE --json`.
PlanFacts planFactsFromJson(const QJsonObject& plan);

} // namespace cannery::ui
