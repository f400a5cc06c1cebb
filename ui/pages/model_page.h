// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/plan_facts.h"
#include "ui/pages/page.h"

class QStackedWidget;

namespace cannery::ui {

class Card;
class DocumentQuery;
class ElidedLabel;
class EmptyState;
class FactRow;
class InspectorSection;
class KeyValueList;
class Label;
class NetworkSketch;
class PageHeader;
class ParameterList;
class ProblemList;
class Strip;
struct ExperimentFacts;

/// The estimator with its hyperparameters, its layers and their cost. Read-only.
class ModelPage : public Page
{
    Q_OBJECT

public:
    explicit ModelPage(const PageContext& context, QWidget* parent = nullptr);

    QWidget* inspector() override;
    CommandLine command() const override;

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    QWidget* makeContent();
    QWidget* makeBuilt();
    QWidget* makeInspector();
    void refresh();
    void refreshPlan(const ExperimentFacts& facts);
    void refreshChanges();
    void refreshProblems();

    DocumentQuery* m_plan;
    QStackedWidget* m_stack;
    EmptyState* m_empty;
    PageHeader* m_header = nullptr;
    Strip* m_strip = nullptr;
    Label* m_title = nullptr;
    ElidedLabel* m_class = nullptr;
    ParameterList* m_parameters = nullptr;
    NetworkSketch* m_network = nullptr;
    FactRow* m_costs = nullptr;
    Card* m_changes = nullptr;
    KeyValueList* m_changed = nullptr;
    ProblemList* m_problems = nullptr;
    QWidget* m_inspector = nullptr;
    KeyValueList* m_device = nullptr;
    InspectorSection* m_layers = nullptr;
};

} // namespace cannery::ui
