// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QList>
#include <QString>

namespace cannery::tests {

struct SourceText
{
    QString path; ///< "core/base/check.cpp"
    QString text;
};

/// Every header and source of the engine and the command line. Aborts if one cannot be read.
QList<SourceText> engineSources();

} // namespace cannery::tests
