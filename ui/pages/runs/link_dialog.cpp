// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/runs/link_dialog.h"

#include "ui/services/outside.h"
#include "ui/widgets/dialog.h"
#include "ui/widgets/style/theme.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QPlainTextEdit>
#include <QUrl>
#include <QVBoxLayout>

namespace cannery::ui {

void askToOpenLink(const QUrl& link, QWidget* parent)
{
    auto* dialog = new Dialog(Dialog::tr("Open this link?"), parent->window());
    dialog->setObjectName("dialog.link");
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setContentWidth(560);
    // The words of a link can name any other host.
    dialog->setSentence(Dialog::tr("It leads to %1, outside Cannery.")
                            .arg(link.host().isEmpty() ? link.scheme() : link.host()));
    auto* address = new QPlainTextEdit(link.toString(QUrl::FullyEncoded));
    address->setObjectName("field.link");
    address->setAccessibleName(Dialog::tr("Address"));
    address->setReadOnly(true);
    address->setTabChangesFocus(true);
    useFont(address, TextRole::Code);
    address->setFixedHeight(scaled(72));
    dialog->body()->addWidget(address);
    dialog->addButton(Button::Kind::Quiet, Dialog::tr("Copy Link"), Dialog::keepsOpen)
        ->setObjectName("button.copy_link");
    QObject::connect(dialog->findChild<Button*>("button.copy_link"), &QPushButton::clicked, dialog,
                     [address] { QGuiApplication::clipboard()->setText(address->toPlainText()); });
    auto* open =
        dialog->addButton(Button::Kind::Plain, Dialog::tr("Open in Browser"), Dialog::keepsOpen);
    open->setObjectName("button.open_link");
    QObject::connect(open, &QPushButton::clicked, dialog, [dialog, link] {
        openOutside(dialog, link, [dialog](const QString& problem) {
            if (problem.isEmpty()) {
                dialog->accept();
            } else {
                dialog->setSentence(problem);
            }
        });
    });
    dialog->addButton(Button::Kind::Plain, Dialog::tr("Cancel"), QDialog::Rejected, true)
        ->setObjectName("button.cancel_link");
    dialog->open();
}

} // namespace cannery::ui
