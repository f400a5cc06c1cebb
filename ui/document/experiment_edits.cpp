// SPDX-License-Identifier: GPL-3.0-only
#include "ui/document/experiment_edits.h"

#include "ui/document/experiment_problems.h"
#include "ui/document/experiment_reader.h"
#include "ui/document/experiment_storage.h"
#include "ui/document/experiment_text.h"
#include "ui/document/field_schema.h"
#include "ui/document/field_tree.h"

#include <algorithm>

namespace cannery::ui {
namespace {

FieldEdit valueEdit(const QString& path, const QString& text)
{
    return text.trimmed().isEmpty() ? FieldEdit::remove(path) : FieldEdit::set(path, text);
}

} // namespace

ExperimentEdits::ExperimentEdits(ExperimentText& text, const ExperimentReader& reader,
                                 ExperimentStorage& storage, ExperimentProblems& problems)
    : m_text(text), m_reader(reader), m_storage(storage), m_problems(problems)
{}

const FieldNode* ExperimentEdits::field(const QString& path) const
{
    return findField(m_reader.reading().root, path.toStdString());
}

bool ExperimentEdits::setValue(const QString& path, const QString& text)
{
    return apply(tr("Change %1").arg(labelOf(path)), {valueEdit(path, text)});
}

bool ExperimentEdits::apply(const QString& title, const QList<FieldEdit>& edits,
                            const QString& remark)
{
    endTyping();
    QString error;
    const bool removes = removesSomething(edits);
    const quint64 before = m_text.revision();
    if (!write(title, edits, error)) {
        Q_EMIT failed(error);
        return false;
    }
    if (m_text.revision() != before) {
        Q_EMIT stepMade({title, remark, edits, removes});
    }
    return true;
}

bool ExperimentEdits::write(const QString& title, const QList<FieldEdit>& edits, QString& error)
{
    return writeTyped(title, edits, {}, error);
}

bool ExperimentEdits::replaceText(const QString& title, const QByteArray& text)
{
    endTyping();
    QString error;
    if (!mayEdit(error)) {
        Q_EMIT failed(error);
        return false;
    }
    m_text.push(title, changeBetween(m_text.bytes(), text));
    return true;
}

bool ExperimentEdits::typeValue(const QString& path, const QString& text)
{
    QString error;
    if (writeTyped(tr("Change %1").arg(labelOf(path)), {valueEdit(path, text)},
                   m_text.typingIn(path), error)) {
        return true;
    }
    refuseTyped(path, error);
    return false;
}

void ExperimentEdits::refuseTyped(const QString& path, const QString& sentence)
{
    m_text.takeBackTyping(path);
    const FieldNode* node = field(path);
    m_problems.setUnwritten({.id = QStringLiteral("document.not_written"),
                             .file = m_storage.file(),
                             .line = node == nullptr ? 0 : node->line,
                             .path = path,
                             .sentence = sentence,
                             .page = pageOfField(path)});
}

void ExperimentEdits::endTyping()
{
    m_text.endTyping();
}

bool ExperimentEdits::isRead() const
{
    return m_reader.isCurrent();
}

const NetworkOutline& ExperimentEdits::network() const
{
    return m_reader.reading().network;
}

QString ExperimentEdits::labelOf(const QString& path) const
{
    const std::optional<FieldSchema> schema = fieldSchema(path);
    const FieldNode* node = field(path);
    const bool isElement = node != nullptr && path.endsWith(u']');
    return isElement ? node->name : schema ? schema->label : path;
}

QString ExperimentEdits::written(const QString& path) const
{
    return writtenAt(m_text.bytes(), path);
}

void ExperimentEdits::setHindrance(const QString& sentence)
{
    if (m_hindrance != sentence) {
        m_hindrance = sentence;
        Q_EMIT hindranceChanged();
    }
}

/// False, with a sentence, if nothing may be changed now.
bool ExperimentEdits::mayEdit(QString& error)
{
    if (m_storage.file().isEmpty() || m_reader.isLoading()) {
        error = tr("The experiment is not open yet.");
        return false;
    }
    if (!m_hindrance.isEmpty()) {
        error = m_hindrance;
        return false;
    }
    m_storage.keepRecovered();
    return true;
}

/// Makes the edits one undo step; false, with a sentence, if one cannot be written.
bool ExperimentEdits::writeTyped(const QString& title, const QList<FieldEdit>& edits,
                                 const QString& typing, QString& error)
{
    if (!mayEdit(error)) {
        return false;
    }
    const std::optional<TextChange> change = editChange(m_text.bytes(), edits, error);
    if (!change) {
        return false;
    }
    bool wasUnwritten = false;
    for (const FieldEdit& each : edits) {
        wasUnwritten = m_problems.forgetUnwritten(each.path) || wasUnwritten;
    }
    if (!change->isNothing()) {
        m_text.push(title, *change, {.typing = typing});
    } else if (wasUnwritten) {
        m_problems.publish();
    }
    return true;
}

/// Resetting a single value loses nothing.
bool ExperimentEdits::removesSomething(const QList<FieldEdit>& edits) const
{
    return std::any_of(edits.begin(), edits.end(), [&](const FieldEdit& edit) {
        const FieldNode* node = edit.kind == FieldEdit::Kind::Remove ? field(edit.path) : nullptr;
        const bool isSet = node != nullptr && !node->isDefault;
        return isSet && (edits.size() > 1 || node->isMessage || edit.path.endsWith(u']'));
    });
}

} // namespace cannery::ui
