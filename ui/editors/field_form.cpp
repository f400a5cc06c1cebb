// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editors/field_form.h"

#include "ui/document/experiment_document.h"
#include "ui/editors/element_list.h"
#include "ui/editors/field_row.h"
#include "ui/editors/message_section.h"
#include "ui/editors/oneof_choice.h"
#include "ui/widgets/behaviour/update_throttle.h"
#include "ui/widgets/button.h"
#include "ui/widgets/style/theme.h"

#include <QCoreApplication>
#include <QEvent>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace cannery::ui {
namespace {

bool hasChoice(const QString& path)
{
    const std::optional<MessageSchema> schema = messageSchema(path);
    return schema && !schema->members().isEmpty();
}

} // namespace

FieldForm::FieldForm(const FormContext& context, const QString& path, const Options& options,
                     QWidget* parent)
    : FormPart(context, path, parent), m_options(options), m_column(new QVBoxLayout(this))
{
    setObjectName(QStringLiteral("form.") + path);
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(0);
    if (const std::optional<MessageSchema> schema = messageSchema(path)) {
        build(*schema);
    }
    refresh();
    refreshProblems();
}

void FieldForm::build(const MessageSchema& schema)
{
    const QList<FieldSchema> members = schema.members();
    if (!members.isEmpty() && !m_options.isWithoutChoice) {
        const QString label =
            m_options.choiceLabel.isEmpty() ? schema.label : m_options.choiceLabel;
        auto* choice = new OneofChoice(context(), path(), label);
        m_parts.append({choice, false});
        m_column->addWidget(choice);
    }
    for (const FieldSchema& field : schema.fields) {
        // Members of a oneof are shown by their choice.
        if (field.group.isEmpty() && !(m_options.isLeftOut && m_options.isLeftOut(field))) {
            addField(field);
        }
    }
    const bool hasExperts =
        std::any_of(m_parts.begin(), m_parts.end(), [](const Part& part) { return part.isExpert; });
    if (hasExperts) {
        m_more = new Button(Button::Kind::Link, tr("More fields"));
        m_more->setObjectName(QStringLiteral("more.") + path());
        m_more->setAccessibleName(
            tr("More fields of %1").arg(context().accessibleName(schema.label)));
        connect(m_more, &QPushButton::clicked, this, [this] {
            m_showsExperts = !m_showsExperts;
            showParts();
        });
        m_column->addWidget(m_more, 0, Qt::AlignLeft);
    }
}

FormPart* FieldForm::makePart(const FieldSchema& field)
{
    const QString place = childPath(path(), field.name);
    if (field.kind != FieldSchema::Kind::Message) {
        return new FieldRow(context(), field, place);
    }
    if (field.isRepeated) {
        return new ElementList(context(), field, place);
    }
    if (hasChoice(place)) {
        FormContext inner = context();
        inner.prefix = field.label;
        return new FieldForm(inner, place, {.choiceLabel = field.label});
    }
    return new MessageSection(context(), field, place);
}

void FieldForm::addField(const FieldSchema& field)
{
    FormPart* part = makePart(field);
    m_parts.append({part, field.isExpert});
    m_column->addWidget(part);
    if (auto* row = qobject_cast<FieldRow*>(part)) {
        connect(row, &FieldRow::changedStateChanged, this, &FieldForm::showParts);
    }
}

void FieldForm::showParts()
{
    const bool isLooking = context().isLooking();
    int hidden = 0;
    m_found = 0;
    for (const Part& part : std::as_const(m_parts)) {
        const int found = part.widget->find();
        m_found += found;
        if (isLooking) {
            part.widget->setVisible(found > 0);
            continue;
        }
        // A rarely used field is shown if it is set or wrong, or nobody would find it.
        const FieldNode* node = part.isExpert ? document().field(part.widget->path()) : nullptr;
        const bool isSet = node != nullptr && !node->isDefault;
        const bool hasProblem =
            part.isExpert && document().problems().at(part.widget->path()) != nullptr;
        const bool isVisible = !part.isExpert || m_showsExperts || isSet || hasProblem;
        part.widget->setVisible(isVisible);
        hidden += isVisible ? 0 : 1;
    }
    if (m_more != nullptr) {
        m_more->setText(m_showsExperts ? tr("Fewer fields")
                        : hidden == 1  ? tr("One more field")
                                       : tr("%1 more fields").arg(hidden));
        m_more->setVisible(!isLooking && (hidden > 0 || m_showsExperts));
    }
}

int FieldForm::find()
{
    showParts();
    return m_found;
}

void FieldForm::refresh()
{
    setEnabled(document().edits().hindrance().isEmpty());
    for (const Part& part : std::as_const(m_parts)) {
        part.widget->refresh();
    }
    showParts();
}

void FieldForm::refreshProblems()
{
    for (const Part& part : std::as_const(m_parts)) {
        part.widget->refreshProblems();
    }
    showParts();
}

bool FieldForm::reveal(const QString& path)
{
    m_showsExperts = true;
    // The field may be among the rarely used ones of a form further in.
    for (FieldForm* form : findChildren<FieldForm*>()) {
        form->m_showsExperts = true;
        form->showParts();
    }
    showParts();
    // the field itself, otherwise the nearest message around it that is shown
    for (QString wanted = path; !wanted.isEmpty();
         wanted = wanted.left(std::max<qsizetype>(0, wanted.lastIndexOf(u'.')))) {
        auto* field = findChild<QWidget*>(QStringLiteral("field.") + wanted);
        if (field == nullptr) {
            continue;
        }
        // What was unfolded just now has no place yet.
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
        for (QWidget* outer = field->parentWidget(); outer != nullptr;
             outer = outer->parentWidget()) {
            if (auto* area = qobject_cast<QScrollArea*>(outer)) {
                area->ensureWidgetVisible(field);
            }
        }
        field->setFocus(Qt::ShortcutFocusReason);
        return true;
    }
    return false;
}

void followDocument(FormPart* form, ExperimentDocument& document)
{
    // An edit changes the document several times in a turn; the forms are read once.
    auto* values = new UpdateThrottle(
        form, [form] { form->refresh(); }, UpdateThrottle::kAtOnce);
    auto* problems = new UpdateThrottle(
        form, [form] { form->refreshProblems(); }, UpdateThrottle::kAtOnce);
    QObject::connect(&document, &ExperimentDocument::changed, values, &UpdateThrottle::changed);
    QObject::connect(&document, &ExperimentDocument::problemsChanged, problems,
                     &UpdateThrottle::changed);
}

} // namespace cannery::ui
