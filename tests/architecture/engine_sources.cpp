// SPDX-License-Identifier: Apache-2.0
#include "tests/architecture/engine_sources.h"

#include <QDirIterator>
#include <QFile>

namespace cannery::tests {

QList<SourceText> engineSources()
{
    return sourcesBelow({"app/cannery", "app/predict_library", "core", "kernels", "storage"});
}

QList<SourceText> sourcesBelow(const QStringList& rooms)
{
    const QString root = QStringLiteral(CANNERY_SOURCE_DIR) + "/";
    QList<SourceText> sources;
    for (const QString& room : rooms) {
        QDirIterator files(root + room, {"*.h", "*.cpp"}, QDir::Files,
                           QDirIterator::Subdirectories);
        while (files.hasNext()) {
            QFile file(files.next());
            if (!file.open(QIODevice::ReadOnly)) {
                qFatal("cannot read %s", qPrintable(file.fileName()));
            }
            sources.append({file.fileName().mid(root.size()), QString::fromUtf8(file.readAll())});
        }
    }
    return sources;
}

} // namespace cannery::tests
