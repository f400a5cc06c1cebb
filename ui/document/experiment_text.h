// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/text_command.h"

#include <QByteArray>
#include <QObject>
#include <QUndoStack>

#include <atomic>
#include <memory>

namespace cannery::ui {

/// The text of the open experiment and its history: every change is an undo step, and typing in one
/// field is a single step until it ends. GUI thread.
class ExperimentText : public QObject
{
    Q_OBJECT

public:
    const QByteArray& bytes() const { return m_bytes; }
    /// Increases with every new text.
    quint64 revision() const { return m_revision; }
    /// The newest revision, for work in the background that an edit makes superfluous; one for each
    /// opened file.
    std::shared_ptr<const std::atomic<quint64>> newest() const { return m_newest; }
    QUndoStack& history() { return m_history; }

    /// Forgets text and history.
    void clear();
    /// The text as read from the file.
    void setOpened(const QByteArray& bytes);
    void push(const QString& title, TextChange change, const TextCommand::Options& options = {});

    /// The key of the steps that typing in a field makes until it ends.
    QString typingIn(const QString& path) const;
    void endTyping() { ++m_typings; }
    /// Makes the text what it was before the typing in that field that goes on.
    void takeBackTyping(const QString& path);

Q_SIGNALS:
    /// `step`: 1 for a new step, 0 for more of one, -1 for one that was undone.
    void changed(int step, bool fromDisk);

private:
    void apply(const TextChange& change, int step, bool fromDisk);
    bool continuesTyping(const QString& typing) const;

    QByteArray m_bytes;
    quint64 m_revision = 0;
    std::shared_ptr<std::atomic<quint64>> m_newest = std::make_shared<std::atomic<quint64>>(0);
    int m_typings = 0;         ///< ended so far
    QByteArray m_beforeTyping; ///< the text when the last typing began
    QUndoStack m_history;
};

} // namespace cannery::ui
