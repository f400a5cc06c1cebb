// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QByteArray>
#include <QString>

namespace cannery::ui {

/// The experiment's file on the disk and the journal of edits beside it. Used by one worker thread
/// at a time; blocks.
///
/// The journal (JSON: "base", "previous", "text" in base64, "changes") holds the text from before
/// the first edit, the one that was on the disk before the newest, and the newest. It is written
/// before the file is replaced, so whatever moment a program dies at, one of the two has the edit.
class ExperimentFile
{
public:
    enum class Result
    {
        Done,
        Unchanged, ///< read: what was read or written last
        Conflict,  ///< write: another program has changed the file; nothing was written
        Unsettled, ///< read: the file is empty, perhaps only until its writer goes on; look again
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
        int foreignTextsSeen = 0; ///< how many answers Done of read() the text takes account of
    };

    explicit ExperimentFile(const QString& file);

    Answer read();
    /// `edit.changes` 0: no journal is kept.
    Answer write(const Edit& edit);

    /// What a program that died left; one that does not fit the file is thrown away.
    Journal orphanedJournal();
    void removeJournal();

    static QString journalOf(const QString& file);

private:
    bool isChangedByOthers() const;
    bool writeJournal(const Journal& journal);

    QString m_file;
    QByteArray m_onDisk;     ///< as read or written last
    bool m_wasEmpty = false; ///< at the last read()
    int m_foreignTexts = 0;  ///< answers Done of read()
};

} // namespace cannery::ui
