// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/model/network/network_panel.h"

#include "ui/document/experiment_document.h"
#include "ui/editing/network_templates.h"
#include "ui/editors/field_form.h"
#include "ui/pages/model/network/network_canvas.h"
#include "ui/pages/page_parts.h"
#include "ui/widgets/button.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/label.h"
#include "ui/widgets/search_field.h"
#include "ui/widgets/style/theme.h"

#include <QMenu>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace cannery::ui {

NetworkPanel::NetworkPanel(FormContext context, QWidget* parent)
    : QWidget(parent), m_context(std::move(context)), m_document(*m_context.document),
      m_canvas(new NetworkCanvas(m_document)), m_templates(new QMenu(this)),
      m_search(new SearchField(tr("Find a layer"))),
      m_duplicate(new Button(Button::Kind::Quiet, tr("Duplicate"))),
      m_remove(new Button(Button::Kind::Quiet, tr("Remove"))),
      m_title(new Label({}, TextRole::Strong)), m_fields(new QVBoxLayout)
{
    connect(m_canvas, &NetworkCanvas::fieldsAsked, this, &NetworkPanel::reveal);
    connect(m_canvas, &NetworkCanvas::currentChanged, this, &NetworkPanel::followCurrent);
    auto* area = makeScrollArea(m_canvas);
    area->setObjectName("scroll.network");
    area->setMinimumHeight(scaled(340));
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    m_title->setObjectName("words.layer");
    m_title->setWordWrap(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(makeTools());
    column->addWidget(area, 1);
    column->addWidget(m_title);
    column->addLayout(m_fields);
    followCurrent();
}

QWidget* NetworkPanel::makeTools()
{
    auto* templates = new Button(Button::Kind::Quiet, tr("Templates"));
    templates->setObjectName("button.network_templates");
    templates->setMenu(m_templates);
    m_templates->setObjectName("menu.network_templates");
    m_templates->setToolTipsVisible(true);
    connect(m_templates, &QMenu::aboutToShow, this, &NetworkPanel::fillTemplates);
    auto* add = new Button(Button::Kind::Quiet, tr("Add Layer"));
    add->setObjectName("button.add_layer");
    auto* kinds = new QMenu(this);
    kinds->setObjectName("menu.layer_kinds");
    add->setMenu(kinds);
    connect(kinds, &QMenu::aboutToShow, this, [this, kinds] {
        kinds->clear();
        m_canvas->fillAddMenu(*kinds);
    });
    m_duplicate->setObjectName("button.duplicate_layer");
    m_remove->setObjectName("button.remove_layer");
    connect(m_duplicate, &QPushButton::clicked, m_canvas, &NetworkCanvas::duplicateCurrent);
    connect(m_remove, &QPushButton::clicked, m_canvas, &NetworkCanvas::removeChosen);
    m_search->setObjectName("search.layers");
    // While it is typed, the layer that has been found stays as long as the text fits.
    connect(m_search, &QLineEdit::textChanged, this,
            [this] { findLayer(m_canvas->current() - 1); });
    connect(m_search, &QLineEdit::returnPressed, this, [this] { findLayer(m_canvas->current()); });
    auto* tools = new QWidget;
    auto* line = new FlowLayout(tools);
    for (Button* button : {templates, add, m_duplicate, m_remove}) {
        line->addWidget(button);
    }
    line->addWidget(m_search);
    return tools;
}

void NetworkPanel::findLayer(int after)
{
    const QString text = m_search->text().trimmed();
    if (text.isEmpty()) {
        m_search->setProblem({});
        return;
    }
    const int layer = m_canvas->find(text, std::max(after, -1));
    m_search->setProblem(layer < 0 ? tr("No layer has this in its name or kind.") : QString());
    if (layer >= 0) {
        m_canvas->choose(layer);
    }
}

void NetworkPanel::setPlan(const PlanFacts& plan)
{
    m_plan = plan;
    m_canvas->setPlan(plan);
}

void NetworkPanel::refresh()
{
    m_canvas->refresh();
    followCurrent();
}

bool NetworkPanel::reveal(const QString& path)
{
    m_canvas->refresh(); // it may be asked for before the drawing has followed
    const int layer = m_canvas->network().layerAt(path);
    if (layer < 0) {
        return false;
    }
    m_canvas->choose(layer);
    if (m_form == nullptr || !m_form->reveal(path)) {
        m_canvas->setFocus();
    }
    return true;
}

void NetworkPanel::followCurrent()
{
    const bool hasCurrent = m_canvas->current() >= 0;
    m_duplicate->setEnabled(hasCurrent);
    m_remove->setEnabled(hasCurrent);
    showFields();
}

void NetworkPanel::showFields()
{
    const int layer = m_canvas->current();
    m_title->setText(layer < 0 ? tr("Choose a layer to see its fields.")
                               : tr("Layer %1").arg(m_canvas->network().layers[layer].name));
    const QString path = layer < 0 ? QString() : m_canvas->network().pathOf(layer);
    if (m_form != nullptr && m_form->path() == path) {
        return;
    }
    if (m_form != nullptr) {
        // Not at once: one of its fields may have caused this.
        m_form->hide();
        m_form->deleteLater();
        m_form = nullptr;
    }
    if (!path.isEmpty()) {
        m_form = new FieldForm(m_context, path, {});
        m_fields->addWidget(m_form);
        m_form->show(); // at once: reveal() focuses what is visible
        followDocument(m_form, m_document);
    }
}

void NetworkPanel::fillTemplates()
{
    m_templates->clear();
    const QString graph = m_document.edits().network().path.section(u'.', 0, -2);
    for (const NetworkTemplate& offered : networkTemplates(endsOf(m_document, m_plan))) {
        QAction* action = m_templates->addAction(offered.title);
        action->setObjectName(QStringLiteral("menu.network_template.") + offered.id);
        action->setToolTip(offered.hindrance.isEmpty() ? offered.sentence : offered.hindrance);
        action->setEnabled(offered.hindrance.isEmpty());
        connect(action, &QAction::triggered, this, [this, graph, offered] {
            m_document.apply(offered.title, {FieldEdit::set(graph, offered.graph)});
        });
    }
}

} // namespace cannery::ui
