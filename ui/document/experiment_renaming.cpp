// SPDX-License-Identifier: GPL-3.0-only
#include "ui/document/experiment_renaming.h"

#include "ui/document/experiment_document.h"

#include <QFileInfo>
#include <QUndoCommand>
#include <QUndoStack>

#include <utility>

namespace cannery::ui {
namespace {

/// The file at another path; the move itself is already done when the command is pushed.
class MoveCommand : public QUndoCommand
{
public:
    using Move = std::function<void(const QString& file)>;

    MoveCommand(QString from, QString to, Move move)
        : m_from(std::move(from)), m_to(std::move(to)), m_move(std::move(move))
    {}

    void redo() override
    {
        if (std::exchange(m_wasPushed, true)) {
            m_move(m_to);
        }
    }
    void undo() override { m_move(m_from); }

private:
    QString m_from;
    QString m_to;
    Move m_move;
    bool m_wasPushed = false;
};

} // namespace

void renameExperiment(ExperimentDocument& document, const QString& name, const QString& file,
                      const std::function<void(const QString& error)>& done)
{
    document.edits().endTyping();
    const QString title = ExperimentDocument::tr("Rename Experiment");
    const QList<FieldEdit> edits{name.isEmpty()
                                     ? FieldEdit::remove(QStringLiteral("name"))
                                     : FieldEdit::set(QStringLiteral("name"), quoted(name))};
    QString error;
    const QString from = document.file();
    const QString to = QFileInfo(file).absoluteFilePath();
    if (to == from) {
        document.edits().write(title, edits, error);
        done(error);
        return;
    }
    const auto take = [&document, title, edits, from, to, done](const QString& problem) {
        if (!problem.isEmpty()) {
            done(problem);
            return;
        }
        document.undoStack()->beginMacro(title);
        document.undoStack()->push(new MoveCommand(from, to, [&document](const QString& place) {
            document.storage().moveTo(place, [&document](const QString& why) {
                if (!why.isEmpty()) {
                    Q_EMIT document.failed(why);
                }
            });
        }));
        QString unwritten;
        document.edits().write(title, edits, unwritten);
        document.undoStack()->endMacro();
        done(unwritten);
    };
    document.storage().moveTo(to, take);
}

} // namespace cannery::ui
