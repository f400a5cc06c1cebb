// SPDX-License-Identifier: GPL-3.0-only
#include "ui/document/experiment_text.h"

#include <utility>

namespace cannery::ui {

void ExperimentText::clear()
{
    // Not the old one set back: what still runs for the file before must not be skipped.
    m_newest = std::make_shared<std::atomic<quint64>>(0);
    m_history.clear();
    m_bytes.clear();
    ++m_revision;
}

void ExperimentText::setOpened(const QByteArray& bytes)
{
    m_bytes = bytes;
    ++m_revision;
}

void ExperimentText::push(const QString& title, TextChange change,
                          const TextCommand::Options& options)
{
    auto command = std::make_unique<TextCommand>(
        title, m_bytes, std::move(change), options,
        [this](const TextChange& c, int step, bool fromDisk) { apply(c, step, fromDisk); });
    if (!continuesTyping(options.typing)) {
        command->setStep(1);
        m_beforeTyping = m_bytes;
    } else {
        command->setStep(0);
    }
    m_history.push(command.release());
}

void ExperimentText::apply(const TextChange& change, int step, bool fromDisk)
{
    m_bytes = change.applied(m_bytes);
    m_newest->store(++m_revision);
    Q_EMIT changed(step, fromDisk);
}

QString ExperimentText::typingIn(const QString& path) const
{
    return QStringLiteral("%1 %2").arg(m_typings).arg(path);
}

bool ExperimentText::continuesTyping(const QString& typing) const
{
    const auto* last = dynamic_cast<const TextCommand*>(
        m_history.index() == m_history.count() ? m_history.command(m_history.index() - 1)
                                               : nullptr);
    return last != nullptr && !typing.isEmpty() && last->typing() == typing;
}

void ExperimentText::takeBackTyping(const QString& path)
{
    const QString typing = typingIn(path);
    if (continuesTyping(typing)) {
        push(m_history.undoText(), changeBetween(m_bytes, m_beforeTyping), {.typing = typing});
    }
}

} // namespace cannery::ui
