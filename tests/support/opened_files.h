// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>

namespace cannery::tests {

/// Which files of a folder (not below it) anybody has opened since this was made: the kernel
/// counts (inotify), so nothing is missed.
class OpenedFiles
{
public:
    explicit OpenedFiles(const QString& folder);
    ~OpenedFiles();
    OpenedFiles(const OpenedFiles&) = delete;
    OpenedFiles& operator=(const OpenedFiles&) = delete;

    /// Sorted, each once.
    QStringList names() const;

private:
    int m_watch = -1;
    mutable QStringList m_names;
};

} // namespace cannery::tests
