// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editors/message_section.h"

#include "ui/document/experiment_document.h"
#include "ui/editors/field_form.h"
#include "ui/widgets/button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/style/theme.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

namespace cannery::ui {

MessageSection::MessageSection(const FormContext& context, const FieldSchema& schema,
                               const QString& path, QWidget* parent)
    : FormPart(context, path, parent), m_schema(schema), m_column(new QVBoxLayout(this)),
      m_button(new Button(Button::Kind::Link, tr("Add")))
{
    setObjectName(QStringLiteral("section.") + path);
    m_column->setContentsMargins(0, scaled(8), 0, 0);
    m_column->setSpacing(scaled(2));
    auto* head = new QHBoxLayout;
    auto* title = new Label(schema.label, TextRole::LabelStrong, Ink::Secondary);
    title->setToolTip(schema.help + u'\n' + path);
    m_button->setObjectName(QStringLiteral("field.") + path);
    m_button->setToolTip(schema.help);
    head->addWidget(title, 1);
    head->addWidget(m_button);
    m_column->addLayout(head);
    connect(m_button, &QPushButton::clicked, this, &MessageSection::addOrRemove);
    refresh();
}

void MessageSection::addOrRemove()
{
    const FieldNode* present = node();
    if (present == nullptr) {
        document().apply(tr("Add %1").arg(m_schema.label),
                         {FieldEdit::set(path(), QStringLiteral("{ }"))});
    } else {
        document().apply(tr("Remove %1").arg(m_schema.label), {FieldEdit::remove(path())});
    }
}

void MessageSection::refresh()
{
    const FieldNode* present = node();
    const bool isThere = present != nullptr;
    const bool canRemove = isThere && !present->isDefault && !m_schema.isRequired;
    m_button->setText(isThere ? tr("Reset") : tr("Add"));
    m_button->setAccessibleName(
        (isThere ? tr("Reset %1") : tr("Add %1")).arg(context().accessibleName(m_schema.label)));
    m_button->setVisible(!isThere || canRemove);
    if (isThere && m_form == nullptr) {
        FormContext inner = context();
        inner.prefix = context().accessibleName(m_schema.label);
        m_form = new FieldForm(inner, path(), {});
        m_column->addWidget(m_form);
    } else if (!isThere && m_form != nullptr) {
        m_form->hide();
        m_form->deleteLater();
        m_form = nullptr;
    } else if (m_form != nullptr) {
        m_form->refresh();
    }
}

int MessageSection::find()
{
    const int inside = m_form == nullptr ? 0 : m_form->find();
    return inside + (context().isFound(m_schema.label, path(), m_schema.help) ? 1 : 0);
}

void MessageSection::refreshProblems()
{
    if (m_form != nullptr) {
        m_form->refreshProblems();
    }
}

} // namespace cannery::ui
