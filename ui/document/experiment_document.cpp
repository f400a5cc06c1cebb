// SPDX-License-Identifier: GPL-3.0-only
#include "ui/document/experiment_document.h"

#include "ui/document/experiment_reader.h"
#include "ui/document/experiment_text.h"
#include "ui/document/field_tree.h"
#include "ui/document/problem_cures.h"

#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace cannery::ui {

/// In the order of their construction: each refers to those before it, and none to the whole.
struct ExperimentDocument::Parts
{
    explicit Parts(const ExperimentDocument& document)
        : reader(text), storage(text),
          problems(text,
                   [&document](const ProblemRow& row) { return cureOf(row, document).title; }),
          edits(text, reader, storage, problems)
    {}

    ExperimentText text;
    ExperimentReader reader;
    ExperimentStorage storage;
    ExperimentProblems problems;
    ExperimentEdits edits;
};

ExperimentDocument::ExperimentDocument(QObject* parent)
    : QObject(parent), m_parts(std::make_unique<Parts>(*this))
{
    connectParts();
}

ExperimentDocument::~ExperimentDocument()
{
    forget();
}

void ExperimentDocument::connectParts()
{
    const ExperimentStorage& storage = m_parts->storage;
    const auto read = [this] { m_parts->reader.read(file()); };
    connect(&m_parts->text, &ExperimentText::changed, this, [this, read](int step) {
        // What the text could not hold was typed after the state that undo returns to.
        if (step < 0) {
            m_parts->problems.forgetAllUnwritten();
        }
        read();
    });
    connect(&m_parts->reader, &ExperimentReader::finished, this, &ExperimentDocument::takeReading);
    connect(&storage, &ExperimentStorage::opened, this, read);
    connect(&storage, &ExperimentStorage::openingFailed, this, [this](const QString& sentence) {
        forget();
        Q_EMIT changed();
        Q_EMIT problemsChanged();
        Q_EMIT failed(sentence);
    });
    // Its text comes with changed() like any other; reloaded() follows once it is read.
    connect(&storage, &ExperimentStorage::reloading, this, [this] { m_isReloading = true; });
    connect(&storage, &ExperimentStorage::moved, this, [this, read](const QString& from) {
        read();
        Q_EMIT moved(from);
    });
    connect(&storage, &ExperimentStorage::discarded, this, &ExperimentDocument::close);
    connect(&storage, &ExperimentStorage::saved, this, &ExperimentDocument::saved);
    connect(&storage, &ExperimentStorage::failed, this, &ExperimentDocument::failed);
    connect(&storage, &ExperimentStorage::standingChanged, this,
            &ExperimentDocument::standingChanged);
    connect(&storage, &ExperimentStorage::recoveredChanged, this,
            &ExperimentDocument::recoveredChanged);
    connect(&m_parts->problems, &ExperimentProblems::changed, this,
            &ExperimentDocument::problemsChanged);
    connect(&m_parts->edits, &ExperimentEdits::stepMade, this, &ExperimentDocument::stepMade);
    connect(&m_parts->edits, &ExperimentEdits::failed, this, &ExperimentDocument::failed);
    connect(&m_parts->edits, &ExperimentEdits::hindranceChanged, this,
            &ExperimentDocument::changed);
}

void ExperimentDocument::forget()
{
    m_parts->storage.close();
    m_parts->reader.reset(false);
    m_parts->problems.reset();
    m_isReloading = false;
}

void ExperimentDocument::takeReading()
{
    // Problems are published last: who shows them looks up fields in the tree that changed() is
    // about.
    m_parts->problems.setRead(m_parts->reader.reading().problems);
    const bool isReload = std::exchange(m_isReloading, false);
    Q_EMIT changed();
    m_parts->problems.publish();
    if (isReload) {
        Q_EMIT reloaded();
    }
}

void ExperimentDocument::open(const QString& file)
{
    forget();
    m_parts->reader.reset(true);
    m_parts->storage.open(QFileInfo(file).absoluteFilePath());
}

void ExperimentDocument::close()
{
    if (isOpen()) {
        forget();
        Q_EMIT changed();
        Q_EMIT problemsChanged();
    }
}

bool ExperimentDocument::isOpen() const
{
    return !file().isEmpty();
}

bool ExperimentDocument::isLoading() const
{
    return m_parts->reader.isLoading();
}

QString ExperimentDocument::file() const
{
    return m_parts->storage.file();
}

QString ExperimentDocument::text() const
{
    return QString::fromUtf8(m_parts->text.bytes());
}

quint64 ExperimentDocument::revision() const
{
    return m_parts->text.revision();
}

QString ExperimentDocument::name() const
{
    const QString& name = m_parts->reader.reading().name;
    return name.isEmpty() ? QFileInfo(file()).completeBaseName() : name;
}

bool ExperimentDocument::isSettled() const
{
    return !isLoading() && m_parts->storage.isSaved() && m_parts->reader.isCurrent();
}

const FieldNode& ExperimentDocument::root() const
{
    return m_parts->reader.reading().root;
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

bool ExperimentDocument::setValue(const QString& path, const QString& text)
{
    return m_parts->edits.setValue(path, text);
}

bool ExperimentDocument::apply(const QString& title, const QList<FieldEdit>& edits,
                               const QString& remark)
{
    return m_parts->edits.apply(title, edits, remark);
}

QUndoStack* ExperimentDocument::undoStack()
{
    return &m_parts->text.history();
}

ExperimentEdits& ExperimentDocument::edits() const
{
    return m_parts->edits;
}

ExperimentProblems& ExperimentDocument::problems() const
{
    return m_parts->problems;
}

ExperimentStorage& ExperimentDocument::storage() const
{
    return m_parts->storage;
}

QString memberOf(const ExperimentDocument& document, const QString& path)
{
    const FieldNode* node = document.field(path);
    if (node == nullptr) {
        return {};
    }
    const auto found = std::find_if(node->children.begin(), node->children.end(),
                                    [](const FieldNode& child) { return !child.group.isEmpty(); });
    return found == node->children.end() ? QString() : found->name;
}

} // namespace cannery::ui
