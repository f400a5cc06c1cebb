// SPDX-License-Identifier: GPL-3.0-only
#include "ui/document/experiment_file.h"

#include "core/spec/experiment_file.h"
#include "storage/io/atomic_write.h"
#include "ui/document/experiment_document.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <utility>

namespace cannery::ui {
namespace {

std::filesystem::path pathOf(const QString& file)
{
    return {QFile::encodeName(file).toStdString()};
}

ExperimentFile::Answer failure(const Error& error)
{
    return {ExperimentFile::Result::Failed, {}, QString::fromStdString(error.message())};
}

QString base64(const QByteArray& bytes)
{
    return QString::fromLatin1(bytes.toBase64());
}

QByteArray bytesIn(const QJsonObject& object, QLatin1StringView key)
{
    return QByteArray::fromBase64(object.value(key).toString().toLatin1());
}

} // namespace

ExperimentFile::ExperimentFile(const QString& file) : m_file(file) {}

QString ExperimentFile::journalOf(const QString& file)
{
    const QFileInfo info(file);
    return info.absolutePath() + QStringLiteral("/.") + info.fileName() + QStringLiteral(".edits");
}

QString ExperimentFile::nameIn(const QString& experiment, const QString& file)
{
    const QString relative = QFileInfo(experiment).dir().relativeFilePath(file);
    // A path that leads out of the folder is easier to read as it is.
    return relative.startsWith(QLatin1String("..")) ? file : relative;
}

ExperimentFile::Answer ExperimentFile::read()
{
    const auto loaded = spec::loadExperiment(pathOf(m_file));
    if (!loaded) {
        Answer answer = failure(loaded.error());
        // Its absence is another matter than a file that cannot be read: it can be written again.
        answer.result = QFileInfo::exists(m_file) ? Result::Failed : Result::Missing;
        return answer;
    }
    const QByteArray bytes = QByteArray::fromStdString(loaded->tree.text);
    if (m_foreignTexts > 0 && bytes == m_onDisk) {
        return {Result::Unchanged, bytes, {}};
    }
    // Some programs empty a file before they write it: an empty one is believed the second time.
    const bool wasEmpty = std::exchange(m_wasEmpty, bytes.isEmpty());
    if (m_foreignTexts > 0 && bytes.isEmpty() && !wasEmpty) {
        return {Result::Unsettled, {}, {}};
    }
    m_onDisk = bytes;
    ++m_foreignTexts;
    return {Result::Done, bytes, {}};
}

ExperimentFile::Answer ExperimentFile::write(const Edit& edit)
{
    if (!edit.recreates && !QFileInfo::exists(m_file)) {
        writeJournal({edit.base, m_onDisk, edit.text, std::max(1, edit.changes)});
        return {Result::Missing, {}, {}};
    }
    QFile file(m_file);
    // What is on the disk must be what was read, or another program's change would be lost.
    const QByteArray now = file.open(QIODevice::ReadOnly) ? file.readAll() : m_onDisk;
    file.close();
    if (edit.foreignTextsSeen != m_foreignTexts || now != m_onDisk) {
        writeJournal({now, now, edit.text, std::max(1, edit.changes)});
        return {Result::Conflict, {}, {}};
    }
    // The journal first: if the window is killed while it writes, the edits are in one of the two.
    if (edit.changes != 0) {
        writeJournal({edit.base, m_onDisk, edit.text, edit.changes});
    }
    if (const auto saved = storage::replaceFile(pathOf(m_file), edit.text.toStdString()); !saved) {
        return failure(saved.error());
    }
    m_onDisk = edit.text;
    if (edit.changes == 0) {
        removeJournal();
    }
    return {};
}

void ExperimentFile::keepAside(const QByteArray& text, int changes)
{
    writeJournal({m_onDisk, m_onDisk, text, changes});
}

QString ExperimentFile::moveTo(const QString& file)
{
    const QString name = QFileInfo(file).fileName();
    if (QFileInfo::exists(file)) {
        return ExperimentDocument::tr("There already is a file %1 in this folder.").arg(name);
    }
    if (!QFileInfo::exists(m_file)) {
        return ExperimentDocument::tr("%1 was deleted or moved by another program.")
            .arg(QFileInfo(m_file).fileName());
    }
    QFile moved(m_file);
    if (!moved.rename(file)) {
        return ExperimentDocument::tr("%1 cannot be renamed to %2: %3.")
            .arg(QFileInfo(m_file).fileName(), name, moved.errorString());
    }
    // After the file: a journal that belongs to no experiment is offered to nobody.
    QFile::rename(journalOf(m_file), journalOf(file));
    m_file = file;
    return {};
}

bool ExperimentFile::writeJournal(const Journal& journal)
{
    const QJsonObject object{{QStringLiteral("base"), base64(journal.base)},
                             {QStringLiteral("previous"), base64(journal.previous)},
                             {QStringLiteral("text"), base64(journal.text)},
                             {QStringLiteral("changes"), journal.changes}};
    return storage::replaceFile(pathOf(journalOf(m_file)),
                                QJsonDocument(object).toJson(QJsonDocument::Compact).toStdString())
        .has_value();
}

ExperimentFile::Journal ExperimentFile::orphanedJournal()
{
    QFile file(journalOf(m_file));
    if (!file.open(QIODevice::ReadOnly)) {
        return {};
    }
    const QJsonObject object = QJsonDocument::fromJson(file.readAll()).object();
    const Journal journal{bytesIn(object, QLatin1StringView("base")),
                          bytesIn(object, QLatin1StringView("previous")),
                          bytesIn(object, QLatin1StringView("text")),
                          object.value(QStringLiteral("changes")).toInt()};
    // Of a text that another program has changed since, the edits no longer mean anything.
    const bool fits = journal.text == m_onDisk || journal.previous == m_onDisk;
    if (!fits || journal.base == journal.text) {
        removeJournal();
        return {};
    }
    return journal;
}

void ExperimentFile::removeJournal()
{
    QFile::remove(journalOf(m_file));
}

} // namespace cannery::ui
