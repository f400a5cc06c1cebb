// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/device_facts.h"

#include "core/reports/machine.pb.h"
#include "ui/models/report_reader.h"

#include <QJsonObject>
#include <QRegularExpression>

namespace cannery::ui {

DeviceFacts deviceFactsFromJson(const QJsonObject& json)
{
    reports::Machine machine;
    readAnswer(json, machine);
    DeviceFacts facts{.processor = QString::fromStdString(machine.processor()),
                      .threads = machine.threads(),
                      .noGpu = QString::fromStdString(machine.no_gpu())};
    for (const reports::Gpu& gpu : machine.gpus()) {
        facts.gpus.append({.device = QString::fromStdString(gpu.device()),
                           .name = QString::fromStdString(gpu.name()),
                           .driver = QString::fromStdString(gpu.driver()),
                           .memoryBytes = gpu.memory_bytes(),
                           .freeBytes = gpu.free_bytes(),
                           .problem = QString::fromStdString(gpu.problem())});
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
