// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/tables/column_facts.h"

#include <QByteArray>
#include <QHash>
#include <QList>
#include <QString>

#include <optional>

class QJsonObject;

namespace cannery::ui {

/// A kind of model that `cannery new` could choose.
struct ModelKindFacts
{
    QString family;             ///< "dnn_linear_combined": an option of `cannery new`
    QString estimator;          ///< "dnn_linear_combined_classifier"
    std::optional<double> loss; ///< on rows that it did not learn from, if it was tried
};

/// What `cannery new` says about a table.
struct NewFacts
{
    QString guess;         ///< a column; may be empty
    double confidence = 0; ///< 0 … 1
    QString guessReason;   ///< a sentence
    QString task;          ///< "binary classification"; empty if there is no label to predict
    QString problem;       ///< the first one, a sentence
    DataFacts table;
    qint64 rows = 0;
    QByteArray text; ///< the experiment

    // Columns by name, each with a remark.
    QHash<QString, QString> leftOut;
    QHash<QString, QString> taken;
    QHash<QString, QString> warnings;

    QList<ModelKindFacts> kinds;
    QString chosen;                  ///< a family
    std::optional<double> guessLoss; ///< of guessing without any column
    std::optional<double> seconds;   ///< of the training
};

NewFacts newFactsFromJson(const QJsonObject& answer);

} // namespace cannery::ui
