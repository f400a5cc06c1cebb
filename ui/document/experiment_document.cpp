// SPDX-License-Identifier: GPL-3.0-only
#include "ui/document/experiment_document.h"

#include "ui/document/background.h"
#include "ui/document/experiment_document_private.h"
#include "ui/document/field_schema.h"
#include "ui/document/field_tree.h"
#include "ui/document/problem_cures.h"

#include <QFileInfo>

#include <algorithm>

namespace cannery::ui {
namespace {

FieldEdit valueEdit(const QString& path, const QString& text)
{
    return text.trimmed().isEmpty() ? FieldEdit::remove(path) : FieldEdit::set(path, text);
}

} // namespace

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
    return apply(tr("Change %1").arg(labelOf(path)), {valueEdit(path, text)});
}

bool ExperimentDocument::apply(const QString& title, const QList<FieldEdit>& edits,
                               const QString& remark)
{
    endTyping();
    QString error;
    const bool removes = m_private->removesSomething(edits);
    const quint64 before = revision();
    if (!m_private->edit(title, edits, {}, error)) {
        Q_EMIT failed(error);
        return false;
    }
    if (revision() != before) {
        Q_EMIT stepMade({title, remark, edits, removes});
    }
    return true;
}

bool ExperimentDocument::replaceText(const QString& title, const QByteArray& text)
{
    endTyping();
    QString error;
    if (!m_private->mayEdit(error)) {
        Q_EMIT failed(error);
        return false;
    }
    m_private->push(title, changeBetween(m_private->m_bytes, text), {});
    return true;
}

bool ExperimentDocument::typeValue(const QString& path, const QString& text)
{
    QString error;
    if (m_private->edit(tr("Change %1").arg(labelOf(path)), {valueEdit(path, text)},
                        m_private->typingIn(path), error)) {
        return true;
    }
    refuseTyped(path, error);
    return false;
}

void ExperimentDocument::refuseTyped(const QString& path, const QString& sentence)
{
    m_private->takeBackTyping(path);
    const FieldNode* node = field(path);
    m_private->m_unwritten[path] = {.id = QStringLiteral("document.not_written"),
                                    .file = m_private->m_file,
                                    .line = node == nullptr ? 0 : node->line,
                                    .path = path,
                                    .sentence = sentence,
                                    .page = pageOfField(path)};
    m_private->mergeProblems();
}

void ExperimentDocument::endTyping()
{
    ++m_private->m_typings;
}

QString ExperimentDocument::labelOf(const QString& path) const
{
    const std::optional<FieldSchema> schema = fieldSchema(path);
    const FieldNode* node = field(path);
    const bool isElement = node != nullptr && path.endsWith(u']');
    return isElement ? node->name : schema ? schema->label : path;
}

QString ExperimentDocument::written(const QString& path) const
{
    return writtenAt(m_private->m_bytes, path);
}

void ExperimentDocument::setHindrance(const QString& sentence)
{
    if (m_private->m_hindrance != sentence) {
        m_private->m_hindrance = sentence;
        Q_EMIT changed();
    }
}

QString ExperimentDocument::hindrance() const
{
    return m_private->m_hindrance;
}

QUndoStack* ExperimentDocument::undoStack()
{
    return &m_private->m_undo;
}

bool ExperimentDocument::isSaving() const
{
    return m_private->m_savedRevision != m_private->m_revision &&
           m_private->m_saveProblem.isEmpty() && m_private->m_standing == Standing::Settled;
}

bool ExperimentDocument::isSettled() const
{
    return !m_private->m_loading && m_private->m_savedRevision == m_private->m_revision && isRead();
}

bool ExperimentDocument::isRead() const
{
    return m_private->m_reading->bytes == m_private->m_bytes;
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

const ProblemRow* ExperimentDocument::problemAt(const QString& path) const
{
    const ProblemRow* found = nullptr;
    for (const ProblemRow& problem : m_private->m_problems) {
        const bool isHere = problem.path.startsWith(path) &&
                            (problem.path.size() == path.size() || path.isEmpty() ||
                             QStringLiteral(".[").contains(problem.path.at(path.size())));
        if (isHere && (found == nullptr || (found->level == ProblemRow::Level::Warning &&
                                            problem.level == ProblemRow::Level::Error))) {
            found = &problem;
        }
    }
    return found;
}

void ExperimentDocument::setCheckedProblems(quint64 revision, const QList<ProblemRow>& problems)
{
    if (revision == m_private->m_revision && problems != m_private->m_checked) {
        m_private->m_checked = problems;
        m_private->mergeProblems();
    }
}

bool ExperimentDocument::fix(const ProblemRow& problem)
{
    const ProblemCure cure = cureOf(problem, *this);
    return !cure.title.isEmpty() && apply(cure.title, cure.edits);
}

bool ExperimentDocument::isLoading() const
{
    return m_private->m_loading;
}

QString ExperimentDocument::pageOf(const QString& path)
{
    return pageOfField(path);
}

} // namespace cannery::ui
