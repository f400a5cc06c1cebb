// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/editors/form_part.h"
#include "ui/models/plan_facts.h"

#include <QWidget>

class QMenu;
class QVBoxLayout;

namespace cannery::ui {

class Button;
class ExperimentDocument;
class FieldForm;
class Label;
class NetworkCanvas;
class SearchField;

/// The drawing of a network with what adds to it (templates, layers, copies), a search for layers
/// and the fields of the one that is chosen.
class NetworkPanel : public QWidget
{
    Q_OBJECT

public:
    /// `context` is that of the form of the fields.
    explicit NetworkPanel(FormContext context, QWidget* parent = nullptr);

    void setPlan(const PlanFacts& plan);
    /// The document has another text or other problems.
    void refresh();
    /// Chooses the layer that a field belongs to, and focuses the field; false if it is of none.
    bool reveal(const QString& path);

private:
    QWidget* makeTools();
    void fillTemplates();
    /// Chooses the first layer behind `after` that the text of the search is found in.
    void findLayer(int after);
    void followCurrent();
    void showFields();

    FormContext m_context;
    ExperimentDocument& m_document;
    PlanFacts m_plan;
    NetworkCanvas* m_canvas;
    QMenu* m_templates;
    SearchField* m_search;
    Button* m_duplicate;
    Button* m_remove;
    Label* m_title;
    QVBoxLayout* m_fields;
    FieldForm* m_form = nullptr; ///< of the layer that is chosen
};

} // namespace cannery::ui
