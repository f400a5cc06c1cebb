// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QByteArray>
#include <QList>
#include <QRandomGenerator>

namespace cannery::ui {
class ExperimentDocument;
}

namespace cannery::tests {

/// Random edits, undos and redos of an open document; the same ones for the same seed and text.
class EditLoop
{
public:
    EditLoop(ui::ExperimentDocument& document, quint32 seed);

    /// Makes one change, or types a number digit by digit. The document must be loaded.
    void step();
    /// Before the end of the last step: what typing has left for a moment.
    const QList<QByteArray>& passing() const { return m_passing; }

private:
    ui::ExperimentDocument* m_document;
    QRandomGenerator m_random;
    QList<QByteArray> m_passing;
    int m_made = 0;
};

/// Opens the file and waits until it is read; false if that fails.
bool openAndWait(ui::ExperimentDocument& document, const QString& file);

/// A text that the loop goes through.
struct LoopText
{
    QByteArray text;
    int steps = 0; ///< that it includes in full
};

/// The texts that `count` steps go through, the first one included; in a folder of its own.
QList<LoopText> textsOfLoop(const QByteArray& start, quint32 seed, int count);

} // namespace cannery::tests
