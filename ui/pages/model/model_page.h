// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/plan_facts.h"
#include "ui/pages/page.h"

class QAction;
class QStackedWidget;

namespace cannery::ui {

class Button;
class Card;
class ClusterCard;
class DocumentQuery;
class ElidedLabel;
class EmptyState;
class EstimatorChoice;
class FactRow;
class FormBar;
class InspectorSection;
class KeyValueList;
class Label;
class ModelForm;
class NetworkPanel;
class NetworkSketch;
class PageHeader;
class ProblemList;
class RateCard;
class RunDifference;
class StrategyChoice;
class Strip;
struct ExperimentFacts;

/// The estimator, chosen from tiles, with every argument, its layers and their cost, and the
/// strategy. Edits are steps of the document.
class ModelPage : public Page
{
    Q_OBJECT

public:
    explicit ModelPage(const PageContext& context, QWidget* parent = nullptr);

    QWidget* inspector() override;
    CommandLine command() const override;
    /// "field:<path>": a field of the forms.
    void reveal(const QString& what) override;
    QWidget* findField() override;

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    QWidget* makeContent();
    QWidget* makeForm();
    QWidget* makeBuilt();
    QWidget* makeMeasured();
    QWidget* makeInspector();
    void refresh();
    void refreshPlan(const ExperimentFacts& facts);
    void refreshMeasured(const PlanFacts& plan);
    void refreshChanges();
    void refreshProblems();
    void refreshMark();

    DocumentQuery* m_plan;
    DocumentQuery* m_rates;
    RunDifference* m_difference;
    QStackedWidget* m_stack;
    EmptyState* m_empty;
    QAction* m_showWarmStart;
    PageHeader* m_header = nullptr;
    Strip* m_strip = nullptr;
    Label* m_title = nullptr;
    ElidedLabel* m_class = nullptr;
    EstimatorChoice* m_estimators = nullptr;
    ModelForm* m_form = nullptr;
    FormBar* m_bar = nullptr;
    NetworkSketch* m_network = nullptr;
    NetworkPanel* m_drawing = nullptr; ///< of a network of one's own, instead
    FactRow* m_costs = nullptr;
    Button* m_resetAll = nullptr;
    RateCard* m_rateCard = nullptr;
    ClusterCard* m_cluster = nullptr;
    QWidget* m_measured = nullptr;
    Label* m_measuredWords = nullptr;
    Card* m_built = nullptr;
    Card* m_changes = nullptr;
    KeyValueList* m_changed = nullptr;
    ProblemList* m_problems = nullptr;
    QWidget* m_inspector = nullptr;
    StrategyChoice* m_strategy = nullptr;
    InspectorSection* m_layers = nullptr;
};

} // namespace cannery::ui
