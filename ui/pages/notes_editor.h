#pragma once

#include <QWidget>

class QPlainTextEdit;

namespace cannery::ui {

class Label;

/// Notes in Markdown: read as text, edited in place. A press or Enter begins, leaving the field or
/// Ctrl+Enter keeps what was written, Escape drops it.
class NotesEditor : public QWidget
{
    Q_OBJECT

public:
    explicit NotesEditor(QWidget* parent = nullptr);

    void setNotes(const QString& markdown);
    void setReadOnly(bool readOnly);
    bool isEditing() const;
    void edit();

Q_SIGNALS:
    void notesEdited(const QString& markdown);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void finish(bool keep);
    void showNotes(const QString& markdown);

    Label* m_text;
    QPlainTextEdit* m_field;
    QString m_notes;
    bool m_readOnly = false;
};

} // namespace cannery::ui
