// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QList>
#include <QObject>

#include <memory>

namespace cannery::ui {

/// What a window that died had open.
struct LostWindow
{
    QString project;        ///< folder
    QString experimentFile; ///< or the folder of event files
    bool eventFolder = false;
    bool wasOpening = false; ///< it died while opening this
    int changes = 0;         ///< edits that it made; the document offers to discard them

    bool operator==(const LostWindow&) const = default;
};

/// Says on disk what this window has open, so that the next start knows what a window that was
/// killed had: a locked folder per window in the user's state folder, removed at a proper end. The
/// kernel gives the lock up when the program dies, however it does. Files are written off the GUI
/// thread. GUI thread.
class WindowSession : public QObject
{
    Q_OBJECT

public:
    /// `folder`: where the marks of all windows are; empty: the user's own.
    explicit WindowSession(const QString& folder = {}, QObject* parent = nullptr);
    ~WindowSession() override;

    /// Looks for windows that died; lost() holds them when found() comes. Their marks stay until
    /// forget().
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
