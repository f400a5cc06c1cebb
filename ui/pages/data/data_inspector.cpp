// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/data/data_inspector.h"

#include "ui/document/experiment_document.h"
#include "ui/editing/column_uses.h"
#include "ui/editors/form_section.h"
#include "ui/pages/data/column_inspector.h"
#include "ui/pages/data/column_roles.h"
#include "ui/pages/data/histogram_header.h"
#include "ui/pages/form_names.h"
#include "ui/pages/page_parts.h"
#include "ui/services/projects/project_session.h"
#include "ui/widgets/button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/style/theme.h"

#include <QComboBox>
#include <QFormLayout>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace cannery::ui {
namespace {

const QString kColumns = QStringLiteral("data.column");

} // namespace

DataInspector::DataInspector(ProjectSession& session, QWidget* parent)
    : QWidget(parent), m_session(&session), m_details(new ColumnInspector), m_choices(new QWidget),
      m_roles(new ColumnRoles(session)), m_use(new QComboBox), m_type(new QComboBox),
      m_derive(new Button(Button::Kind::Plain, QString())),
      m_data(new FormSection(tr("Table, label and split"), false))
{
    auto* content = new QWidget;
    m_column = new QVBoxLayout(content);
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(0);
    m_roles->setContentsMargins(scaled(16), scaled(16), scaled(16), 0);
    m_column->addWidget(m_roles); // first: it stays where it is while a column is dragged
    m_column->addWidget(m_details);
    addChoices();
    m_column->addWidget(m_data);
    m_column->addStretch(1);
    m_data->setContentsMargins(scaled(16), 0, scaled(8), scaled(16));
    m_data->setForm(formContext(session), QStringLiteral("data"),
                    {.isLeftOut = [](const FieldSchema& field) {
                        return field.name == QLatin1String("column");
                    }});
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(makeScrollArea(content, this));
    connect(&session.document(), &ExperimentDocument::changed, this, &DataInspector::refresh);
    setColumns({}, {}, {});
}

void DataInspector::addChoices()
{
    auto* form = new QFormLayout(m_choices);
    form->setContentsMargins(scaled(16), 0, scaled(16), scaled(8));
    m_use->setObjectName("field.use");
    m_use->setAccessibleName(tr("Use"));
    for (const ColumnUseRow& use : columnUses()) {
        m_use->addItem(use.title, int(use.use));
    }
    m_type->setObjectName("field.type");
    m_type->setAccessibleName(tr("Type"));
    m_type->addItem(tr("Inferred"), QString());
    if (const auto schema = fieldSchema(elementPath(kColumns, 0) + QStringLiteral(".dtype"))) {
        for (const QString& choice : schema->choices) {
            m_type->addItem(choice, choice);
        }
    }
    form->addRow(tr("Use"), m_use);
    form->addRow(tr("Type"), m_type);
    m_derive->setObjectName("button.derive");
    form->addRow(m_derive);
    connect(m_derive, &QPushButton::clicked, this, &DataInspector::deriveWanted);
    m_column->addWidget(m_choices);
    ExperimentDocument& document = m_session->document();
    connect(m_use, &QComboBox::activated, this, [this, &document](int index) {
        useColumns(document, m_columns, static_cast<ColumnUse>(m_use->itemData(index).toInt()));
    });
    connect(m_type, &QComboBox::activated, this, [this, &document](int index) {
        readColumnsAs(document, m_columns, m_type->itemData(index).toString());
    });
}

void DataInspector::setColumns(const DataFacts& facts, const QStringList& columns,
                               const std::optional<DerivedOffer>& offer)
{
    m_derive->setVisible(offer.has_value());
    if (offer) {
        m_derive->setText(offer->label);
        setHindrance(m_derive, offer->hindrance, offer->tip);
    }
    m_facts = facts;
    m_columns = columns;
    m_details->setColumns(facts, columns);
    rebuildForm();
    refresh();
}

void DataInspector::rebuildForm()
{
    const QString wanted = m_columns.size() == 1 ? m_columns.first() : QString();
    // Built again only for another column: a rebuild would take the focus from the field in hand.
    if (wanted == m_formOf) {
        return;
    }
    m_formOf = wanted;
    if (m_form != nullptr) {
        // Deleted later, as an edit of one of its own fields may have led here.
        m_form->hide();
        m_form->deleteLater();
        m_form = nullptr;
    }
    if (wanted.isEmpty()) {
        return;
    }
    m_form = new FieldForm(formContext(*m_session), elementPath(kColumns, wanted),
                           {.isLeftOut = [](const FieldSchema& field) {
                               return field.name == QLatin1String("name") ||
                                      field.name == QLatin1String("dtype");
                           }});
    m_form->setContentsMargins(scaled(2), 0, scaled(8), scaled(8));
    followDocument(m_form, m_session->document());
    m_column->insertWidget(m_column->indexOf(m_choices) + 1, m_form);
    m_form->show();
}

void DataInspector::refresh()
{
    const ExperimentDocument& document = m_session->document();
    m_choices->setVisible(!m_columns.isEmpty() && document.isOpen());
    m_choices->setEnabled(!m_session->project().isReadOnly());
    if (m_columns.isEmpty()) {
        return;
    }
    const ColumnFacts* first = m_facts.find(m_columns.first());
    m_use->setCurrentIndex(m_use->findData(int(useOf(document, m_columns.first()))));
    const QString path = elementPath(kColumns, m_columns.first()) + QStringLiteral(".dtype");
    m_type->setCurrentIndex(std::max(0, m_type->findData(document.value(path))));
    ColumnFacts plain = first == nullptr ? ColumnFacts() : *first;
    plain.use = QStringLiteral("feature"); // a label has a type, too
    m_type->setItemText(0, plain.type.isEmpty() ? tr("Inferred")
                                                : tr("Inferred (%1)").arg(typeWord(plain)));
}

bool DataInspector::reveal(const QString& path)
{
    return m_data->reveal(path) || (m_form != nullptr && m_form->reveal(path));
}

} // namespace cannery::ui
