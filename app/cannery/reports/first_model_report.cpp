// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/reports/first_model_report.h"

#include "app/cannery/reports/model_plan.h"
#include "core/base/catalog.h"
#include "core/base/json_text.h"
#include "core/estimators/estimator_catalog.h"

#include <nlohmann/json.hpp>

namespace cannery::app {

std::string firstModelJson(const advice::StartingExperiment& starting, const FirstModel& model,
                           const std::string& folder)
{
    using Json = nlohmann::ordered_json;
    Json kinds = Json::array();
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
        Json kind{{"family", advice::familyName(family)}, {"estimator", row->name}};
        for (const advice::TriedModel& tried : model.tried) {
            if (tried.family == family) {
                kind["loss"] = tried.loss;
            }
        }
        kinds.push_back(kind);
    }
    Json json{{"chosen", advice::familyName(model.choice.family)},
              {"kinds", kinds},
              {"steps", model.choice.steps}};
    if (!model.tried.empty()) {
        json["guess_loss"] = model.guessLoss;
        const Result<ModelPlan> plan =
            planTraining({.experiment = starting.experiment, .folder = folder});
        if (plan && plan->seconds) {
            json["estimated_seconds"] = *plan->seconds;
        }
    }
    return jsonText(json);
}

} // namespace cannery::app
