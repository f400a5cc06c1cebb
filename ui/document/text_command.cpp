// SPDX-License-Identifier: GPL-3.0-only
#include "ui/document/text_command.h"

#include <utility>

namespace cannery::ui {

TextCommand::TextCommand(const QString& text, const QByteArray& before, TextChange change,
                         Options options, Apply apply)
    : QUndoCommand(text), m_before(options.typing.isEmpty() ? QByteArray() : before),
      m_backward(change.inverse(before)), m_forward(std::move(change)), m_apply(std::move(apply)),
      m_options(std::move(options))
{}

void TextCommand::redo()
{
    m_apply(m_forward, m_step, m_options.fromDisk);
    // Read from the disk once: a redo after an undo is a change to be saved.
    m_options.fromDisk = false;
    m_step = 1;
}

bool TextCommand::mergeWith(const QUndoCommand* next)
{
    const auto* other = dynamic_cast<const TextCommand*>(next);
    if (other == nullptr || other->m_options.typing != m_options.typing) {
        return false;
    }
    const QByteArray after = other->m_forward.applied(other->m_before);
    m_forward = changeBetween(m_before, after);
    m_backward = m_forward.inverse(m_before);
    // Typed and taken back: the step would undo nothing.
    setObsolete(m_forward.isNothing());
    return true;
}

} // namespace cannery::ui
