// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/edit_toasts.h"

#include "ui/document/experiment_document.h"
#include "ui/document/experiment_reading.h"
#include "ui/editors/form_part.h"
#include "ui/pages/page.h"
#include "ui/widgets/toaster.h"

#include <QUndoStack>

#include <algorithm>

namespace cannery::ui {
namespace {

/// On its own page, or in a form of another one.
bool isOn(const Page& page, const QString& path)
{
    if (pageOfField(path) == page.id()) {
        return true;
    }
    const QList<FormPart*> parts = page.findChildren<FormPart*>();
    return std::any_of(parts.begin(), parts.end(), [&](const FormPart* part) {
        return part->path() == path && part->isVisible();
    });
}

} // namespace

EditToasts::EditToasts(ExperimentDocument& document, Toaster& toaster,
                       std::function<const Page*()> shown, QObject* parent)
    : QObject(parent), m_document(&document), m_toaster(&toaster), m_shown(std::move(shown))
{
    connect(&document, &ExperimentDocument::stepMade, this, &EditToasts::show);
    // Undo would undo something else.
    connect(document.undoStack(), &QUndoStack::indexChanged, this, [this](int index) {
        if (!m_words.isEmpty() && index != m_shownIndex && m_toaster->text() == m_words) {
            m_toaster->hide();
        }
    });
}

bool EditToasts::isShown(const EditStep& step, const Page* shown)
{
    if (step.removes || !step.remark.isEmpty()) {
        return true;
    }
    return shown == nullptr ||
           std::none_of(step.edits.begin(), step.edits.end(),
                        [&](const FieldEdit& edit) { return isOn(*shown, edit.path); });
}

void EditToasts::show(const EditStep& step)
{
    if (!isShown(step, m_shown())) {
        return;
    }
    QUndoStack* history = m_document->undoStack();
    m_words = step.remark.isEmpty() ? step.title : tr("%1. %2").arg(step.title, step.remark);
    m_shownIndex = history->index();
    m_toaster->show(m_words, tr("Undo"), [history] { history->undo(); });
}

} // namespace cannery::ui
