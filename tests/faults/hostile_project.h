// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/faults/fault_project.h"

#include <QTemporaryDir>

#include <random>
#include <string>

namespace cannery::tests {

/// A trained project that somebody has changed to do harm, beside files that are none of its
/// business. Every change follows from its number alone.
class HostileProject
{
public:
    HostileProject();

    QString path() const { return m_project.path(); }
    /// Brings the project back as it was.
    void restore() const { m_project.restore(); }
    /// The same, then changes it; says what was changed.
    QByteArray change(unsigned number);
    /// Empty, or what is not as it was beside the project.
    QByteArray problemOutside() const;

    /// `cannery ARGUMENTS` in the project.
    Ended cannery(const QStringList& arguments) const;

private:
    QByteArray changeFile(const std::string& name, std::mt19937& random);
    QByteArray changeStore(std::mt19937& random) const;
    QMap<QString, QByteArray> outside() const;

    QTemporaryDir m_folder;
    /// Stays where it was trained: its runs know the place of their data.
    FaultProject m_project;
    QStringList m_files;                 ///< of the whole project
    QMap<QString, QByteArray> m_outside; ///< beside it
};

} // namespace cannery::tests
