// SPDX-License-Identifier: GPL-3.0-only
#include "ui/document/experiment_storage.h"

#include "ui/document/background.h"
#include "ui/document/experiment_difference.h"
#include "ui/document/experiment_text.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace cannery::ui {

ExperimentStorage::ExperimentStorage(ExperimentText& text) : m_text(text)
{
    m_files.setMaxThreadCount(1);
    connect(&text, &ExperimentText::changed, this, &ExperimentStorage::takeChange);
    connect(&m_watcher, &FileWatcher::changed, this, &ExperimentStorage::lookAtFile);
}

ExperimentStorage::~ExperimentStorage()
{
    m_files.waitForDone();
}

void ExperimentStorage::open(const QString& file)
{
    m_file = file;
    m_onDisk = std::make_shared<ExperimentFile>(file);
    using Opened = std::pair<ExperimentFile::Answer, ExperimentFile::Journal>;
    inBackground(
        m_files, this,
        [onDisk = m_onDisk] {
            Opened opened{onDisk->read(), {}};
            if (opened.first.result != ExperimentFile::Result::Failed) {
                opened.second = onDisk->orphanedJournal();
            }
            return opened;
        },
        [this, generation = m_generation](const Opened& opened) {
            // Another file may have been opened while this one was read.
            if (generation == m_generation) {
                takeOpened(opened.first, opened.second);
            }
        });
}

void ExperimentStorage::close()
{
    ++m_generation;
    m_watcher.watch({});
    const bool isOnDisk = m_problem.isEmpty() && m_standing != Standing::BothChanged;
    // The edits of a file that is gone are offered again should it come back.
    const bool isOnlyAside = m_standing == Standing::Gone && !isSaved();
    m_text.clear();
    if (m_onDisk && isOnDisk && !isOnlyAside && m_recovered.changes == 0) {
        removeJournal();
    }
    m_onDisk.reset();
    m_file.clear();
    m_base.clear();
    m_changes = 0;
    m_savedRevision = m_text.revision();
    m_problem.clear();
    m_recovered = {};
    m_journal = {};
    m_standing = Standing::Settled;
    m_theirs.clear();
    m_wasMissing = false;
}

void ExperimentStorage::takeOpened(const ExperimentFile::Answer& answer,
                                   const ExperimentFile::Journal& journal)
{
    if (answer.result == ExperimentFile::Result::Failed ||
        answer.result == ExperimentFile::Result::Missing) {
        m_onDisk.reset();
        close();
        Q_EMIT openingFailed(answer.error);
        return;
    }
    m_foreignTexts = 1;
    m_arrivedTexts = 1;
    m_base = answer.bytes;
    m_journal = journal;
    m_text.setOpened(answer.bytes);
    m_savedRevision = m_text.revision();
    m_watcher.watch(m_file);
    Q_EMIT opened();
    if (journal.changes != 0) {
        setRecovered({.changes = journal.changes,
                      .unsaved = journal.text != answer.bytes,
                      .before = QString::fromUtf8(journal.base),
                      .after = QString::fromUtf8(journal.text)});
    }
}

bool ExperimentStorage::isSaved() const
{
    return m_savedRevision == m_text.revision();
}

bool ExperimentStorage::isSaving() const
{
    return !isSaved() && m_problem.isEmpty() && m_standing == Standing::Settled;
}

void ExperimentStorage::afterWriting(std::function<void()> then)
{
    inBackground(
        m_files, this, [] { return true; }, [then = std::move(then)](bool) { then(); });
}

void ExperimentStorage::takeChange(int step, bool fromDisk)
{
    if (fromDisk) {
        m_savedRevision = m_text.revision();
        m_base = m_text.bytes();
        m_changes = 0;
    } else {
        m_changes += step;
        save();
    }
}

void ExperimentStorage::save(bool recreates)
{
    const QByteArray& text = m_text.bytes();
    const ExperimentFile::Edit edit{text, m_base, text == m_base ? 0 : std::max(1, m_changes),
                                    m_foreignTexts, recreates};
    inBackground(
        m_files, this,
        [file = m_onDisk, edit, newest = m_text.newest(),
         revision = m_text.revision()]() -> std::optional<ExperimentFile::Answer> {
            // Typing makes a text with each key: only the newest one is written.
            if (newest->load() > revision) {
                return std::nullopt;
            }
            return file->write(edit);
        },
        [this, revision = m_text.revision(),
         generation = m_generation](const std::optional<ExperimentFile::Answer>& answer) {
            if (answer && generation == m_generation) {
                takeSaved(revision, *answer);
            }
        });
}

void ExperimentStorage::takeSaved(quint64 revision, const ExperimentFile::Answer& answer)
{
    // Another program has written meanwhile: what it wrote decides how to go on.
    if (answer.result == ExperimentFile::Result::Conflict) {
        m_watcher.lookSoon();
        return;
    }
    if (answer.result == ExperimentFile::Result::Missing) {
        setStanding(Standing::Gone);
        m_watcher.lookSoon();
        return;
    }
    m_problem = answer.error;
    if (answer.result == ExperimentFile::Result::Failed) {
        Q_EMIT failed(answer.error);
        return;
    }
    // A newer text may have come from the disk, which counts as saved.
    m_savedRevision = std::max(m_savedRevision, revision);
    if (m_standing == Standing::Gone) {
        setStanding(Standing::Settled);
    }
    if (isSaved()) {
        Q_EMIT saved();
    }
}

void ExperimentStorage::moveTo(const QString& file, std::function<void(const QString& error)> done)
{
    if (!m_onDisk || m_standing == Standing::BothChanged) {
        done(tr("The experiment cannot be renamed now."));
        return;
    }
    inBackground(
        m_files, this, [onDisk = m_onDisk, file] { return onDisk->moveTo(file); },
        [this, generation = m_generation, file, done = std::move(done)](const QString& error) {
            if (generation == m_generation && error.isEmpty()) {
                const QString from = std::exchange(m_file, file);
                m_watcher.watch(file);
                Q_EMIT moved(from);
            }
            done(generation == m_generation ? error : QString());
        });
}

void ExperimentStorage::keepMine()
{
    if (m_standing != Standing::BothChanged) {
        return;
    }
    const QByteArray mine = m_text.bytes();
    const QByteArray theirs = m_theirs;
    setStanding(Standing::Settled);
    m_foreignTexts = m_arrivedTexts;
    // Through the other version, so that Undo leads back to it.
    m_text.push(tr("Reload"), changeBetween(mine, theirs), {.fromDisk = true});
    m_text.push(tr("Keep My Version"), changeBetween(theirs, mine));
}

void ExperimentStorage::takeTheirs()
{
    if (m_standing == Standing::BothChanged) {
        const QByteArray theirs = m_theirs;
        setStanding(Standing::Settled);
        reload(theirs);
    }
}

void ExperimentStorage::saveAgain()
{
    if (m_standing == Standing::Gone) {
        save(true);
    }
}

void ExperimentStorage::discard()
{
    if (m_standing == Standing::Gone) {
        removeJournal();
        Q_EMIT discarded();
    }
}

void ExperimentStorage::keepRecovered()
{
    if (m_recovered.changes == 0) {
        return;
    }
    const bool unsaved = m_recovered.unsaved;
    setRecovered({});
    if (unsaved) {
        m_text.push(tr("Recover Edits"), changeBetween(m_text.bytes(), m_journal.text));
    } else {
        removeJournal();
    }
}

void ExperimentStorage::discardRecovered()
{
    if (m_recovered.changes == 0) {
        return;
    }
    const bool unsaved = m_recovered.unsaved;
    setRecovered({});
    m_base = m_journal.base;
    if (unsaved) { // so that Undo brings them back
        m_text.push(tr("Recover Edits"), changeBetween(m_text.bytes(), m_journal.text));
    }
    if (m_base != m_text.bytes()) {
        m_text.push(tr("Discard Recovered Edits"), changeBetween(m_text.bytes(), m_journal.base));
    } else {
        removeJournal();
    }
}

void ExperimentStorage::setRecovered(const RecoveredEdits& recovered)
{
    m_recovered = recovered;
    Q_EMIT recoveredChanged();
}

void ExperimentStorage::removeJournal()
{
    m_files.start([file = m_onDisk] { file->removeJournal(); });
}

void ExperimentStorage::lookAtFile()
{
    if (!m_onDisk) {
        return;
    }
    using Look = std::pair<ExperimentFile::Answer, bool>;
    inBackground(
        m_files, this,
        [file = m_onDisk, base = m_base, mine = m_text.bytes()] {
            Look look{file->read(), false};
            if (look.first.result == ExperimentFile::Result::Done && base != mine) {
                look.second = isMissingEdits(base, mine, look.first.bytes);
            }
            return look;
        },
        [this, generation = m_generation](const Look& look) {
            if (generation == m_generation) {
                takeLook(look.first, look.second);
            }
        });
}

void ExperimentStorage::takeLook(const ExperimentFile::Answer& answer, bool lacksEdits)
{
    const bool isMissing = answer.result == ExperimentFile::Result::Missing;
    const bool wasMissing = std::exchange(m_wasMissing, isMissing);
    if (isMissing) {
        // Some programs remove a file just before they write it anew.
        if (!wasMissing) {
            m_watcher.lookSoon();
        } else if (m_standing != Standing::Gone) {
            setStanding(Standing::Gone);
        }
        return;
    }
    if (m_standing == Standing::Gone) {
        setStanding(Standing::Settled);
        if (answer.result == ExperimentFile::Result::Unchanged && !isSaved()) {
            save(); // what was edited meanwhile
        }
    }
    if (answer.result == ExperimentFile::Result::Done) {
        takeForeignText(answer.bytes, lacksEdits);
    } else if (answer.result == ExperimentFile::Result::Unsettled) {
        m_watcher.lookSoon();
    } else if (answer.result == ExperimentFile::Result::Failed) {
        Q_EMIT failed(answer.error);
    }
}

/// A text that was made from the one shown here becomes one undoable step. One that lacks edits
/// made here is the user's choice.
void ExperimentStorage::takeForeignText(const QByteArray& bytes, bool lacksEdits)
{
    ++m_arrivedTexts;
    m_problem.clear();
    const bool isUnsaved = !isSaved() || m_standing == Standing::BothChanged;
    if (bytes == m_text.bytes()) {
        m_foreignTexts = m_arrivedTexts;
        m_savedRevision = m_text.revision();
        setStanding(Standing::Settled);
    } else if (isUnsaved || lacksEdits) {
        setStanding(Standing::BothChanged, bytes);
        keepAside();
    } else {
        reload(bytes);
    }
}

void ExperimentStorage::setStanding(Standing standing, const QByteArray& theirs)
{
    if (standing == m_standing && theirs == m_theirs) {
        return;
    }
    m_standing = standing;
    m_theirs = theirs;
    Q_EMIT standingChanged();
}

void ExperimentStorage::reload(const QByteArray& bytes)
{
    m_foreignTexts = m_arrivedTexts;
    Q_EMIT reloading();
    m_text.push(tr("Reload"), changeBetween(m_text.bytes(), bytes), {.fromDisk = true});
    removeJournal();
}

/// So that a crash before the user has chosen does not lose the text shown here.
void ExperimentStorage::keepAside()
{
    m_files.start([file = m_onDisk, mine = m_text.bytes(), changes = std::max(1, m_changes)] {
        file->keepAside(mine, changes);
    });
}

} // namespace cannery::ui
