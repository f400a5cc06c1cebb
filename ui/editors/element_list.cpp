// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editors/element_list.h"

#include "ui/document/experiment_document.h"
#include "ui/editors/field_form.h"
#include "ui/widgets/button.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/style/theme.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

namespace cannery::ui {

ElementList::ElementList(const FormContext& context, const FieldSchema& schema, const QString& path,
                         QWidget* parent)
    : FormPart(context, path, parent), m_schema(schema), m_column(new QVBoxLayout(this)),
      m_rows(new QVBoxLayout), m_words(new Label({}, TextRole::Label, Ink::Error))
{
    setObjectName(QStringLiteral("list.") + path);
    m_column->setContentsMargins(0, scaled(8), 0, 0);
    m_column->setSpacing(scaled(2));
    auto* head = new QHBoxLayout;
    auto* title = new Label(schema.label, TextRole::LabelStrong, Ink::Secondary);
    title->setToolTip(schema.help + u'\n' + path);
    auto* addButton = new Button(Button::Kind::Link, tr("Add"));
    addButton->setObjectName(QStringLiteral("field.") + path);
    addButton->setAccessibleName(tr("Add to %1").arg(context.accessibleName(schema.label)));
    addButton->setToolTip(schema.help);
    head->addWidget(title, 1);
    head->addWidget(addButton);
    m_words->setWordWrap(true);
    m_words->hide();
    m_column->addLayout(head);
    m_column->addWidget(m_words);
    m_column->addLayout(m_rows);
    connect(addButton, &QPushButton::clicked, this, &ElementList::add);
    refresh();
}

int ElementList::count() const
{
    const FieldNode* list = node();
    return list == nullptr ? 0 : static_cast<int>(list->children.size());
}

void ElementList::add()
{
    document().apply(tr("Add to %1").arg(m_schema.label),
                     {FieldEdit::set(elementPath(path(), count()), QStringLiteral("{ }"))});
}

/// "Hook 1": the list's own label may be a plural.
QString ElementList::numbered(int index) const
{
    const std::optional<MessageSchema> element = messageSchema(elementPath(path(), index));
    return tr("%1 %2").arg(element ? element->label : m_schema.label).arg(index + 1);
}

QString ElementList::titleOf(const FieldNode& element, int index) const
{
    const QString about = context().title ? context().title(elementPath(path(), index)) : QString();
    return !about.isEmpty()                         ? about
           : element.name == QString::number(index) ? numbered(index)
                                                    : element.name;
}

QWidget* ElementList::makeHead(const FieldNode& element, int index)
{
    auto* head = new QWidget;
    auto* line = new QHBoxLayout(head);
    line->setContentsMargins(scaled(18), scaled(4), 0, 0);
    const QString name = element.name == QString::number(index) ? numbered(index) : element.name;
    m_titles << new Label(titleOf(element, index), TextRole::Strong);
    m_titles.last()->setWordWrap(true);
    line->addWidget(m_titles.last(), 1);
    const auto addButton = [&](const char* icon, const QString& words, const QString& title,
                               const FieldEdit& edit) {
        auto* button = new IconButton(QString::fromLatin1(icon), words.arg(name));
        connect(button, &QToolButton::clicked, this,
                [this, title, edit] { document().apply(title, {edit}); });
        line->addWidget(button);
        return button;
    };
    const QString place = elementPath(path(), index);
    addButton("arrow-up", tr("Move %1 up"), tr("Move %1").arg(name),
              FieldEdit::move(place, index - 1))
        ->setEnabled(index > 0);
    addButton("arrow-down", tr("Move %1 down"), tr("Move %1").arg(name),
              FieldEdit::move(place, index + 1))
        ->setEnabled(index + 1 < count());
    addButton("trash", tr("Remove %1"), tr("Remove %1").arg(name), FieldEdit::remove(place));
    return head;
}

void ElementList::rebuild()
{
    m_forms.clear();
    m_heads.clear();
    m_titles.clear();
    // Not deleted at once: one of its buttons may have caused this.
    while (QLayoutItem* item = m_rows->takeAt(0)) {
        if (item->widget() != nullptr) {
            item->widget()->hide();
            item->widget()->deleteLater();
        }
        delete item;
    }
    const FieldNode* list = node();
    for (int i = 0; i < count(); ++i) {
        const FieldNode& element = list->children.at(i);
        FormContext inner = context();
        inner.prefix = numbered(i);
        auto* form = new FieldForm(inner, elementPath(path(), i), {});
        m_heads << makeHead(element, i);
        m_rows->addWidget(m_heads.last());
        m_rows->addWidget(form);
        m_forms << form;
    }
}

void ElementList::refresh()
{
    QStringList paths;
    if (const FieldNode* list = node()) {
        for (const FieldNode& element : list->children) {
            paths << element.path;
        }
    }
    // Forms are kept while the number is the same: after a move, each shows the element that is now
    // in its place.
    if (paths.size() != m_shown.size()) {
        m_shown = paths;
        rebuild();
        return;
    }
    m_shown = paths;
    for (int i = 0; i < m_titles.size(); ++i) {
        m_titles.at(i)->setText(titleOf(node()->children.at(i), i));
    }
    for (FormPart* form : std::as_const(m_forms)) {
        form->refresh();
    }
}

int ElementList::find()
{
    int found = context().isFound(m_schema.label, path(), m_schema.help) ? 1 : 0;
    for (qsizetype i = 0; i < m_forms.size(); ++i) {
        const int inside = m_forms.at(i)->find();
        m_heads.at(i)->setVisible(inside > 0 || !context().isLooking());
        found += inside;
    }
    return found;
}

void ElementList::refreshProblems()
{
    const ProblemRow* problem = document().problems().at(path());
    const bool isHere = problem != nullptr && problem->path == path();
    m_words->setText(isHere ? problem->sentence : QString());
    m_words->setVisible(isHere);
    for (FormPart* form : std::as_const(m_forms)) {
        form->refreshProblems();
    }
}

} // namespace cannery::ui
