// SPDX-License-Identifier: GPL-3.0-only
// edits_until_killed FILE SEED COUNT: edits an experiment as a window does, until it is killed or
// has made COUNT changes. Prints the text it starts from ("start BASE64") and, whenever the
// document reports that everything is saved, how many changes that includes ("saved 7").

#include "tests/ui/document/edit_loop.h"
#include "ui/document/experiment_document.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QObject>
#include <QUndoStack>

#include <unistd.h>

namespace {

/// At once, so that a kill right afterwards does not lose it.
void say(const QByteArray& line)
{
    const QByteArray whole = line + '\n';
    if (::write(STDOUT_FILENO, whole.constData(), static_cast<size_t>(whole.size())) < 0) {
        ::_exit(3);
    }
}

} // namespace

int main(int argc, char** argv)
{
    const QCoreApplication application(argc, argv);
    const QStringList words = QCoreApplication::arguments();
    if (words.size() != 4) {
        return 2;
    }
    cannery::ui::ExperimentDocument document;
    int made = 0;
    QObject::connect(&document, &cannery::ui::ExperimentDocument::saved, &application,
                     [&] { say("saved " + QByteArray::number(made)); });
    if (!cannery::tests::openAndWait(document, words.at(1))) {
        return 1;
    }
    document.storage().keepRecovered();
    document.undoStack()->clear();
    say("start " + document.text().toUtf8().toBase64());
    cannery::tests::EditLoop loop(document, words.at(2).toUInt());
    const int count = words.at(3).toInt();
    const auto settle = [&document](int milliseconds) {
        QElapsedTimer time;
        time.start();
        while (document.storage().isSaving() && time.elapsed() < milliseconds) {
            QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
        }
    };
    while (made < count) {
        ++made; // counts before `saved` can be emitted for it
        loop.step();
        // Sometimes several changes at once, as keys that are held.
        settle(made % 3 == 0 ? 2000 : 0);
        QCoreApplication::processEvents();
    }
    settle(5000);
    return 0;
}
