// SPDX-License-Identifier: GPL-3.0-only
#include "ui/frame/dialogs/frame_dialogs.h"

#include "ui/models/formats.h"
#include "ui/widgets/dialog.h"
#include "ui/widgets/key_value_list.h"
#include "ui/widgets/link_label.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QPlainTextEdit>
#include <QStandardPaths>
#include <QVBoxLayout>

namespace cannery::ui {
namespace {

Dialog* makeDialog(const QString& objectName, const QString& title, QWidget* parent)
{
    auto* dialog = new Dialog(title, parent);
    dialog->setObjectName(objectName);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    return dialog;
}

} // namespace

Dialog* showCommand(const CommandLine& command, QWidget* parent)
{
    Dialog* dialog = makeDialog("dialog.command", Dialog::tr("Command of this page"), parent);
    dialog->setContentWidth(620);
    const bool empty = command.isEmpty();
    dialog->setSentence(empty ? Dialog::tr("There is nothing to run on this page.")
                              : Dialog::tr("This command does the same in a terminal."));
    if (!empty) {
        auto* text = new QPlainTextEdit(dialog);
        text->setObjectName("field.command");
        text->setAccessibleName(Dialog::tr("Command line"));
        QString words = command.display();
        // Paths in the command count from the project's folder.
        if (!command.folder.isEmpty()) {
            words = "cd " + shellQuoted(command.folder) + '\n' + words;
        }
        text->setPlainText(words);
        text->setReadOnly(true);
        text->setTabChangesFocus(true);
        useFont(text, TextRole::Code);
        text->setFixedHeight(scaled(110));
        dialog->body()->addWidget(text);
        Button* copy =
            dialog->addButton(Button::Kind::Primary, Dialog::tr("Copy"), Dialog::keepsOpen);
        copy->setObjectName("button.copy_command");
        copy->setIconName("copy");
        QObject::connect(copy, &QPushButton::clicked, dialog, [words, dialog] {
            QGuiApplication::clipboard()->setText(words);
            dialog->accept();
        });
    }
    dialog->addButton(Button::Kind::Plain, Dialog::tr("Close"), QDialog::Rejected, true);
    dialog->open();
    return dialog;
}

Dialog* showAbout(const QString& engineProgram, QWidget* parent)
{
    Dialog* dialog = makeDialog("dialog.about", Dialog::tr("About Cannery"), parent);
    dialog->setSentence(Dialog::tr("A workbench for canned estimators: TensorFlow's Estimator "
                                   "system, written anew."));
    auto* facts = new KeyValueList(dialog);
    facts->setRows(
        {{Dialog::tr("Version"), QGuiApplication::applicationVersion(), {}},
         {Dialog::tr("Qt"), QString::fromLatin1(qVersion()), {}},
         {Dialog::tr("Engine"), formatPath(engineProgram), engineProgram},
         {Dialog::tr("Settings"),
          formatPath(QStandardPaths::writableLocation(QStandardPaths::AppConfigLocation)),
          {}},
         {Dialog::tr("Licence"),
          Dialog::tr("GNU General Public License, version 3 (the engine: Apache License 2.0)"),
          {}},
         {Dialog::tr("Fonts"),
          Dialog::tr("Inter and JetBrains Mono, SIL Open Font License 1.1"),
          {}}});
    dialog->body()->addWidget(facts);
    dialog->addButton(Button::Kind::Plain, Dialog::tr("Close"), QDialog::Accepted, true);
    dialog->open();
    return dialog;
}

Dialog* askBeforeLeaving(const QStringList& liveRuns, int sweeps, QWidget* parent)
{
    Dialog* dialog =
        makeDialog("dialog.leaving",
                   sweeps == 1            ? Dialog::tr("A sweep is running")
                   : sweeps > 1           ? Dialog::tr("%1 sweeps are running").arg(sweeps)
                   : liveRuns.size() == 1 ? Dialog::tr("%1 is training").arg(liveRuns.first())
                                          : Dialog::tr("%1 runs are training").arg(liveRuns.size()),
                   parent);
    dialog->setContentWidth(520);
    // Engines are processes of their own, which outlive the window.
    dialog->setSentence(Dialog::tr("Training continues without the window; the next start finds it "
                                   "again."));
    const auto add = [dialog](Button::Kind kind, const QString& text, Leaving leaving,
                              const QString& name, bool isDefault) {
        dialog->addButton(kind, text, static_cast<int>(leaving), isDefault)->setObjectName(name);
    };
    add(Button::Kind::Quiet, Dialog::tr("Stay"), Leaving::Stay, "button.stay", false);
    add(Button::Kind::Plain, Dialog::tr("Stop and Keep"), Leaving::StopAndKeep, "button.leave_stop",
        false);
    add(Button::Kind::Primary, Dialog::tr("Keep Training in Background"), Leaving::KeepTraining,
        "button.leave_keep", true);
    dialog->open();
    return dialog;
}

} // namespace cannery::ui
