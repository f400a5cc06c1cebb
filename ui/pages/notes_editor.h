// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>

class QPlainTextEdit;

namespace cannery::ui {

class MarkdownLabel;

/// Notes in Markdown: read as text, edited in place. A press or Enter begins, leaving the field or
/// Ctrl+Enter keeps what was written, Escape drops it. Links are asked about before they open.
class NotesEditor : public QWidget
{
    Q_OBJECT

public:
    explicit NotesEditor(QWidget* parent = nullptr);

    void setNotes(const QString& markdown);
    /// Why nothing can be written here, a sentence as tool tip; empty when it can.
    void setHindrance(const QString& hindrance);
    bool isEditing() const;
    void edit();

Q_SIGNALS:
    void notesEdited(const QString& markdown);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QString editTip() const;
    void finish(bool keep);
    void showNotes(const QString& markdown);

    MarkdownLabel* m_text;
    QPlainTextEdit* m_field;
    QString m_notes;
    QString m_hovered;   ///< link under the pointer
    QString m_hindrance; ///< why nothing can be written
};

} // namespace cannery::ui
