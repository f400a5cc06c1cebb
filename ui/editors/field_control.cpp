// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editors/field_control.h"

#include "ui/document/experiment_document.h"
#include "ui/editors/choice_control.h"
#include "ui/editors/line_control.h"
#include "ui/editors/names_control.h"

#include <QEvent>

#include <utility>

namespace cannery::ui {

FieldControl::FieldControl(const FormContext& context, FieldSchema schema, const QString& path,
                           QWidget* parent)
    : FormPart(context, path, parent), m_schema(std::move(schema))
{}

FieldControl* FieldControl::make(const FormContext& context, const FieldSchema& schema,
                                 const QString& path)
{
    const bool isChoice =
        schema.kind == FieldSchema::Kind::Choice || schema.kind == FieldSchema::Kind::YesNo;
    if (isChoice && !schema.isRepeated) {
        return new ChoiceControl(context, schema, path);
    }
    if (schema.isRepeated && schema.names != FieldNames::Nothing &&
        schema.names != FieldNames::File) {
        return new NamesControl(context, schema, path);
    }
    return new LineControl(context, schema, path);
}

void FieldControl::setUpField(QWidget* field)
{
    field->setObjectName(QStringLiteral("field.") + path());
    field->setAccessibleName(context().accessibleName(m_schema.label));
    field->setAccessibleDescription(m_schema.help);
    field->setToolTip(m_schema.help + u'\n' + path());
    field->installEventFilter(this);
    setFocusProxy(field);
}

bool FieldControl::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) {
        if (event->type() == QEvent::FocusOut) {
            document().edits().endTyping();
            QMetaObject::invokeMethod(this, &FieldControl::refresh, Qt::QueuedConnection);
        }
        Q_EMIT focusChanged(event->type() == QEvent::FocusIn);
    }
    return FormPart::eventFilter(watched, event);
}

} // namespace cannery::ui
