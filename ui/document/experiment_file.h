// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QByteArray>
#include <QString>

namespace cannery::ui {

/// The experiment file on disk and the journal of edits next to it. Used by one worker thread at a
/// time; blocks.
///
/// The journal (JSON: "base", "previous", "text" in base64, "changes") holds the text before the
/// first edit, the text that was on disk before the newest edit, and the newest text. It is written
/// before the file is replaced, so that after a crash at any moment one of the two has the edit.
class ExperimentFile
{
public:
    enum class Result
    {
        Done,
        Unchanged, ///< read: the same as last read or written
        Conflict,  ///< write: another program changed the file; nothing was written
        Missing,   ///< read: there is no file
        Unsettled, ///< read: the file is empty, perhaps only while it is being written; try again
        Failed,
    };

    struct Answer
    {
        Result result = Result::Done;
        QByteArray bytes;
        QString error;
    };

    struct Journal
    {
        QByteArray base;
        QByteArray previous;
        QByteArray text;
        int changes = 0; ///< 0: there is no journal
    };

    struct Edit
    {
        QByteArray text;
        QByteArray base;          ///< the text from before the first edit
        int changes = 0;          ///< since then
        int foreignTextsSeen = 0; ///< how many Done results of read() the text includes
        bool recreates = false;   ///< also if the file was deleted; otherwise Missing
    };

    explicit ExperimentFile(const QString& file);

    Answer read();
    /// `edit.changes` 0: keeps no journal. After a Conflict the journal holds the text.
    Answer write(const Edit& edit);
    /// Keeps a text that the file does not have, and will not have before the user decides.
    void keepAside(const QByteArray& text, int changes);
    /// Moves the file and its journal; replaces nothing. Returns why not, a sentence, or nothing.
    QString moveTo(const QString& file);

    /// The journal of a program that crashed; deletes one that does not fit the file.
    Journal orphanedJournal();
    void removeJournal();

    static QString journalOf(const QString& file);
    /// How this experiment names another file: relative to its own folder if that file is in it.
    static QString nameIn(const QString& experiment, const QString& file);

private:
    bool writeJournal(const Journal& journal);

    QString m_file;
    QByteArray m_onDisk;     ///< as last read or written
    bool m_wasEmpty = false; ///< at the last read()
    int m_foreignTexts = 0;  ///< Done results of read()
};

} // namespace cannery::ui
