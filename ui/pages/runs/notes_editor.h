// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>

class QPlainTextEdit;

namespace cannery::ui {

class MarkdownLabel;

/// Notes in Markdown: shown as text, edited in place. A click or Enter starts editing, leaving the
/// field or Ctrl+Enter keeps the text, Escape discards it. Links are confirmed before they open.
class NotesEditor : public QWidget
{
    Q_OBJECT

public:
    explicit NotesEditor(QWidget* parent = nullptr);

    void setNotes(const QString& markdown);
    /// Why nothing can be written, a sentence shown as the tooltip; empty if it can.
    void setHindrance(const QString& hindrance);
    bool isEditing() const;
    void edit();

Q_SIGNALS:
    void notesEdited(const QString& markdown);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

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
