// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_snapshot.h"

#include <QWidget>

class QAction;

namespace cannery::ui {

class Button;
class ElidedLabel;
class IconButton;
class Label;
class NotesEditor;
class TagChips;

/// The selected run, below the table: notes, tags, facts, and the next actions.
class RunsPanel : public QWidget
{
    Q_OBJECT

public:
    RunsPanel(QAction* duplicate, QAction* exportModel, QWidget* parent = nullptr);

    /// `hindrance`: why notes and tags cannot be edited, a sentence; empty if they can.
    void setRun(const RunRow& run, const QString& hindrance);
    void setKnownTags(const QStringList& tags);
    NotesEditor& notes() { return *m_notes; }
    TagChips& tags() { return *m_tags; }

Q_SIGNALS:
    void notesEdited(const QString& run, const QString& notes);
    void tagsEdited(const QString& run, const QStringList& tags);
    void starToggled(const QString& run, bool star);
    void openRequested(const QString& run);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    RunRow m_run;
    QWidget* m_swatch;
    ElidedLabel* m_title;
    IconButton* m_star;
    Button* m_open;
    NotesEditor* m_notes;
    TagChips* m_tags;
    Label* m_facts;
    Button* m_duplicate;
    Button* m_export;
};

/// "Finished 14:03 · 22 s · 12,000 steps": one line about a run.
QString runFacts(const RunRow& run);

} // namespace cannery::ui
