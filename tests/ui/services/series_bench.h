// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "tests/support/patience.h"
#include "ui/services/series_store.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <cstdint>
#include <string>

#define WAIT_UNTIL(condition) QTRY_VERIFY_WITH_TIMEOUT(condition, cannery::tests::kPatience)

/// What tests of the series of runs share.
namespace cannery::tests {

/// Folders of runs, away with the test class.
class RunFolders
{
public:
    /// An empty folder that no test has had.
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

/// Points of a series; 0 when there is none.
qsizetype sizeOf(const ui::SeriesStore& store, const ui::SeriesKey& key);
/// Whether the series holds exactly what writeEvents() has logged of the tag of this number.
bool hasLogged(const ui::Series* series, std::int64_t firstStep, std::int64_t count,
               std::size_t tag);

} // namespace cannery::tests
