// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/features/template_dialogs.h"

#include "ui/widgets/label.h"
#include "ui/widgets/style/theme.h"

#include <QComboBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>

namespace cannery::ui {

namespace {

QLineEdit* makeNameField(const QString& name)
{
    auto* field = new QLineEdit(name);
    field->setObjectName("field.template_name");
    field->setAccessibleName(TemplateNameDialog::tr("Name of the template"));
    field->setPlaceholderText(TemplateNameDialog::tr("Name"));
    field->selectAll();
    return field;
}

} // namespace

TemplateNameDialog::TemplateNameDialog(const QString& name, QWidget* parent)
    : Dialog(tr("Rename the template"), parent), m_name(makeNameField(name))
{
    setObjectName("dialog.rename_template");
    setAttribute(Qt::WA_DeleteOnClose);
    body()->addWidget(m_name);
    addButton(Button::Kind::Plain, tr("Cancel"), QDialog::Rejected);
    Button* rename = addButton(Button::Kind::Primary, tr("Rename"), QDialog::Accepted, true);
    connect(m_name, &QLineEdit::textChanged, rename,
            [this, rename] { rename->setEnabled(!this->name().isEmpty()); });
}

QString TemplateNameDialog::name() const
{
    return m_name->text().trimmed();
}

TemplateSaveDialog::TemplateSaveDialog(const QStringList& columns, const QString& selected,
                                       const QStringList& taken, QWidget* parent)
    : Dialog(tr("Save as template"), parent), m_taken(taken), m_name(makeNameField({})),
      m_columns(new QListWidget)
{
    setObjectName("dialog.save_template");
    setAttribute(Qt::WA_DeleteOnClose);
    setSentence(
        tr("The checked feature columns and those they are made of can then be added to any "
           "experiment."));
    m_columns->setObjectName("list.template_columns");
    m_columns->setAccessibleName(tr("Feature columns to save"));
    m_columns->setFixedHeight(scaled(220));
    for (const QString& column : columns) {
        auto* item = new QListWidgetItem(column, m_columns);
        item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
        const bool isChecked = selected.isEmpty() || column == selected;
        item->setCheckState(isChecked ? Qt::Checked : Qt::Unchecked);
    }
    auto* all = new Button(Button::Kind::Link, tr("Check All"));
    all->setObjectName("button.check_all");
    connect(all, &QPushButton::clicked, this, [this] {
        for (int i = 0; i < m_columns->count(); ++i) {
            m_columns->item(i)->setCheckState(Qt::Checked);
        }
    });
    body()->addWidget(m_name);
    body()->addWidget(m_columns);
    body()->addWidget(all, 0, Qt::AlignLeft);
    addButton(Button::Kind::Plain, tr("Cancel"), QDialog::Rejected);
    m_save = addButton(Button::Kind::Primary, tr("Save"), QDialog::Accepted, true);
    connect(m_name, &QLineEdit::textChanged, this, &TemplateSaveDialog::check);
    connect(m_columns, &QListWidget::itemChanged, this, &TemplateSaveDialog::check);
    check();
    m_name->setFocus();
}

void TemplateSaveDialog::check()
{
    const bool isReady = !name().isEmpty() && !columns().isEmpty();
    m_save->setEnabled(isReady);
    m_save->setToolTip(isReady ? QString() : tr("Give it a name, and check at least one column."));
    // The name of the button is the only warning, and Cancel is beside it.
    m_save->setText(m_taken.contains(name()) ? tr("Replace") : tr("Save"));
}

QString TemplateSaveDialog::name() const
{
    return m_name->text().trimmed();
}

QStringList TemplateSaveDialog::columns() const
{
    QStringList columns;
    for (int i = 0; i < m_columns->count(); ++i) {
        if (m_columns->item(i)->checkState() == Qt::Checked) {
            columns.append(m_columns->item(i)->text());
        }
    }
    return columns;
}

TemplateSourcesDialog::TemplateSourcesDialog(const QString& name, const QList<AbsentSource>& absent,
                                             const DataFacts& data, QWidget* parent)
    : Dialog(tr("Apply %1").arg(name), parent)
{
    setObjectName("dialog.template_sources");
    setAttribute(Qt::WA_DeleteOnClose);
    setSentence(tr("This table lacks columns that the template reads. Choose others, or leave out "
                   "what is made of them."));
    for (const AbsentSource& source : absent) {
        addRow(source, data);
    }
    addButton(Button::Kind::Plain, tr("Cancel"), QDialog::Rejected);
    addButton(Button::Kind::Primary, tr("Apply"), QDialog::Accepted, true);
}

void TemplateSourcesDialog::addRow(const AbsentSource& source, const DataFacts& data)
{
    auto* choice = new QComboBox;
    choice->setObjectName("source." + source.name);
    choice->addItem(tr("Leave Out"), QString());
    for (const ColumnFacts& column : data.columns) {
        // A text cannot replace a number, but a number can be read as a text. The label never
        // becomes an input.
        if (column.use != QLatin1String("label") && (column.isNumber() || !source.isNumber)) {
            choice->addItem(column.name, column.name);
        }
    }
    auto* label = new Label(source.name, TextRole::LabelStrong);
    label->setBuddy(choice);
    choice->setAccessibleName(tr("Instead of %1").arg(source.name));
    auto* words = new Label(tr("for %1").arg(source.columns.join(QLatin1String(", "))),
                            TextRole::Label, Ink::Secondary);
    words->setWordWrap(true);
    auto* form = new QFormLayout;
    form->addRow(label, choice);
    body()->addLayout(form);
    body()->addWidget(words);
    m_choices.insert(source.name, choice);
}

QHash<QString, QString> TemplateSourcesDialog::sources() const
{
    QHash<QString, QString> sources;
    for (auto choice = m_choices.begin(); choice != m_choices.end(); ++choice) {
        sources.insert(choice.key(), choice.value()->currentData().toString());
    }
    return sources;
}

} // namespace cannery::ui
