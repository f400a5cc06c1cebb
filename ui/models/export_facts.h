// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QList>
#include <QString>

class QJsonObject;

namespace cannery::ui {

struct TensorFacts
{
    QString name;
    QString type;  ///< "float32"
    QString shape; ///< "[batch, 1]"
};

struct SignatureFacts
{
    QString name;   ///< "predict"
    QString method; ///< "tensorflow/serving/predict"
    QList<TensorFacts> inputs;
    QList<TensorFacts> outputs;
};

/// What `cannery export` wrote, and the result of its check.
struct ExportFacts
{
    QString path;
    qint64 bytes = 0;
    QList<SignatureFacts> signatures;
    int verifiedRows = 0;
    int equalRows = 0;
    double maxDifference = 0;

    bool isVerified() const { return verifiedRows > 0 && equalRows == verifiedRows; }
};

/// From the JSON of `cannery export RUN --json`.
ExportFacts exportFactsFromJson(const QJsonObject& json);

} // namespace cannery::ui
