// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editors/names_control.h"

#include "ui/document/experiment_document.h"
#include "ui/editors/name_chips.h"

#include <QHBoxLayout>

namespace cannery::ui {

NamesControl::NamesControl(const FormContext& context, const FieldSchema& schema,
                           const QString& path, QWidget* parent)
    : FieldControl(context, schema, path, parent), m_chips(new NameChips)
{
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(0, 0, 0, 0);
    line->addWidget(m_chips, 1);
    m_chips->setLeast(schema.minCount);
    setUpField(m_chips);
    connect(m_chips, &NameChips::addRequested, this,
            [this](const QString& name) { write(m_chips->names() + QStringList{name}); });
    connect(m_chips, &NameChips::removeRequested, this, [this](int index) {
        QStringList names = m_chips->names();
        names.removeAt(index);
        write(names);
    });
}

void NamesControl::write(const QStringList& names)
{
    document().setValue(path(), names.isEmpty() ? QString() : quotedList(names));
}

void NamesControl::refresh()
{
    QStringList names;
    if (const FieldNode* present = node()) {
        for (const FieldNode& element : present->children) {
            names << element.text;
        }
    }
    m_chips->setNames(names);
    m_chips->setOffered(context().offered(schema().names));
}

void NamesControl::setProblem(bool isWrong)
{
    m_chips->setProperty("problem", isWrong);
    m_chips->update();
}

} // namespace cannery::ui
