// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/text_change.h"

#include <QByteArray>
#include <QUndoCommand>

#include <functional>

namespace cannery::ui {

/// Replaces a range of the text; can be undone. Commands with the same typing key become one.
class TextCommand : public QUndoCommand
{
public:
    using Apply = std::function<void(const TextChange&, int step, bool fromDisk)>;

    struct Options
    {
        bool fromDisk = false; ///< the file already has the new text
        QString typing;        ///< of one field while it has the focus; empty if it is never merged
    };

    TextCommand(const QString& text, const QByteArray& before, TextChange change, Options options,
                Apply apply);

    /// 0 for a change that becomes part of the one before it.
    void setStep(int step) { m_step = step; }
    const QString& typing() const { return m_options.typing; }

    void redo() override;
    void undo() override { m_apply(m_backward, -1, false); }
    int id() const override { return m_options.typing.isEmpty() ? -1 : 1; }
    bool mergeWith(const QUndoCommand* next) override;

private:
    QByteArray m_before; ///< only of typing
    TextChange m_backward;
    TextChange m_forward;
    Apply m_apply;
    Options m_options;
    int m_step = 1;
};

} // namespace cannery::ui
