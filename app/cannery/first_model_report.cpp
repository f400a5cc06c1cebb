// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/first_model_report.h"

#include "app/cannery/model_plan.h"
#include "core/base/catalog.h"
#include "core/base/json_text.h"
#include "core/estimators/estimator_catalog.h"

#include <nlohmann/json.hpp>

namespace cannery::app {

std::string firstModelJson(const StartingExperiment& starting, const FirstModel& model,
                           const std::string& folder)
{
    using Json = nlohmann::ordered_json;
    Json kinds = Json::array();
    const std::vector<ModelFamily> families =
        model.choice.family == ModelFamily::Clusters
            ? std::vector{ModelFamily::Clusters}
            : std::vector{ModelFamily::Linear, ModelFamily::Deep, ModelFamily::Combined,
                          ModelFamily::Trees};
    for (const ModelFamily family : families) {
        if (family == ModelFamily::Trees && !fitsTrees(starting)) {
            continue;
        }
        ModelChoice choice = model.choice;
        choice.family = family;
        const spec::Experiment made = withModel(starting, choice);
        const auto* row = findRow(estimators::estimatorCatalog(), made.estimator().kind_case());
        Json kind{{"family", familyName(family)}, {"estimator", row->name}};
        for (const TriedModel& tried : model.tried) {
            if (tried.family == family) {
                kind["loss"] = tried.loss;
            }
        }
        kinds.push_back(kind);
    }
    Json json{{"chosen", familyName(model.choice.family)},
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
