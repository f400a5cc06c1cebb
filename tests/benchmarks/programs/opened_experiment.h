// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QString>

namespace cannery::ui {
class ExperimentDocument;
}

namespace cannery::benchmarks {

/// Writes an experiment to a file and opens it; returns once it is read. False: the file cannot be
/// written.
bool openExperiment(ui::ExperimentDocument& document, const QString& path, const QByteArray& text);

} // namespace cannery::benchmarks
