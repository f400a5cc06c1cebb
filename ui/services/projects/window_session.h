// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QList>
#include <QObject>

#include <memory>

namespace cannery::ui {

/// What a crashed window had open.
struct LostWindow
{
    QString project;        ///< its folder
    QString experimentFile; ///< or the folder of event files
    bool eventFolder = false;
    bool wasOpening = false; ///< it crashed while opening this
    int changes = 0;         ///< its edits; the document offers to discard them

    bool operator==(const LostWindow&) const = default;
};

/// Records on disk what this window has open, so that the next start knows what a killed window
/// had: a locked folder per window in the user's state folder, removed on a clean exit. The kernel
/// releases the lock however the program dies. Files are written off the GUI thread. GUI thread.
class WindowSession : public QObject
{
    Q_OBJECT

public:
    /// `folder`: where the marks of all windows are; the user's own if empty.
    explicit WindowSession(const QString& folder = {}, QObject* parent = nullptr);
    ~WindowSession() override;

    /// Looks for crashed windows; lost() has them when found() is emitted. Their marks are kept
    /// until forget().
    void findLost();
    const QList<LostWindow>& lost() const;
    void forget(const QString& project);

    void noteOpening(const QString& project, const QString& experimentFile, bool eventFolder);
    void noteOpened();
    void noteClosed();

Q_SIGNALS:
    void found();

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace cannery::ui
