// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QList>
#include <QObject>
#include <QString>

class QThreadPool;

namespace cannery::ui {

struct ExperimentEntry
{
    QString file; ///< absolute
    QString name; ///< of the experiment, otherwise the file's base name

    bool operator==(const ExperimentEntry&) const = default;
};

/// The experiments in a project's folder, the last changed one first. Reads on the pool, which must
/// finish before this is destroyed. GUI thread.
class ExperimentFolder : public QObject
{
    Q_OBJECT

public:
    explicit ExperimentFolder(QThreadPool& pool, QObject* parent = nullptr);

    /// Empty if there is none.
    void setFolder(const QString& folder);
    /// Reads the folder again; changed() follows if something did.
    void refresh();
    const QList<ExperimentEntry>& entries() const { return m_entries; }
    /// "Titanic 2", "Titanic 3": a name like this one that no experiment has.
    QString freshName(const QString& name) const;

Q_SIGNALS:
    void changed();

private:
    QThreadPool* m_pool;
    QString m_folder;
    QList<ExperimentEntry> m_entries;
};

/// A new experiment file, or why there is none.
struct MadeExperiment
{
    QString file;
    QString error;
};

/// Writes "<folder>/<baseName>.cannery", or "-2", "-3" … if that exists. Blocks.
MadeExperiment makeExperiment(const QString& folder, const QString& baseName,
                              const QByteArray& text);

/// Writes an experiment file, or replaces it. Returns why not, a sentence, or nothing. Blocks.
QString writeExperiment(const QString& file, const QByteArray& text);

/// An experiment in the desktop's trash, or why it could not be moved there.
struct TrashedExperiment
{
    QString file;    ///< where it was
    QString inTrash; ///< where it is
    QString name;
    QString error;
};

/// Blocks.
TrashedExperiment moveToTrash(const QString& file, const QString& name);
/// Back to where it was; replaces nothing. Returns why not, or nothing. Blocks.
QString restoreFromTrash(const TrashedExperiment& experiment);

/// Why a file cannot have that name (without ".cannery"), a sentence; empty if it can.
QString fileNameProblem(const QString& baseName);
/// A name for the file of an experiment: without what a file name cannot hold.
QString fileNameFor(const QString& name);

} // namespace cannery::ui
