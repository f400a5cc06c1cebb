// SPDX-License-Identifier: GPL-3.0-only
#include "ui/document/experiment_document.h"

#include "ui/document/background.h"
#include "ui/document/experiment_file.h"
#include "ui/document/experiment_reading.h"
#include "ui/document/field_tree.h"
#include "ui/document/file_watcher.h"

#include <QFileInfo>
#include <QThreadPool>
#include <QUndoStack>

#include <algorithm>
#include <atomic>
#include <functional>

namespace cannery::ui {
namespace {

/// One stretch of the text exchanged for another, back and forth.
class TextCommand : public QUndoCommand
{
public:
    using Apply = std::function<void(const TextChange&, int step, bool fromDisk)>;

    /// `fromDisk`: the file has the new text already when the command is made.
    TextCommand(const QString& text, const QByteArray& before, TextChange change, bool fromDisk,
                Apply apply)
        : QUndoCommand(text), m_backward(change.inverse(before)), m_forward(std::move(change)),
          m_apply(std::move(apply)), m_fromDisk(fromDisk)
    {}

    void redo() override
    {
        m_apply(m_forward, 1, m_fromDisk);
        m_fromDisk = false;
    }
    void undo() override { m_apply(m_backward, -1, false); }

private:
    TextChange m_backward;
    TextChange m_forward;
    Apply m_apply;
    bool m_fromDisk;
};

TextChange wholeChange(const QByteArray& before, const QByteArray& after)
{
    return {0, before.size(), after};
}

bool isSameProblem(const ProblemRow& a, const ProblemRow& b)
{
    return a.id == b.id && a.path == b.path && a.line == b.line && a.column == b.column;
}

} // namespace

class ExperimentDocument::Private
{
public:
    explicit Private(ExperimentDocument* owner) : m_owner(owner)
    {
        m_files.setMaxThreadCount(1);
        m_parser.setMaxThreadCount(1);
    }

    void takeOpened(const ExperimentFile::Answer& answer, const ExperimentFile::Journal& journal);
    void apply(const TextChange& change, int step, bool fromDisk);
    void push(const QString& text, TextChange change, bool fromDisk = false);
    void parse();
    void takeReading(quint64 revision, ExperimentReadingPtr reading);
    void save();
    void takeSaved(quint64 revision, const ExperimentFile::Answer& answer);
    void lookAtFile();
    void takeForeignText(const QByteArray& bytes);
    void setRecovered(const RecoveredEdits& recovered);
    void mergeProblems();
    void removeJournal();
    void reset();

    ExperimentDocument* m_owner;
    QString m_file;
    QByteArray m_bytes;
    QByteArray m_base; ///< from before the first edit
    int m_changes = 0;
    int m_foreignTexts = 0; ///< that m_bytes takes account of
    quint64 m_revision = 0;
    quint64 m_generation = 0; ///< of open() and close()
    quint64 m_savedRevision = 0;
    bool m_loading = false;
    bool m_reloading = false;
    QString m_saveProblem;
    ExperimentReadingPtr m_reading = std::make_shared<ExperimentReading>();
    QList<ProblemRow> m_checked;
    QList<ProblemRow> m_problems;
    RecoveredEdits m_recovered;
    ExperimentFile::Journal m_journal;
    QUndoStack m_undo;
    FileWatcher m_watcher;
    std::shared_ptr<ExperimentFile> m_onDisk;
    /// So that a write that a newer one follows is left out.
    std::shared_ptr<std::atomic<quint64>> m_newest = std::make_shared<std::atomic<quint64>>(0);
    QThreadPool m_parser;
    QThreadPool m_files;
};

void ExperimentDocument::Private::reset()
{
    ++m_generation;
    m_newest = std::make_shared<std::atomic<quint64>>(0);
    m_watcher.watch({});
    m_undo.clear();
    if (m_onDisk && m_saveProblem.isEmpty() && m_recovered.changes == 0) {
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
    m_problems.clear();
    m_recovered = {};
    m_journal = {};
}

void ExperimentDocument::Private::removeJournal()
{
    m_files.start([file = m_onDisk] { file->removeJournal(); });
}

void ExperimentDocument::Private::takeOpened(const ExperimentFile::Answer& answer,
                                             const ExperimentFile::Journal& journal)
{
    if (answer.result == ExperimentFile::Result::Failed) {
        m_onDisk.reset();
        reset();
        Q_EMIT m_owner->changed();
        Q_EMIT m_owner->problemsChanged();
        Q_EMIT m_owner->failed(answer.error);
        return;
    }
    m_foreignTexts = 1;
    m_bytes = answer.bytes;
    m_base = answer.bytes;
    m_journal = journal;
    m_savedRevision = ++m_revision;
    m_watcher.watch(m_file);
    parse();
    if (journal.changes != 0) {
        setRecovered({journal.changes, journal.text != answer.bytes});
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
                takeReading(revision, std::move(reading));
            }
        });
}

void ExperimentDocument::Private::takeReading(quint64 revision, ExperimentReadingPtr reading)
{
    Q_UNUSED(revision)
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
    Q_EMIT m_owner->problemsChanged();
}

void ExperimentDocument::Private::push(const QString& text, TextChange change, bool fromDisk)
{
    m_undo.push(new TextCommand(
        text, m_bytes, std::move(change), fromDisk,
        [this](const TextChange& c, int step, bool isOnDisk) { apply(c, step, isOnDisk); }));
}

void ExperimentDocument::Private::apply(const TextChange& change, int step, bool fromDisk)
{
    m_bytes = change.applied(m_bytes);
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

void ExperimentDocument::Private::save()
{
    const quint64 revision = m_revision;
    const quint64 generation = m_generation;
    const ExperimentFile::Edit edit{m_bytes, m_base, m_bytes == m_base ? 0 : std::max(1, m_changes),
                                    m_foreignTexts};
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
    m_saveProblem = answer.error;
    if (answer.result == ExperimentFile::Result::Failed) {
        Q_EMIT m_owner->failed(answer.error);
        return;
    }
    m_savedRevision = std::max(m_savedRevision, revision);
    if (m_savedRevision == m_revision) {
        Q_EMIT m_owner->saved();
    }
}

void ExperimentDocument::Private::lookAtFile()
{
    if (!m_onDisk) {
        return;
    }
    const quint64 generation = m_generation;
    inBackground(
        m_files, m_owner, [file = m_onDisk] { return file->read(); },
        [this, generation](const ExperimentFile::Answer& answer) {
            if (generation != m_generation) {
                return;
            }
            if (answer.result == ExperimentFile::Result::Done) {
                takeForeignText(answer.bytes);
            } else if (answer.result == ExperimentFile::Result::Unsettled) {
                m_watcher.lookSoon();
            } else if (answer.result == ExperimentFile::Result::Failed) {
                Q_EMIT m_owner->failed(answer.error);
            }
        });
}

/// Another program's text comes as one undoable step: what a person had edited is an Undo away.
void ExperimentDocument::Private::takeForeignText(const QByteArray& bytes)
{
    ++m_foreignTexts;
    m_saveProblem.clear();
    if (bytes == m_bytes) {
        m_savedRevision = m_revision;
        return;
    }
    m_reloading = true;
    push(tr("Reload"), wholeChange(m_bytes, bytes), true);
}

ExperimentDocument::ExperimentDocument(QObject* parent)
    : QObject(parent), m_private(std::make_unique<Private>(this))
{
    connect(&m_private->m_watcher, &FileWatcher::changed, this,
            [this] { m_private->lookAtFile(); });
}

ExperimentDocument::~ExperimentDocument()
{
    m_private->reset();
    m_private->m_files.waitForDone();
    m_private->m_parser.waitForDone();
}

void ExperimentDocument::open(const QString& file)
{
    m_private->reset();
    m_private->m_file = QFileInfo(file).absoluteFilePath();
    m_private->m_loading = true;
    m_private->m_onDisk = std::make_shared<ExperimentFile>(m_private->m_file);
    using Opened = std::pair<ExperimentFile::Answer, ExperimentFile::Journal>;
    inBackground(
        m_private->m_files, this,
        [onDisk = m_private->m_onDisk] {
            Opened opened{onDisk->read(), {}};
            if (opened.first.result != ExperimentFile::Result::Failed) {
                opened.second = onDisk->orphanedJournal();
            }
            return opened;
        },
        [this, generation = m_private->m_generation](const Opened& opened) {
            if (generation == m_private->m_generation) {
                m_private->takeOpened(opened.first, opened.second);
            }
        });
}

void ExperimentDocument::close()
{
    if (m_private->m_file.isEmpty()) {
        return;
    }
    m_private->reset();
    Q_EMIT changed();
    Q_EMIT problemsChanged();
}

bool ExperimentDocument::isOpen() const
{
    return !m_private->m_file.isEmpty();
}

QString ExperimentDocument::file() const
{
    return m_private->m_file;
}

QString ExperimentDocument::text() const
{
    return QString::fromUtf8(m_private->m_bytes);
}

quint64 ExperimentDocument::revision() const
{
    return m_private->m_revision;
}

QString ExperimentDocument::name() const
{
    const QString& name = m_private->m_reading->name;
    return name.isEmpty() ? QFileInfo(m_private->m_file).completeBaseName() : name;
}

const FieldNode& ExperimentDocument::root() const
{
    return m_private->m_reading->root;
}

const FieldNode* ExperimentDocument::field(const QString& path) const
{
    return findField(root(), path.toStdString());
}

QString ExperimentDocument::value(const QString& path, const QString& otherwise) const
{
    const FieldNode* node = field(path);
    return node == nullptr ? otherwise : node->text;
}

QString ExperimentDocument::member(const QString& path) const
{
    const FieldNode* node = field(path);
    if (node == nullptr) {
        return {};
    }
    const auto found = std::find_if(node->children.begin(), node->children.end(),
                                    [](const FieldNode& child) { return !child.group.isEmpty(); });
    return found == node->children.end() ? QString() : found->name;
}

bool ExperimentDocument::setValue(const QString& path, const QString& text)
{
    if (!m_private->m_onDisk || m_private->m_loading) {
        return false;
    }
    keepRecovered();
    QString error;
    const std::optional<TextChange> change = fieldChange(m_private->m_bytes, path, text, error);
    if (!change) {
        Q_EMIT failed(error);
        return false;
    }
    if (change->applied(m_private->m_bytes) != m_private->m_bytes) {
        m_private->push(tr("Change %1").arg(path), *change);
    }
    return true;
}

QUndoStack* ExperimentDocument::undoStack()
{
    return &m_private->m_undo;
}

bool ExperimentDocument::isSaving() const
{
    return m_private->m_savedRevision != m_private->m_revision &&
           m_private->m_saveProblem.isEmpty();
}

QString ExperimentDocument::saveProblem() const
{
    return m_private->m_saveProblem;
}

const QList<ProblemRow>& ExperimentDocument::problems() const
{
    return m_private->m_problems;
}

bool ExperimentDocument::hasErrors() const
{
    return std::any_of(
        m_private->m_problems.begin(), m_private->m_problems.end(),
        [](const ProblemRow& problem) { return problem.level == ProblemRow::Level::Error; });
}

void ExperimentDocument::setCheckedProblems(quint64 revision, const QList<ProblemRow>& problems)
{
    if (revision == m_private->m_revision && problems != m_private->m_checked) {
        m_private->m_checked = problems;
        m_private->mergeProblems();
    }
}

bool ExperimentDocument::isLoading() const
{
    return m_private->m_loading;
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
                        wholeChange(m_private->m_bytes, m_private->m_journal.text));
    } else {
        m_private->removeJournal();
    }
}

void ExperimentDocument::discardRecovered()
{
    if (m_private->m_recovered.changes == 0) {
        return;
    }
    m_private->setRecovered({});
    m_private->m_base = m_private->m_journal.base;
    if (m_private->m_base != m_private->m_bytes) {
        m_private->push(tr("Discard Recovered Edits"),
                        wholeChange(m_private->m_bytes, m_private->m_journal.base));
    } else {
        m_private->removeJournal();
    }
}

QString ExperimentDocument::pageOf(const QString& path)
{
    return pageOfField(path);
}

} // namespace cannery::ui
