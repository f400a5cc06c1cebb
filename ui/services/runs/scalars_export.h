// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QList>
#include <QObject>
#include <QString>

#include <atomic>
#include <memory>

namespace cannery::ui {

/// A run whose scalars are written.
struct ExportedRun
{
    QString label;  ///< the first cell of its rows
    QString folder; ///< absolute
};

/// Writes all logged scalars of some runs to one CSV file: run, folder, tag, step, wall time
/// (seconds since 1970), value in full precision; in the order of the event files. Works on a
/// thread of its own; the file appears once it is complete. GUI thread.
class ScalarsExport : public QObject
{
    Q_OBJECT

public:
    using QObject::QObject;
    ~ScalarsExport() override;

    /// One export at a time; does nothing while one is running.
    void start(const QString& file, const QList<ExportedRun>& runs);
    /// Leaves no file behind.
    void cancel();
    bool isRunning() const { return m_isRunning; }
    QString file() const { return m_file; }

Q_SIGNALS:
    void progressed(double fraction);
    /// `error` is empty on success and after cancelling.
    void finished(const QString& file, qint64 rows, const QString& error);

private:
    std::shared_ptr<std::atomic<bool>> m_cancelled;
    bool m_isRunning = false;
    QString m_file;
};

} // namespace cannery::ui
