// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/device_facts.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QRegularExpression>

namespace cannery::ui {

DeviceFacts deviceFactsFromJson(const QJsonObject& json)
{
    DeviceFacts facts{.processor = json.value("processor").toString(),
                      .threads = json.value("threads").toInt(),
                      .noGpu = json.value("no_gpu").toString()};
    for (const QJsonValue& value : json.value("gpus").toArray()) {
        facts.gpus.append({.device = value["device"].toString(),
                           .name = value["name"].toString(),
                           .driver = value["driver"].toString(),
                           .memoryBytes = value["memory_bytes"].toInteger(),
                           .freeBytes = value["free_bytes"].toInteger(),
                           .problem = value["problem"].toString()});
    }
    return facts;
}

QString plainDeviceName(const QString& device)
{
    QString name = device.section(u'/', -1);
    if (name.startsWith(QLatin1String("device:"), Qt::CaseInsensitive)) {
        name = name.section(u':', 1);
    }
    return name.contains(u':') ? name.toUpper() : name;
}

std::optional<qint64> proposedBatchSize(const QString& sentence)
{
    static const QRegularExpression kProposal(
        QStringLiteral(R"(\btrain_spec\.input\.batch_size: (\d{1,9})\b)"));
    const QRegularExpressionMatch match = kProposal.match(sentence);
    return match.hasMatch() ? std::optional(match.captured(1).toLongLong()) : std::nullopt;
}

} // namespace cannery::ui
