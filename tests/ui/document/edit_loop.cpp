// SPDX-License-Identifier: GPL-3.0-only
#include "tests/ui/document/edit_loop.h"

#include "tests/support/patience.h"
#include "ui/document/experiment_document.h"

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QUndoStack>

namespace cannery::tests {

using namespace ui;

EditLoop::EditLoop(ExperimentDocument& document, quint32 seed)
    : m_document(&document), m_random(seed)
{}

void EditLoop::step()
{
    ++m_made;
    m_passing.clear();
    const QString number = QString::number(m_random.bounded(1, 1'000'000));
    switch (m_random.bounded(8)) {
    case 0:
    case 1:
        m_document->undoStack()->undo();
        break;
    case 2:
        m_document->undoStack()->redo();
        break;
    case 3:
        for (int digits = 1; digits <= number.size(); ++digits) {
            m_document->edits().typeValue(QStringLiteral("train_spec.max_steps"),
                                          number.left(digits));
            m_passing << m_document->text().toUtf8();
        }
        m_document->edits().endTyping();
        break;
    case 4:
        m_document->apply(QStringLiteral("Add"),
                          {FieldEdit::insert(QStringLiteral("feature_column[0]"),
                                             QStringLiteral("{ name: \"c%1\" numeric_column { "
                                                            "key: \"age\" } }")
                                                 .arg(m_made))});
        break;
    case 5:
        m_document->apply(QStringLiteral("Remove"),
                          {FieldEdit::remove(QStringLiteral("feature_column[1]"))});
        break;
    default:
        m_document->setValue(QStringLiteral("eval_spec.steps"), number);
    }
}

bool openAndWait(ExperimentDocument& document, const QString& file)
{
    document.open(file);
    const QDeadlineTimer late(kPatience);
    while (document.isLoading() && !late.hasExpired()) {
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 50);
    }
    return document.isOpen() && !document.isLoading();
}

QList<LoopText> textsOfLoop(const QByteArray& start, quint32 seed, int count)
{
    const QTemporaryDir folder;
    const QString copy = folder.filePath(QStringLiteral("copy.cannery"));
    QFile file(copy);
    ExperimentDocument document;
    if (!file.open(QIODevice::WriteOnly) || file.write(start) != start.size()) {
        return {};
    }
    file.close();
    if (!openAndWait(document, copy)) {
        return {};
    }
    EditLoop loop(document, seed);
    QList<LoopText> texts{{document.text().toUtf8(), 0}};
    for (int i = 0; i < count; ++i) {
        loop.step();
        for (const QByteArray& text : loop.passing()) {
            texts << LoopText{text, i};
        }
        texts << LoopText{document.text().toUtf8(), i + 1};
    }
    return texts;
}

} // namespace cannery::tests
