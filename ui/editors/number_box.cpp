// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editors/number_box.h"

#include "ui/editors/field_text.h"
#include "ui/widgets/style/theme.h"

namespace cannery::ui {

NumberBox::NumberBox(const FieldSchema& schema, QWidget* parent)
    : QAbstractSpinBox(parent), m_schema(schema)
{
    setFocusPolicy(Qt::StrongFocus);
}

QSize NumberBox::minimumSizeHint() const
{
    return QAbstractSpinBox::minimumSizeHint().expandedTo({scaled(88), 0});
}

void NumberBox::stepBy(int steps)
{
    const QString text = steppedNumber(m_schema, lineEdit()->text(), steps);
    if (text != lineEdit()->text()) {
        Q_EMIT stepped(text);
        setText(text);
    }
}

QValidator::State NumberBox::validate(QString& /*text*/, int& /*position*/) const
{
    return QValidator::Acceptable; // a wrong value becomes a problem, the key is not refused
}

QAbstractSpinBox::StepEnabled NumberBox::stepEnabled() const
{
    const QString text = lineEdit()->text();
    StepEnabled possible = StepNone;
    if (steppedNumber(m_schema, text, 1) != text) {
        possible |= StepUpEnabled;
    }
    if (steppedNumber(m_schema, text, -1) != text) {
        possible |= StepDownEnabled;
    }
    return possible;
}

} // namespace cannery::ui
