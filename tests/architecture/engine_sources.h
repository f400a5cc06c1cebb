// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QList>
#include <QString>
#include <QStringList>

namespace cannery::tests {

struct SourceText
{
    QString path; ///< "core/base/check.cpp"
    QString text;
};

/// Every header and source of the engine and the command line. Aborts if one cannot be read.
QList<SourceText> engineSources();
/// Those of some rooms: "ui/document".
QList<SourceText> sourcesBelow(const QStringList& rooms);

} // namespace cannery::tests
