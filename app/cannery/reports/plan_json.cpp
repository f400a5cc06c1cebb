// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/reports/plan_json.h"

#include "core/base/json_text.h"

#include <nlohmann/json.hpp>

namespace cannery::app {

using Json = nlohmann::ordered_json;

namespace {

/// In a shape: of steps.
constexpr std::int64_t kAnyNumber = -1;

Json layersJson(const ModelPlan& plan)
{
    Json layers = Json::array();
    for (const PlannedLayer& layer : plan.layers) {
        layers.push_back({{"name", layer.name},
                          {"type", layer.type},
                          {"inputs", layer.inputs},
                          {"shape", layer.givesSteps ? Json::array({kAnyNumber, layer.width})
                                                     : Json::array({layer.width})},
                          {"parameters", layer.parameters},
                          {"trainable_parameters", layer.trainableParameters},
                          {"multiply_adds", layer.multiplyAdds}});
    }
    return layers;
}

Json learningRatesList(const std::vector<LearningRateCurve>& curves)
{
    Json list = Json::array();
    for (const LearningRateCurve& curve : curves) {
        Json steps = Json::array();
        Json rates = Json::array();
        for (const LearningRateCurve::Point& point : curve.points) {
            steps.push_back(point.step);
            rates.push_back(point.rate);
        }
        list.push_back({{"path", curve.path},
                        {"optimizer", curve.optimizer},
                        {"schedule", curve.schedule},
                        {"steps", steps},
                        {"rates", rates}});
    }
    return list;
}

Json warmStartJson(const PlannedWarmStart& start)
{
    Json variables = Json::array();
    for (const train::WarmStartVariable& variable : start.variables) {
        Json row{{"name", variable.name},
                 {"shape", variable.shape.dims},
                 {"patterns", variable.patterns},
                 {"selected", variable.isSelected},
                 {"moves_words", variable.movesWords},
                 {"previous_name", variable.previousName},
                 {"previous_shape", nullptr},
                 {"problem", variable.problem ? variable.problem->message() : ""}};
        if (variable.previousShape) {
            row["previous_shape"] = variable.previousShape->dims;
        }
        variables.push_back(std::move(row));
    }
    return {{"checkpoint", start.checkpoint},
            {"restored", start.restored},
            {"fresh", start.fresh},
            {"problem", start.problem ? start.problem->message() : ""},
            {"patterns", start.patterns},
            {"variables", variables}};
}

Json numberOrNull(const std::optional<double>& number)
{
    return number ? Json(*number) : Json(nullptr);
}

Json strategyJson(const PlannedStrategy& strategy)
{
    return {{"name", strategy.name},
            {"available", strategy.isAvailable},
            {"reason", strategy.reason},
            {"needs", strategy.needs},
            {"replicas", strategy.replicas},
            {"batch_per_replica", strategy.batchPerReplica},
            {"batch_per_step", strategy.batchPerStep},
            {"memory_bytes", strategy.memoryBytes},
            {"steps_per_second", numberOrNull(strategy.stepsPerSecond)},
            {"rows_per_second", numberOrNull(strategy.rowsPerSecond)}};
}

Json workersJson(const PlannedWorkers& workers)
{
    Json curve = Json::array();
    if (!workers.advice) {
        return {{"network", workers.network},
                {"recommended", nullptr},
                {"sentence", workers.sentence()},
                {"curve", curve}};
    }
    for (const strategies::WorkerPoint& point : workers.advice->curve) {
        curve.push_back({{"workers", point.workers},
                         {"steps_per_second", point.stepsPerSecond},
                         {"rows_per_second", point.rowsPerSecond},
                         {"efficiency", point.efficiency}});
    }
    return {{"network", workers.network},
            {"recommended", workers.advice->recommended},
            {"sentence", workers.sentence()},
            {"curve", curve}};
}

/// For simulations.
Json probeJson(const PlannedWorkers& workers, const std::vector<double>& steps)
{
    Json sparse = Json::array();
    for (const strategies::SparseTraffic& table : workers.step.sparse) {
        sparse.push_back(
            {{"rows", table.rows}, {"cols", table.cols}, {"table_rows", table.tableRows}});
    }
    return {{"latency_seconds", workers.figures.latencySeconds},
            {"bytes_per_second", workers.figures.bytesPerSecond},
            {"dense_bytes", workers.step.denseBytes},
            {"sparse", sparse},
            {"step_seconds", steps}};
}

void addStrategies(const StrategyPlan& plan, Json& json)
{
    Json strategies = Json::array();
    for (const PlannedStrategy& strategy : plan.strategies) {
        strategies.push_back(strategyJson(strategy));
    }
    json["strategies"] = std::move(strategies);
    json["workers"] = workersJson(plan.workers);
    if (plan.workers.isMeasured) {
        json["probe"] = probeJson(plan.workers, plan.stepSeconds);
    }
}

} // namespace

std::string planJson(const ModelPlan& plan)
{
    Json json{{"estimator", plan.estimator},
              {"layers", layersJson(plan)},
              {"parameters", plan.parameters},
              {"trainable_parameters", plan.trainableParameters},
              {"multiply_adds", plan.multiplyAdds},
              {"train_rows", plan.trainRows},
              {"eval_rows", plan.evalRows},
              {"memory_bytes", plan.memoryBytes()},
              {"memory",
               {{"state", plan.stateBytes},
                {"checkpoint_copy", plan.checkpointCopyBytes()},
                {"gradients", plan.gradientBytes},
                {"activations", plan.activationBytes},
                {"learner", plan.learnerBytes},
                {"rows", plan.rowBytes}}},
              {"learning_rates", learningRatesList(plan.learningRates)}};
    if (plan.warmStart) {
        json["warm_start"] = warmStartJson(*plan.warmStart);
    }
    if (plan.wideInputs) {
        json["wide_inputs"] = *plan.wideInputs;
    }
    if (plan.deepInputs) {
        json["deep_inputs"] = *plan.deepInputs;
    }
    if (plan.steps) {
        json["steps"] = *plan.steps;
    }
    // A plan may be made without taking steps: these members are then missing, not 0.
    if (plan.measuredSteps > 0) {
        json["measured_steps"] = plan.measuredSteps;
        json["may_train_on_gpu"] = plan.mayTrainOnGpu;
        json["seconds_per_step"] = plan.secondsPerStep;
        json["seconds_per_step_low"] = plan.secondsPerStepLow;
        json["seconds_per_step_high"] = plan.secondsPerStepHigh;
        json["seconds_per_epoch"] = plan.secondsPerEpoch;
        json["measured_bytes"] = plan.measuredBytes;
        json["program_bytes"] = plan.programBytes;
        json["measured_rows"] = plan.measuredRows;
    }
    json["estimated_seconds"] = plan.seconds ? Json(*plan.seconds) : Json(nullptr);
    if (plan.seconds) {
        json["estimated_seconds_low"] = plan.secondsLow;
        json["estimated_seconds_high"] = plan.secondsHigh;
    }
    addStrategies(plan.strategies, json);
    return jsonText(json, 2);
}

std::string learningRatesJson(const std::vector<LearningRateCurve>& curves)
{
    return jsonText(Json{{"learning_rates", learningRatesList(curves)}}, 2);
}

} // namespace cannery::app
