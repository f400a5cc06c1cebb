// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QList>
#include <QString>

#include <optional>

class QJsonObject;

namespace cannery::ui {

/// A GPU of this machine.
struct GpuFacts
{
    QString device; ///< as an experiment names it: "GPU:0"
    QString name;   ///< "NVIDIA H100 80GB HBM3"
    QString driver;
    qint64 memoryBytes = 0;
    qint64 freeBytes = 0;
    QString problem; ///< why it cannot be used, a sentence; empty if it can

    bool operator==(const GpuFacts&) const = default;
};

/// What this machine can train on.
struct DeviceFacts
{
    QString processor; ///< empty if nothing is known yet
    int threads = 0;
    QList<GpuFacts> gpus;
    QString noGpu; ///< why none can be seen, a sentence; empty if there is one

    bool operator==(const DeviceFacts&) const = default;
};

/// From `cannery doctor --json`.
DeviceFacts deviceFactsFromJson(const QJsonObject& json);

/// "GPU:1" for "/device:gpu:1" and the other names that TensorFlow has for it; "auto" stays.
QString plainDeviceName(const QString& device);

/// The size of batch that an engine proposes because a GPU has too little memory, in its sentence:
/// "… It fits with train_spec.input.batch_size: 512."
std::optional<qint64> proposedBatchSize(const QString& sentence);

} // namespace cannery::ui
