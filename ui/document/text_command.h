// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/experiment_reading.h"

#include <QByteArray>
#include <QUndoCommand>

#include <functional>

namespace cannery::ui {

/// Replaces a range of the text; can be undone.
class TextCommand : public QUndoCommand
{
public:
    using Apply = std::function<void(const TextChange&, int step, bool fromDisk)>;

    /// `fromDisk`: the file already has the new text when the command is created.
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

/// Replaces the whole text.
TextChange wholeChange(const QByteArray& before, const QByteArray& after);

} // namespace cannery::ui
