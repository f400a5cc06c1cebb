// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editors/choice_control.h"

#include "ui/document/experiment_document.h"

#include <QComboBox>
#include <QHBoxLayout>

namespace cannery::ui {

ChoiceControl::ChoiceControl(const FormContext& context, const FieldSchema& schema,
                             const QString& path, QWidget* parent)
    : FieldControl(context, schema, path, parent), m_box(new QComboBox)
{
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(0, 0, 0, 0);
    line->addWidget(m_box);
    if (schema.kind == FieldSchema::Kind::YesNo) {
        m_box->addItem(tr("Yes"), QStringLiteral("true"));
        m_box->addItem(tr("No"), QStringLiteral("false"));
    }
    for (const QString& choice : schema.choices) {
        m_box->addItem(choice, choice);
    }
    m_box->setPlaceholderText(tr("Not set"));
    m_box->setFocusPolicy(Qt::StrongFocus);
    m_box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_box->setMinimumContentsLength(6);
    setUpField(m_box);
    connect(m_box, &QComboBox::activated, this, &ChoiceControl::choose);
}

void ChoiceControl::choose(int index)
{
    const QString value = m_box->itemData(index).toString();
    const FieldNode* present = node();
    if (present == nullptr || present->text != value) {
        document().setValue(path(), value);
    }
}

void ChoiceControl::refresh()
{
    const FieldNode* present = node();
    m_box->setCurrentIndex(present == nullptr ? -1 : m_box->findData(present->text));
}

void ChoiceControl::setProblem(bool isWrong)
{
    m_box->setProperty("problem", isWrong);
    m_box->update();
}

} // namespace cannery::ui
