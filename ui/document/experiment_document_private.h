// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/experiment_document.h"
#include "ui/document/experiment_file.h"
#include "ui/document/experiment_reading.h"
#include "ui/document/file_watcher.h"
#include "ui/document/text_command.h"

#include <QMap>
#include <QThreadPool>
#include <QUndoStack>

#include <atomic>

namespace cannery::ui {

/// The implementation of an open experiment: text, undo, reading and writing in the background.
class ExperimentDocument::Private
{
public:
    explicit Private(ExperimentDocument* owner);

    void takeOpened(const ExperimentFile::Answer& answer, const ExperimentFile::Journal& journal);
    /// False, with a sentence, if nothing may be changed now.
    bool mayEdit(QString& error);
    /// Makes the edits one undo step; false, with a sentence, if one cannot be written.
    bool edit(const QString& title, const QList<FieldEdit>& edits, const QString& typing,
              QString& error);
    bool removesSomething(const QList<FieldEdit>& edits) const;
    void apply(const TextChange& change, int step, bool fromDisk);
    void push(const QString& text, TextChange change, const TextCommand::Options& options = {});
    /// The key of the steps that typing in a field makes until it ends.
    QString typingIn(const QString& path) const;
    /// Whether typing in that field goes on.
    bool continuesTyping(const QString& typing) const;
    /// Makes the text what it was before the typing in that field that goes on.
    void takeBackTyping(const QString& path);
    void parse();
    void takeReading(ExperimentReadingPtr reading);
    void save(bool recreates = false);
    void takeSaved(quint64 revision, const ExperimentFile::Answer& answer);
    void lookAtFile();
    void takeLook(const ExperimentFile::Answer& answer, bool lacksEdits);
    void takeForeignText(const QByteArray& bytes, bool lacksEdits);
    void setStanding(Standing standing, const QByteArray& theirs = {});
    void reload(const QByteArray& bytes);
    void keepAside();
    void move(const QString& file, std::function<void(const QString& error)> done);
    void setRecovered(const RecoveredEdits& recovered);
    void mergeProblems();
    void removeJournal();
    void reset();

    ExperimentDocument* m_owner;
    QString m_file;
    QByteArray m_bytes;
    QByteArray m_base; ///< before the first edit
    int m_changes = 0;
    int m_foreignTexts = 0; ///< that m_bytes includes
    int m_arrivedTexts = 0; ///< of other programs, m_theirs included
    Standing m_standing = Standing::Settled;
    QByteArray m_theirs;
    bool m_wasMissing = false; ///< at the last look
    quint64 m_revision = 0;
    quint64 m_generation = 0; ///< of open() and close()
    quint64 m_savedRevision = 0;
    bool m_loading = false;
    bool m_reloading = false;
    QString m_saveProblem;
    QString m_hindrance; ///< why nothing may be changed
    ExperimentReadingPtr m_reading = std::make_shared<ExperimentReading>();
    QList<ProblemRow> m_checked;
    QMap<QString, ProblemRow> m_unwritten; ///< by path: input that the text cannot hold
    int m_typings = 0;                     ///< ended so far
    QByteArray m_beforeTyping;             ///< the text when the last typing began
    QList<ProblemRow> m_problems;
    RecoveredEdits m_recovered;
    ExperimentFile::Journal m_journal;
    QUndoStack m_undo;
    FileWatcher m_watcher;
    std::shared_ptr<ExperimentFile> m_onDisk;
    /// So that a write followed by a newer one is skipped.
    std::shared_ptr<std::atomic<quint64>> m_newest = std::make_shared<std::atomic<quint64>>(0);
    QThreadPool m_parser;
    QThreadPool m_files;
};

} // namespace cannery::ui
