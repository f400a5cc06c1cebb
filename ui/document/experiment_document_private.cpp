// SPDX-License-Identifier: GPL-3.0-only
#include "ui/document/experiment_document_private.h"

#include "ui/document/background.h"
#include "ui/document/problem_cures.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace cannery::ui {
namespace {

bool isSameProblem(const ProblemRow& a, const ProblemRow& b)
{
    return a.id == b.id && a.path == b.path && a.line == b.line && a.column == b.column;
}

} // namespace

ExperimentDocument::Private::Private(ExperimentDocument* owner) : m_owner(owner)
{
    m_files.setMaxThreadCount(1);
    m_parser.setMaxThreadCount(1);
}

void ExperimentDocument::Private::reset()
{
    ++m_generation;
    m_newest = std::make_shared<std::atomic<quint64>>(0);
    m_watcher.watch({});
    m_undo.clear();
    const bool isOnDisk = m_saveProblem.isEmpty() && m_standing != Standing::BothChanged;
    // The edits of a file that is gone are offered again should it come back.
    const bool isOnlyAside = m_standing == Standing::Gone && m_savedRevision != m_revision;
    if (m_onDisk && isOnDisk && !isOnlyAside && m_recovered.changes == 0) {
        removeJournal();
    }
    m_onDisk.reset();
    m_file.clear();
    m_bytes.clear();
    m_base.clear();
    m_changes = 0;
    m_savedRevision = ++m_revision;
    m_loading = false;
    m_reloading = false;
    m_saveProblem.clear();
    m_reading = std::make_shared<ExperimentReading>();
    m_checked.clear();
    m_unwritten.clear();
    m_problems.clear();
    m_recovered = {};
    m_journal = {};
    m_standing = Standing::Settled;
    m_theirs.clear();
    m_wasMissing = false;
}

void ExperimentDocument::Private::removeJournal()
{
    m_files.start([file = m_onDisk] { file->removeJournal(); });
}

void ExperimentDocument::Private::takeOpened(const ExperimentFile::Answer& answer,
                                             const ExperimentFile::Journal& journal)
{
    if (answer.result == ExperimentFile::Result::Failed ||
        answer.result == ExperimentFile::Result::Missing) {
        m_onDisk.reset();
        reset();
        Q_EMIT m_owner->changed();
        Q_EMIT m_owner->problemsChanged();
        Q_EMIT m_owner->failed(answer.error);
        return;
    }
    m_foreignTexts = 1;
    m_arrivedTexts = 1;
    m_bytes = answer.bytes;
    m_base = answer.bytes;
    m_journal = journal;
    m_savedRevision = ++m_revision;
    m_watcher.watch(m_file);
    parse();
    if (journal.changes != 0) {
        setRecovered({.changes = journal.changes,
                      .unsaved = journal.text != answer.bytes,
                      .before = QString::fromUtf8(journal.base),
                      .after = QString::fromUtf8(journal.text)});
    }
}

void ExperimentDocument::Private::setRecovered(const RecoveredEdits& recovered)
{
    m_recovered = recovered;
    Q_EMIT m_owner->recoveredChanged();
}

void ExperimentDocument::Private::parse()
{
    const quint64 revision = m_revision;
    inBackground(
        m_parser, m_owner,
        [bytes = m_bytes, file = m_file, newest = m_newest, revision]() -> ExperimentReadingPtr {
            return newest->load() > revision ? nullptr : readExperiment(bytes, file);
        },
        [this, revision](ExperimentReadingPtr reading) {
            if (reading && revision == m_revision) {
                takeReading(std::move(reading));
            }
        });
}

void ExperimentDocument::Private::takeReading(ExperimentReadingPtr reading)
{
    m_reading = std::move(reading);
    m_loading = false;
    m_checked.clear();
    const bool isReload = std::exchange(m_reloading, false);
    Q_EMIT m_owner->changed();
    mergeProblems();
    if (isReload) {
        Q_EMIT m_owner->reloaded();
    }
}

void ExperimentDocument::Private::mergeProblems()
{
    m_problems = m_reading->problems;
    for (const ProblemRow& row : std::as_const(m_checked)) {
        const bool known =
            std::any_of(m_problems.begin(), m_problems.end(),
                        [&](const ProblemRow& problem) { return isSameProblem(problem, row); });
        if (!known) {
            m_problems << row;
        }
    }
    m_problems += m_unwritten.values();
    for (ProblemRow& problem : m_problems) {
        problem.fix = cureOf(problem, *m_owner).title;
        problem.sentence = pageWords(problem);
    }
    Q_EMIT m_owner->problemsChanged();
}

bool ExperimentDocument::Private::continuesTyping(const QString& typing) const
{
    const auto* last = dynamic_cast<const TextCommand*>(
        m_undo.index() == m_undo.count() ? m_undo.command(m_undo.index() - 1) : nullptr);
    return last != nullptr && !typing.isEmpty() && last->typing() == typing;
}

QString ExperimentDocument::Private::typingIn(const QString& path) const
{
    return QStringLiteral("%1 %2").arg(m_typings).arg(path);
}

void ExperimentDocument::Private::takeBackTyping(const QString& path)
{
    if (continuesTyping(typingIn(path))) {
        push(m_undo.undoText(), changeBetween(m_bytes, m_beforeTyping), {.typing = typingIn(path)});
    }
}

void ExperimentDocument::Private::push(const QString& text, TextChange change,
                                       const TextCommand::Options& options)
{
    auto command = std::make_unique<TextCommand>(
        text, m_bytes, std::move(change), options,
        [this](const TextChange& c, int step, bool isOnDisk) { apply(c, step, isOnDisk); });
    if (!continuesTyping(options.typing)) {
        command->setStep(1);
        m_beforeTyping = m_bytes;
    } else {
        command->setStep(0);
    }
    m_undo.push(command.release());
}

bool ExperimentDocument::Private::mayEdit(QString& error)
{
    if (!m_onDisk || m_loading) {
        error = tr("The experiment is not open yet.");
        return false;
    }
    if (!m_hindrance.isEmpty()) {
        error = m_hindrance;
        return false;
    }
    m_owner->keepRecovered();
    return true;
}

bool ExperimentDocument::Private::edit(const QString& title, const QList<FieldEdit>& edits,
                                       const QString& typing, QString& error)
{
    if (!mayEdit(error)) {
        return false;
    }
    const std::optional<TextChange> change = editChange(m_bytes, edits, error);
    if (!change) {
        return false;
    }
    bool wasUnwritten = false;
    for (const FieldEdit& each : edits) {
        wasUnwritten = m_unwritten.remove(each.path) > 0 || wasUnwritten;
    }
    if (!change->isNothing()) {
        push(title, *change, {.typing = typing});
    } else if (wasUnwritten) {
        mergeProblems();
    }
    return true;
}

/// Resetting a single value loses nothing.
bool ExperimentDocument::Private::removesSomething(const QList<FieldEdit>& edits) const
{
    return std::any_of(edits.begin(), edits.end(), [&](const FieldEdit& edit) {
        const FieldNode* node =
            edit.kind == FieldEdit::Kind::Remove ? m_owner->field(edit.path) : nullptr;
        const bool isSet = node != nullptr && !node->isDefault;
        return isSet && (edits.size() > 1 || node->isMessage || edit.path.endsWith(u']'));
    });
}

void ExperimentDocument::Private::apply(const TextChange& change, int step, bool fromDisk)
{
    m_bytes = change.applied(m_bytes);
    if (step < 0) {
        m_unwritten.clear();
    }
    m_newest->store(++m_revision);
    if (fromDisk) {
        m_savedRevision = m_revision;
        m_base = m_bytes;
        m_changes = 0;
    } else {
        m_changes += step;
        save();
    }
    parse();
}

void ExperimentDocument::Private::save(bool recreates)
{
    const quint64 revision = m_revision;
    const quint64 generation = m_generation;
    const ExperimentFile::Edit edit{m_bytes, m_base, m_bytes == m_base ? 0 : std::max(1, m_changes),
                                    m_foreignTexts, recreates};
    inBackground(
        m_files, m_owner,
        [file = m_onDisk, edit, newest = m_newest,
         revision]() -> std::optional<ExperimentFile::Answer> {
            if (newest->load() > revision) {
                return std::nullopt;
            }
            return file->write(edit);
        },
        [this, revision, generation](const std::optional<ExperimentFile::Answer>& answer) {
            if (answer && generation == m_generation) {
                takeSaved(revision, *answer);
            }
        });
}

void ExperimentDocument::Private::takeSaved(quint64 revision, const ExperimentFile::Answer& answer)
{
    if (answer.result == ExperimentFile::Result::Conflict) {
        m_watcher.lookSoon();
        return;
    }
    if (answer.result == ExperimentFile::Result::Missing) {
        setStanding(Standing::Gone);
        m_watcher.lookSoon();
        return;
    }
    m_saveProblem = answer.error;
    if (answer.result == ExperimentFile::Result::Failed) {
        Q_EMIT m_owner->failed(answer.error);
        return;
    }
    m_savedRevision = std::max(m_savedRevision, revision);
    if (m_standing == Standing::Gone) {
        setStanding(Standing::Settled);
    }
    if (m_savedRevision == m_revision) {
        Q_EMIT m_owner->saved();
    }
}

} // namespace cannery::ui
