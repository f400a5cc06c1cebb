// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/runs/notes_editor.h"

#include "ui/pages/runs/link_dialog.h"
#include "ui/widgets/markdown_label.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QKeyEvent>
#include <QPainter>
#include <QPlainTextEdit>
#include <QUrl>
#include <QVBoxLayout>

namespace cannery::ui {
namespace {

constexpr double kFocusRadius = 4;

} // namespace

NotesEditor::NotesEditor(QWidget* parent)
    : QWidget(parent), m_text(new MarkdownLabel), m_field(new QPlainTextEdit)
{
    setObjectName("notes");
    setAccessibleName(tr("Notes"));
    setFocusPolicy(Qt::StrongFocus);
    m_text->setObjectName("notes.text");
    m_text->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_text->setCursor(Qt::IBeamCursor);
    m_text->setToolTip(editTip());
    m_text->installEventFilter(this);
    connect(m_text, &QLabel::linkHovered, this, [this](const QString& link) {
        m_hovered = link;
        m_text->setToolTip(link.isEmpty() ? editTip() : link);
    });
    connect(m_text, &QLabel::linkActivated, this,
            [this](const QString& link) { askToOpenLink(QUrl(link), this); });
    m_field->setObjectName("field.notes");
    m_field->setAccessibleName(tr("Notes in Markdown"));
    m_field->setTabChangesFocus(true);
    m_field->setPlaceholderText(tr("Notes, in Markdown"));
    m_field->setFixedHeight(scaled(96));
    m_field->installEventFilter(this);
    m_field->hide();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_text);
    column->addWidget(m_field);
    showNotes({});
}

void NotesEditor::setNotes(const QString& markdown)
{
    if (isEditing() || markdown == m_notes) {
        return; // keep what the user is writing
    }
    m_notes = markdown;
    showNotes(markdown);
}

void NotesEditor::showNotes(const QString& markdown)
{
    const bool isEmpty = markdown.trimmed().isEmpty();
    m_text->setInk(isEmpty ? Ink::Secondary : Ink::Text);
    m_hovered.clear();
    if (isEmpty) {
        m_text->setPlain(!m_hindrance.isEmpty() ? tr("No notes") : tr("Add notes…"));
    } else {
        m_text->setMarkdown(markdown);
    }
}

void NotesEditor::setHindrance(const QString& hindrance)
{
    m_hindrance = hindrance;
    m_text->setToolTip(editTip());
    m_text->setCursor(!hindrance.isEmpty() ? Qt::ArrowCursor : Qt::IBeamCursor);
    showNotes(m_notes);
}

QString NotesEditor::editTip() const
{
    return m_hindrance.isEmpty() ? tr("Click to edit the notes") : m_hindrance;
}

bool NotesEditor::isEditing() const
{
    return m_field->isVisibleTo(this);
}

void NotesEditor::edit()
{
    if (!m_hindrance.isEmpty()) {
        return;
    }
    m_field->setPlainText(m_notes);
    m_text->hide();
    m_field->show();
    m_field->moveCursor(QTextCursor::End);
    m_field->setFocus(Qt::OtherFocusReason);
}

void NotesEditor::finish(bool keep)
{
    if (!isEditing()) {
        return;
    }
    const QString written = m_field->toPlainText().trimmed();
    m_field->hide();
    m_text->show();
    if (keep && written != m_notes) {
        m_notes = written;
        showNotes(written);
        Q_EMIT notesEdited(written);
    }
}

bool NotesEditor::eventFilter(QObject* watched, QEvent* event)
{
    // A click on a link opens that instead.
    if (watched == m_text && event->type() == QEvent::MouseButtonPress && m_hovered.isEmpty()) {
        edit();
        return true;
    }
    // A context menu has the focus only while it is open.
    if (watched == m_field && event->type() == QEvent::FocusOut &&
        static_cast<QFocusEvent*>(event)->reason() != Qt::PopupFocusReason) {
        finish(true);
    }
    if (watched == m_field && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool isEnter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
        if (key->key() == Qt::Key_Escape || (isEnter && key->modifiers() & Qt::ControlModifier)) {
            finish(isEnter);
            setFocus(Qt::OtherFocusReason);
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void NotesEditor::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter ||
        event->key() == Qt::Key_Space) {
        edit();
        return;
    }
    QWidget::keyPressEvent(event);
}

void NotesEditor::paintEvent(QPaintEvent* /*event*/)
{
    if (showsFocusRing(*this)) {
        QPainter painter(this);
        paintFocusRing(painter, rect(), kFocusRadius);
    }
}

} // namespace cannery::ui
