// SPDX-License-Identifier: GPL-3.0-only
// Annotations of runs: written in the background, shown at once, undone by the history.

#include "storage/runs/annotation_store.h"
#include "ui/services/runs/run_catalog_private.h"

#include <QDateTime>
#include <QUndoCommand>

namespace cannery::ui {
namespace {

using storage::AnnotationStore;
using storage::RunStore;

double now()
{
    return static_cast<double>(QDateTime::currentMSecsSinceEpoch()) / 1000;
}

QStringList cleanTags(const QStringList& tags)
{
    QStringList clean;
    // Sorted, and each once: equal sets of tags must compare as equal.
    for (const QString& tag : tags) {
        const QString trimmed = tag.trimmed();
        if (!trimmed.isEmpty() && !clean.contains(trimmed)) {
            clean.append(trimmed);
        }
    }
    clean.sort();
    return clean;
}

Result<void> writeTags(RunStore& store, const std::string& run, const QStringList& tags)
{
    // Only the difference is written, in one transaction: a window that reads meanwhile never sees
    // a run without tags.
    return store.database().transaction([&]() -> Result<void> {
        AnnotationStore annotations(store.database());
        CANNERY_TRY_ASSIGN(const storage::RunAnnotations before, annotations.read(run));
        for (const std::string& tag : before.tags) {
            if (!tags.contains(QString::fromStdString(tag))) {
                CANNERY_TRY(annotations.removeTag(run, tag));
            }
        }
        for (const QString& tag : tags) {
            CANNERY_TRY(annotations.addTag(run, tag.toStdString()));
        }
        return {};
    });
}

/// An annotation and its inverse.
class CatalogCommand : public QUndoCommand
{
public:
    CatalogCommand(const QString& text, std::function<void()> redo, std::function<void()> undo)
        : QUndoCommand(text), m_redo(std::move(redo)), m_undo(std::move(undo))
    {}

    void redo() override { m_redo(); }
    void undo() override { m_undo(); }

private:
    std::function<void()> m_redo;
    std::function<void()> m_undo;
};

} // namespace

void RunCatalog::Private::perform(const QString& text, std::function<void()> redo,
                                  std::function<void()> undo)
{
    if (history) {
        history->push(new CatalogCommand(text, std::move(redo), std::move(undo)));
    } else {
        redo();
    }
}

bool RunCatalog::Private::canWrite() const
{
    const QString hindrance = shown->changeHindrance();
    if (!hindrance.isEmpty()) {
        Q_EMIT q->failed(hindrance);
    }
    return hindrance.isEmpty();
}

QString RunCatalog::Private::nameOf(const QString& run) const
{
    const RunRow* row = shown->find(run);
    return row ? row->displayName() : run;
}

template <typename Value, typename Set>
void RunCatalog::Private::annotate(const QString& run, const QString& what, Value RunRow::*field,
                                   const Value& value, Set set)
{
    const RunRow* row = shown->find(run);
    // An annotation that changes nothing must not become a step of the history.
    if (!row || row->*field == value || !canWrite()) {
        return;
    }
    const auto write = [this, run, field, set](const Value& wanted) {
        // `set` is called on the worker's thread, long after this function: it gets copies.
        edit(
            run, [field, wanted](RunRow& changed) { changed.*field = wanted; },
            [name = run.toStdString(), wanted, set](RunStore& store) {
                return set(store, name, wanted);
            });
    };
    perform(
        what.arg(nameOf(run)), [write, value] { write(value); },
        [write, before = row->*field] { write(before); });
}

void RunCatalog::setTitle(const QString& run, const QString& title)
{
    m_private->annotate(
        run, tr("Rename %1"), &RunRow::title, title,
        [](RunStore& store, const std::string& name, const QString& text) {
            return AnnotationStore(store.database()).setTitle(name, text.toStdString());
        });
}

void RunCatalog::setNotes(const QString& run, const QString& notes)
{
    m_private->annotate(
        run, tr("Notes on %1"), &RunRow::notes, notes,
        [](RunStore& store, const std::string& name, const QString& text) {
            return AnnotationStore(store.database()).setNotes(name, text.toStdString());
        });
}

void RunCatalog::setStar(const QString& run, bool star)
{
    m_private->annotate(run, tr("Star of %1"), &RunRow::starred, star,
                        [](RunStore& store, const std::string& name, bool is) {
                            return AnnotationStore(store.database()).setStar(name, is);
                        });
}

void RunCatalog::setTags(const QString& run, const QStringList& tags)
{
    m_private->annotate(run, tr("Tags of %1"), &RunRow::tags, cleanTags(tags),
                        [](RunStore& store, const std::string& name, const QStringList& wanted) {
                            return writeTags(store, name, wanted);
                        });
}

void RunCatalog::setColourSlot(const QString& run, int slot)
{
    m_private->annotate(run, tr("Colour of %1"), &RunRow::colourSlot, slot,
                        [](RunStore& store, const std::string& name, int wanted) {
                            return AnnotationStore(store.database()).setColourSlot(name, wanted);
                        });
}

void RunCatalog::moveToTrash(const QStringList& runs)
{
    QStringList movable;
    for (const QString& run : runs) {
        const RunRow* found = m_private->shown->find(run);
        // The others are moved all the same.
        if (found && isLive(found->state)) {
            Q_EMIT failed(tr("%1 is training; stop it before moving it to the Trash.")
                              .arg(found->displayName()));
        } else if (found && !found->trashed) {
            movable.append(run);
        }
    }
    if (movable.isEmpty() || !m_private->canWrite()) {
        return;
    }
    m_private->perform(
        movable.size() == 1 ? tr("Move %1 to the Trash").arg(m_private->nameOf(movable.front()))
                            : tr("Move %1 runs to the Trash").arg(movable.size()),
        [this, movable] { m_private->trash(movable); },
        [this, movable] { m_private->restore(movable); });
}

void RunCatalog::Private::trash(const QStringList& runs)
{
    // One moment for all, so that they stay together in the Trash's order.
    const double when = now();
    for (const QString& run : runs) {
        edit(
            run,
            [when](RunRow& row) {
                row.trashed = true;
                row.trashedAt = QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(when * 1000));
            },
            [run = run.toStdString(), when](RunStore& store) {
                return store.moveToTrash(run, when);
            });
        trashing.append({lastEdit, run});
    }
}

void RunCatalog::restore(const QStringList& runs)
{
    QStringList trashed;
    for (const QString& run : runs) {
        const RunRow* found = m_private->shown->find(run);
        if (found && found->trashed) {
            trashed.append(run);
        }
    }
    if (trashed.isEmpty() || !m_private->canWrite()) {
        return;
    }
    m_private->perform(
        trashed.size() == 1 ? tr("Restore %1").arg(m_private->nameOf(trashed.front()))
                            : tr("Restore %1 runs").arg(trashed.size()),
        [this, trashed] { m_private->restore(trashed); },
        [this, trashed] { m_private->trash(trashed); });
}

void RunCatalog::Private::restore(const QStringList& runs)
{
    for (const QString& run : runs) {
        edit(
            run,
            [](RunRow& row) {
                row.trashed = false;
                row.trashedAt = {};
            },
            [run = run.toStdString()](RunStore& store) {
                return AnnotationStore(store.database()).restoreFromTrash(run);
            });
    }
}

void RunCatalog::emptyTrash()
{
    if (!m_private->canWrite()) {
        return;
    }
    const ProjectSnapshotPtr before = m_private->shown;
    for (const RunRow& row : before->runs) {
        if (row.trashed) {
            // Not undoable, so past the history. The row stays until the store reports that it is
            // gone.
            m_private->edit(
                row.name, [](RunRow&) {},
                [run = row.name.toStdString()](RunStore& store) {
                    return store.deleteForever(run);
                });
        }
    }
}

} // namespace cannery::ui
