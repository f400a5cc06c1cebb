// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "tests/support/patience.h"
#include "ui/services/runs/series_store.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <cstdint>
#include <string>

#define WAIT_UNTIL(condition) QTRY_VERIFY_WITH_TIMEOUT(condition, cannery::tests::kPatience)

/// Shared by the tests of the series of runs.
namespace cannery::tests {

/// Run folders, deleted with the test class.
class RunFolders
{
public:
    /// A new empty folder.
    std::string makeRun()
    {
        const QString run = m_folder.filePath(QStringLiteral("run%1").arg(m_made++));
        [&] { QVERIFY(QDir().mkpath(run)); }();
        return run.toStdString();
    }
    QString filePath(const QString& name) const { return m_folder.filePath(name); }

private:
    QTemporaryDir m_folder;
    int m_made = 0;
};

/// The number of points of a series; 0 if it does not exist.
qsizetype sizeOf(const ui::SeriesStore& store, const ui::SeriesKey& key);
/// Whether the series has exactly what writeEvents() logged for the tag with this number.
bool hasLogged(const ui::Series* series, std::int64_t firstStep, std::int64_t count,
               std::size_t tag);

} // namespace cannery::tests
