// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/metric_names.h"

#include <QCoreApplication>
#include <QHash>

namespace cannery::ui {
namespace {

QString metricText(const char* text)
{
    return QCoreApplication::translate("MetricNames", text);
}

/// Names that stay as they are within a sentence; empty for any other.
QString fixedName(const QString& metric)
{
    static const QHash<QString, QString> kKnown{
        {QStringLiteral("auc"), QStringLiteral("AUC")},
        {QStringLiteral("auc_precision_recall"), QStringLiteral("AUC PR")},
        {QStringLiteral("cannery/rmse"), QStringLiteral("RMSE")},
        {QStringLiteral("cannery/mae"), QStringLiteral("MAE")},
        {QStringLiteral("cannery/r2"), QStringLiteral("R²")},
        {QStringLiteral("cannery/rmse_baseline"), metricText("RMSE of guessing the mean")}};
    return kKnown.value(metric);
}

QString wordOf(const QString& metric)
{
    if (const QString fixed = fixedName(metric); !fixed.isEmpty()) {
        return fixed;
    }
    if (metric == QLatin1String("cannery/accuracy_baseline")) {
        return metricText("accuracy of guessing the commonest class");
    }
    if (metric == QLatin1String("prediction/mean")) {
        return metricText("mean prediction");
    }
    if (metric == QLatin1String("label/mean")) {
        return metricText("mean label");
    }
    return metric.contains('/') ? metric : QString(metric).replace('_', ' ');
}

} // namespace

QString metricWord(const QString& metric)
{
    const qsizetype slash = metric.indexOf('/');
    if (!metric.startsWith(QLatin1String("eval_")) || slash < 0) {
        return wordOf(metric);
    }
    return metricText("%1, %2").arg(wordOf(metric.mid(slash + 1)), metric.mid(5, slash - 5));
}

QString metricName(const QString& metric)
{
    const QString word = metricWord(metric);
    const bool isKept = word.isEmpty() || (word == metric && metric.contains('/'));
    return isKept ? word : word.left(1).toUpper() + word.mid(1);
}

} // namespace cannery::ui
