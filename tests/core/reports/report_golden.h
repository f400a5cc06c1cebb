// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArrayList>
#include <QFile>

namespace cannery::tests {

/// An answer in tests/golden/reports, without the end of its last line; empty if it is not there.
inline QByteArray goldenReport(const char* name)
{
    QFile file(QStringLiteral(CANNERY_SOURCE_DIR "/tests/golden/reports/") + QLatin1String(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll().trimmed() : QByteArray();
}

/// One that is a JSON object a line.
inline QByteArrayList goldenLines(const char* name)
{
    return goldenReport(name).split('\n');
}

} // namespace cannery::tests
