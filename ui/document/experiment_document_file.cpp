// SPDX-License-Identifier: GPL-3.0-only
// The open experiment and its file: changes by other programs, another name, and what a window that
// crashed has left.

#include "ui/document/background.h"
#include "ui/document/experiment_difference.h"
#include "ui/document/experiment_document_private.h"

#include <QFileInfo>

#include <utility>

namespace cannery::ui {
namespace {

/// The file at another path; the move itself is already done when the command is pushed.
class MoveCommand : public QUndoCommand
{
public:
    using Move = std::function<void(const QString& file)>;

    MoveCommand(QString from, QString to, Move move)
        : m_from(std::move(from)), m_to(std::move(to)), m_move(std::move(move))
    {}

    void redo() override
    {
        if (std::exchange(m_wasPushed, true)) {
            m_move(m_to);
        }
    }
    void undo() override { m_move(m_from); }

private:
    QString m_from;
    QString m_to;
    Move m_move;
    bool m_wasPushed = false;
};

} // namespace

Standing ExperimentDocument::standing() const
{
    return m_private->m_standing;
}

QString ExperimentDocument::theirText() const
{
    return QString::fromUtf8(m_private->m_theirs);
}

void ExperimentDocument::keepMine()
{
    Private& d = *m_private;
    if (d.m_standing != Standing::BothChanged) {
        return;
    }
    const QByteArray mine = d.m_bytes;
    const QByteArray theirs = d.m_theirs;
    d.setStanding(Standing::Settled);
    d.m_foreignTexts = d.m_arrivedTexts;
    d.push(tr("Reload"), changeBetween(mine, theirs), {.fromDisk = true});
    d.push(tr("Keep My Version"), changeBetween(theirs, mine));
}

void ExperimentDocument::takeTheirs()
{
    if (m_private->m_standing == Standing::BothChanged) {
        const QByteArray theirs = m_private->m_theirs;
        m_private->setStanding(Standing::Settled);
        m_private->reload(theirs);
    }
}

void ExperimentDocument::saveAgain()
{
    if (m_private->m_standing == Standing::Gone) {
        m_private->save(true);
    }
}

void ExperimentDocument::discard()
{
    if (m_private->m_standing == Standing::Gone) {
        m_private->removeJournal();
        close();
    }
}

void ExperimentDocument::rename(const QString& name, const QString& file,
                                const std::function<void(const QString& error)>& done)
{
    endTyping();
    const QString title = tr("Rename Experiment");
    const QList<FieldEdit> edits{name.isEmpty()
                                     ? FieldEdit::remove(QStringLiteral("name"))
                                     : FieldEdit::set(QStringLiteral("name"), quoted(name))};
    QString error;
    const QString from = m_private->m_file;
    const QString to = QFileInfo(file).absoluteFilePath();
    if (to == from) {
        m_private->edit(title, edits, {}, error);
        done(error);
        return;
    }
    m_private->move(to, [this, title, edits, from, to, done](const QString& problem) {
        if (!problem.isEmpty()) {
            done(problem);
            return;
        }
        m_private->m_undo.beginMacro(title);
        m_private->m_undo.push(new MoveCommand(from, to, [this](const QString& place) {
            m_private->move(place, [this](const QString& why) {
                if (!why.isEmpty()) {
                    Q_EMIT failed(why);
                }
            });
        }));
        QString unwritten;
        m_private->edit(title, edits, {}, unwritten);
        m_private->m_undo.endMacro();
        done(unwritten);
    });
}

void ExperimentDocument::afterWriting(std::function<void()> then)
{
    inBackground(
        m_private->m_files, this, [] { return true; }, [then = std::move(then)](bool) { then(); });
}

const RecoveredEdits& ExperimentDocument::recovered() const
{
    return m_private->m_recovered;
}

void ExperimentDocument::keepRecovered()
{
    if (m_private->m_recovered.changes == 0) {
        return;
    }
    const bool unsaved = m_private->m_recovered.unsaved;
    m_private->setRecovered({});
    if (unsaved) {
        m_private->push(tr("Recover Edits"),
                        changeBetween(m_private->m_bytes, m_private->m_journal.text));
    } else {
        m_private->removeJournal();
    }
}

void ExperimentDocument::discardRecovered()
{
    if (m_private->m_recovered.changes == 0) {
        return;
    }
    const bool unsaved = m_private->m_recovered.unsaved;
    m_private->setRecovered({});
    m_private->m_base = m_private->m_journal.base;
    if (unsaved) { // so that Undo brings them back
        m_private->push(tr("Recover Edits"),
                        changeBetween(m_private->m_bytes, m_private->m_journal.text));
    }
    if (m_private->m_base != m_private->m_bytes) {
        m_private->push(tr("Discard Recovered Edits"),
                        changeBetween(m_private->m_bytes, m_private->m_journal.base));
    } else {
        m_private->removeJournal();
    }
}

void ExperimentDocument::Private::move(const QString& file,
                                       std::function<void(const QString& error)> done)
{
    if (!m_onDisk || m_standing == Standing::BothChanged) {
        done(tr("The experiment cannot be renamed now."));
        return;
    }
    const quint64 generation = m_generation;
    inBackground(
        m_files, m_owner, [onDisk = m_onDisk, file] { return onDisk->moveTo(file); },
        [this, generation, file, done = std::move(done)](const QString& error) {
            if (generation == m_generation && error.isEmpty()) {
                const QString from = std::exchange(m_file, file);
                m_watcher.watch(file);
                parse();
                Q_EMIT m_owner->moved(from);
            }
            done(generation == m_generation ? error : QString());
        });
}

void ExperimentDocument::Private::lookAtFile()
{
    if (!m_onDisk) {
        return;
    }
    using Look = std::pair<ExperimentFile::Answer, bool>;
    inBackground(
        m_files, m_owner,
        [file = m_onDisk, base = m_base, mine = m_bytes] {
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

void ExperimentDocument::Private::takeLook(const ExperimentFile::Answer& answer, bool lacksEdits)
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
        if (answer.result == ExperimentFile::Result::Unchanged && m_savedRevision != m_revision) {
            save(); // what was edited meanwhile
        }
    }
    if (answer.result == ExperimentFile::Result::Done) {
        takeForeignText(answer.bytes, lacksEdits);
    } else if (answer.result == ExperimentFile::Result::Unsettled) {
        m_watcher.lookSoon();
    } else if (answer.result == ExperimentFile::Result::Failed) {
        Q_EMIT m_owner->failed(answer.error);
    }
}

/// A text that was made from the one shown here becomes one undoable step. One that lacks edits
/// made here is the user's choice.
void ExperimentDocument::Private::takeForeignText(const QByteArray& bytes, bool lacksEdits)
{
    ++m_arrivedTexts;
    m_saveProblem.clear();
    const bool isUnsaved = m_savedRevision != m_revision || m_standing == Standing::BothChanged;
    if (bytes == m_bytes) {
        m_foreignTexts = m_arrivedTexts;
        m_savedRevision = m_revision;
        setStanding(Standing::Settled);
    } else if (isUnsaved || lacksEdits) {
        setStanding(Standing::BothChanged, bytes);
        keepAside();
    } else {
        reload(bytes);
    }
}

void ExperimentDocument::Private::setStanding(Standing standing, const QByteArray& theirs)
{
    if (standing == m_standing && theirs == m_theirs) {
        return;
    }
    m_standing = standing;
    m_theirs = theirs;
    Q_EMIT m_owner->standingChanged();
}

void ExperimentDocument::Private::reload(const QByteArray& bytes)
{
    m_foreignTexts = m_arrivedTexts;
    m_reloading = true;
    push(tr("Reload"), changeBetween(m_bytes, bytes), {.fromDisk = true});
    removeJournal();
}

/// So that a crash before the user has chosen does not lose the text shown here.
void ExperimentDocument::Private::keepAside()
{
    m_files.start([file = m_onDisk, mine = m_bytes, changes = std::max(1, m_changes)] {
        file->keepAside(mine, changes);
    });
}

} // namespace cannery::ui
