// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/faults/fault_project.h"

#include <QTemporaryDir>

#include <random>
#include <string>

namespace cannery::tests {

/// A trained project with malicious changes, next to unrelated files. Every change is determined by
/// its number alone.
class HostileProject
{
public:
    HostileProject();

    QString path() const { return m_project.path(); }
    /// Restores the project.
    void restore() const { m_project.restore(); }
    /// The same, then changes it; returns what was changed.
    QByteArray change(unsigned number);
    /// Empty, or what has changed next to the project.
    QByteArray problemOutside() const;

    /// `cannery ARGUMENTS` in the project.
    Ended cannery(const QStringList& arguments) const;

private:
    QByteArray changeFile(const std::string& name, std::mt19937& random);
    QByteArray changeStore(std::mt19937& random) const;
    QMap<QString, QByteArray> outside() const;

    QTemporaryDir m_folder;
    /// Stays where it was trained: its runs store the path of their data.
    FaultProject m_project;
    QStringList m_files;                 ///< of the whole project
    QMap<QString, QByteArray> m_outside; ///< next to it
};

} // namespace cannery::tests
