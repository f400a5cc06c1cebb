// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/reports/first_model_report.h"

#include "app/cannery/reports/model_plan.h"
#include "core/base/catalog.h"
#include "core/estimators/estimator_catalog.h"
#include "core/reports/report_list.h"

namespace cannery::app {

namespace {

reports::ReportList<reports::ColumnNote>
columnNotes(const std::vector<advice::ColumnRemark>& remarks)
{
    reports::ReportList<reports::ColumnNote> list;
    for (const advice::ColumnRemark& remark : remarks) {
        reports::ColumnNote& note = *list.Add();
        note.set_column(remark.column);
        note.set_remark(remark.remark);
    }
    return list;
}

reports::FirstModel firstModelReport(const advice::StartingExperiment& starting,
                                     const FirstModel& model, const std::string& folder)
{
    reports::FirstModel report;
    report.set_chosen(advice::familyName(model.choice.family));
    report.set_steps(model.choice.steps);
    const std::vector<advice::ModelFamily> families =
        model.choice.family == advice::ModelFamily::Clusters
            ? std::vector{advice::ModelFamily::Clusters}
            : std::vector{advice::ModelFamily::Linear, advice::ModelFamily::Deep,
                          advice::ModelFamily::Combined, advice::ModelFamily::Trees};
    for (const advice::ModelFamily family : families) {
        if (family == advice::ModelFamily::Trees && !advice::fitsTrees(starting)) {
            continue;
        }
        advice::ModelChoice choice = model.choice;
        choice.family = family;
        const spec::Experiment made = advice::withModel(starting, choice);
        const auto* row = findRow(estimators::estimatorCatalog(), made.estimator().kind_case());
        reports::ModelKind& kind = *report.add_kinds();
        kind.set_family(advice::familyName(family));
        kind.set_estimator(std::string(row->name));
        for (const advice::TriedModel& tried : model.tried) {
            if (tried.family == family) {
                kind.set_loss(tried.loss);
            }
        }
    }
    if (!model.tried.empty()) {
        report.set_guess_loss(model.guessLoss);
        const Result<ModelPlan> plan =
            planTraining({.experiment = starting.experiment, .folder = folder});
        if (plan && plan->seconds) {
            report.set_estimated_seconds(*plan->seconds);
        }
    }
    return report;
}

} // namespace

reports::StartingFacts startingReport(const advice::StartingExperiment& starting,
                                      const FirstModel& model, const std::string& folder)
{
    reports::StartingFacts facts;
    *facts.mutable_model() = firstModelReport(starting, model, folder);
    facts.mutable_rows_left_out()->Assign(starting.rowNotes.begin(), starting.rowNotes.end());
    *facts.mutable_left_out() = columnNotes(starting.leftOut);
    *facts.mutable_taken() = columnNotes(starting.taken);
    *facts.mutable_warnings() = columnNotes(starting.warnings);
    return facts;
}

} // namespace cannery::app
