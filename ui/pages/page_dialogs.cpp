// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/page_dialogs.h"

#include "ui/actions/action_registry.h"
#include "ui/pages/home/new_project_dialog.h"
#include "ui/pages/predict_dialog.h"
#include "ui/services/projects/project_session.h"

#include <QAction>

namespace cannery::ui {

namespace {

NewProjectDialog* newProjectDialog(ProjectSession& session, QWidget* window)
{
    if (auto* open = window->findChild<NewProjectDialog*>()) {
        return open;
    }
    auto* dialog = new NewProjectDialog(session, window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
    return dialog;
}

QString shownRun(const QWidget* window)
{
    for (const Page* page : window->findChildren<Page*>()) {
        if (page->isVisible() && !page->currentRun().isEmpty()) {
            return page->currentRun();
        }
    }
    return {};
}

} // namespace

void connectPageDialogs(const PageContext& context, QWidget* window)
{
    ProjectSession& session = *context.session;
    QObject::connect(context.actions->find("action.new_project"), &QAction::triggered, window,
                     [&session, window] { newProjectDialog(session, window); });
    QObject::connect(&session.tables(), &TableImport::askingChanged, window, [&session, window] {
        if (session.tables().isAsking()) {
            newProjectDialog(session, window)
                ->showReading(session.tables().asking(), session.tables().askingReading());
        }
    });
    QObject::connect(&session.tables(), &TableImport::tableWanted, window,
                     [&session, window](const QString& file) {
                         newProjectDialog(session, window)->chooseRows(file);
                     });
    QObject::connect(&session.tables(), &TableImport::asked, window,
                     [&session, window] { newProjectDialog(session, window)->showQuestion(); });
    QObject::connect(context.actions->find("action.export_predictions"), &QAction::triggered,
                     window, [&session, window] {
                         auto* dialog = new PredictDialog(session, window);
                         dialog->setAttribute(Qt::WA_DeleteOnClose);
                         dialog->chooseRun(shownRun(window));
                         dialog->open();
                     });
}

} // namespace cannery::ui
