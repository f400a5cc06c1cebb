// SPDX-License-Identifier: Apache-2.0
#include "tests/benchmarks/programs/opened_experiment.h"

#include "ui/document/experiment_document.h"

#include <QCoreApplication>
#include <QEventLoop>
#include <QFile>

namespace cannery::benchmarks {

bool openExperiment(ui::ExperimentDocument& document, const QString& path, const QByteArray& text)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(text) < 0) {
        return false;
    }
    file.close();
    document.open(path);
    while (document.isLoading()) {
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    }
    return true;
}

} // namespace cannery::benchmarks
