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

/// The drawing of a network with what adds to it (templates, layers, copies) and the fields of the
/// layer that is chosen in it.
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
    void followCurrent();
    void showFields();

    FormContext m_context;
    ExperimentDocument& m_document;
    PlanFacts m_plan;
    NetworkCanvas* m_canvas;
    QMenu* m_templates;
    Button* m_duplicate;
    Button* m_remove;
    Label* m_title;
    QVBoxLayout* m_fields;
    FieldForm* m_form = nullptr; ///< of the layer that is chosen
};

} // namespace cannery::ui
