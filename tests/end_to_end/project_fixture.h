// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>

#include <memory>

namespace cannery::tests {

/// The result of a run of the program.
struct ProgramResult
{
    int exitCode = -1;
    QString out;
    QString err;
};

/// Its standard output parsed as JSON; empty if it is not JSON.
QJsonObject json(const ProgramResult& result);

/// A folder with a small table and an experiment, and the program to run in it. What the program
/// has announced is audited after every successful command and at the end (see audit.h).
class ProjectFixture
{
public:
    /// Two numbers, a category and a label that depends on them; 200 rows.
    ProjectFixture();
    ~ProjectFixture();
    ProjectFixture(const ProjectFixture&) = delete;
    ProjectFixture& operator=(const ProjectFixture&) = delete;

    /// From now on, the test itself damages announced files: no audit.
    void spoils() const { m_isSpoilt = true; }

    QString path(const QString& name) const { return m_folder.filePath(name); }
    void write(const QString& name, const QByteArray& content) const;
    QByteArray read(const QString& name) const;
    bool exists(const QString& name) const;

    /// Runs `cannery ARGUMENTS` in the folder and waits for it.
    ProgramResult run(const QStringList& arguments, const QByteArray& input = {}) const;
    /// Starts it and returns at once.
    std::unique_ptr<QProcess> start(const QStringList& arguments) const;

    /// The experiment's text with a part replaced.
    QByteArray experiment(const QByteArray& what = {}, const QByteArray& with = {}) const;

private:
    QTemporaryDir m_folder;
    mutable bool m_isSpoilt = false;
};

/// Copies a folder of the repository's examples.
void copyExample(const QString& name, const QString& target);

} // namespace cannery::tests
