// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editors/oneof_choice.h"

#include "ui/document/experiment_document.h"
#include "ui/document/member_switch.h"
#include "ui/editors/field_form.h"
#include "ui/editors/field_row.h"
#include "ui/widgets/label.h"
#include "ui/widgets/style/theme.h"

#include <QComboBox>
#include <QGridLayout>
#include <QVBoxLayout>

#include <algorithm>

namespace cannery::ui {

OneofChoice::OneofChoice(const FormContext& context, const QString& path, const QString& label,
                         QWidget* parent)
    : FormPart(context, path, parent), m_schema(messageSchema(path).value_or(MessageSchema())),
      m_label(label), m_column(new QVBoxLayout(this)), m_box(new QComboBox),
      m_words(new Label({}, TextRole::Label, Ink::Error))
{
    const std::optional<FieldSchema> self = fieldSchema(path);
    m_canBeUnset = m_schema.isKindOptional || (self && !self->isRepeated && !self->isRequired);
    setObjectName(QStringLiteral("choice.") + path);
    m_box->setObjectName(QStringLiteral("field.") + path);
    m_box->setAccessibleName(context.prefix == label ? label : context.accessibleName(label));
    m_box->setToolTip(m_schema.help + u'\n' + path);
    m_box->setFocusPolicy(Qt::StrongFocus);
    m_box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_box->setMinimumContentsLength(6);
    m_box->setPlaceholderText(tr("Choose…"));
    m_words->setWordWrap(true);
    m_words->hide();
    auto* grid = new QGridLayout;
    grid->setContentsMargins(scaled(18), scaled(2), 0, scaled(2));
    auto* name = new Label(label, TextRole::Body);
    name->setBuddy(m_box);
    name->setWordWrap(true);
    grid->addWidget(name, 0, 0);
    grid->addWidget(m_box, 0, 1);
    grid->addWidget(m_words, 1, 1);
    grid->setHorizontalSpacing(scaled(4));
    const auto fit = [name] { name->setFixedWidth(scaled(kLabelWidth)); };
    fit();
    connect(&themeWatch(), &ThemeWatch::changed, name, fit);
    grid->setColumnStretch(1, 1);
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(0);
    m_column->addLayout(grid);
    fill();
    connect(m_box, &QComboBox::activated, this, &OneofChoice::choose);
    refresh();
}

void OneofChoice::fill()
{
    if (m_canBeUnset) {
        m_box->addItem(m_schema.isKindOptional ? tr("Default") : tr("None"), QString());
    }
    for (const FieldSchema& member : m_schema.members()) {
        m_box->addItem(member.label, member.name);
        m_box->setItemData(m_box->count() - 1, member.help, Qt::ToolTipRole);
    }
}

const FieldNode* OneofChoice::member() const
{
    const FieldNode* message = node();
    if (message == nullptr) {
        return nullptr;
    }
    const auto found = std::find_if(message->children.begin(), message->children.end(),
                                    [](const FieldNode& child) { return !child.group.isEmpty(); });
    return found == message->children.end() ? nullptr : &*found;
}

void OneofChoice::choose(int index)
{
    const QString name = m_box->itemData(index).toString();
    const FieldNode* present = member();
    if (name.isEmpty()) {
        // Removing the message itself would also remove the settings beside the kind.
        const QString what = present != nullptr && m_schema.isKindOptional ? present->path : path();
        document().apply(tr("Reset %1").arg(m_label), {FieldEdit::remove(what)});
    } else if (present == nullptr || present->isDefault || present->name != name) {
        document().apply(tr("Change %1 to %2").arg(m_label, m_box->itemText(index)),
                         switchMember(document(), path(), name).edits);
    }
}

void OneofChoice::refresh()
{
    const FieldNode* present = member();
    const bool isSet = present != nullptr && !present->isDefault;
    if (m_schema.isKindOptional && m_canBeUnset) {
        m_box->setItemText(0, present != nullptr && !isSet ? tr("Default: %1").arg(present->label)
                                                           : tr("Default"));
    }
    m_box->setCurrentIndex(isSet ? m_box->findData(present->name) : m_canBeUnset ? 0 : -1);
    showMember(present);
}

void OneofChoice::showMember(const FieldNode* member)
{
    const QString name = member == nullptr ? QString() : member->name;
    // The old form stays only for the same kind, as its rows belong to its fields.
    if (name != m_shown && m_form != nullptr) {
        m_form->hide();
        m_form->deleteLater();
        m_form = nullptr;
    }
    const FieldSchema* schema = m_schema.field(name);
    if (m_form == nullptr && schema != nullptr) {
        FormContext inner = context();
        inner.prefix = m_label;
        const QString place = childPath(path(), name);
        m_form = schema->kind == FieldSchema::Kind::Message
                     ? static_cast<FormPart*>(new FieldForm(inner, place, {}))
                     : new FieldRow(inner, *schema, place);
        m_column->addWidget(m_form);
    } else if (m_form != nullptr) {
        m_form->refresh();
    }
    m_shown = name;
}

int OneofChoice::find()
{
    const FieldNode* present = member();
    const QString label = present == nullptr ? m_label : m_label + u' ' + present->label;
    const int inside = m_form == nullptr ? 0 : m_form->find();
    if (auto* row = qobject_cast<FieldRow*>(m_form)) {
        row->setVisible(inside > 0 || !context().isLooking());
    }
    return inside + (context().isFound(label, path(), m_schema.help) ? 1 : 0);
}

void OneofChoice::refreshProblems()
{
    const ProblemRow* problem = document().problems().at(path());
    const bool isHere = problem != nullptr && problem->path == path();
    m_box->setProperty("problem", isHere);
    m_box->update();
    m_words->setText(isHere ? problem->sentence : QString());
    m_words->setVisible(isHere);
    if (m_form != nullptr) {
        m_form->refreshProblems();
    }
}

} // namespace cannery::ui
