// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/reports/plan_json.h"

namespace cannery::app {

namespace {

/// In a shape: of steps.
constexpr std::int64_t kAnyNumber = -1;

template <typename Numbers>
void assign(reports::Shape& shape, const Numbers& dims)
{
    shape.mutable_dims()->Assign(dims.begin(), dims.end());
}

reports::PlannedLayer layerReport(const PlannedLayer& layer)
{
    reports::PlannedLayer report;
    report.set_name(layer.name);
    report.set_type(layer.type);
    report.mutable_inputs()->Assign(layer.inputs.begin(), layer.inputs.end());
    if (layer.givesSteps) {
        report.mutable_shape()->add_dims(kAnyNumber);
    }
    for (const std::int64_t size : layer.shape) {
        report.mutable_shape()->add_dims(size);
    }
    report.set_parameters(layer.parameters);
    report.set_trainable_parameters(layer.trainableParameters);
    report.set_multiply_adds(layer.multiplyAdds);
    return report;
}

reports::LearningRate learningRateReport(const LearningRateCurve& curve)
{
    reports::LearningRate report;
    report.set_path(curve.path);
    report.set_optimizer(curve.optimizer);
    report.set_schedule(curve.schedule);
    for (const LearningRateCurve::Point& point : curve.points) {
        report.add_steps(point.step);
        report.add_rates(point.rate);
    }
    return report;
}

reports::WarmStart warmStartReport(const PlannedWarmStart& start)
{
    reports::WarmStart report;
    report.set_checkpoint(start.checkpoint);
    report.mutable_restored()->Assign(start.restored.begin(), start.restored.end());
    report.mutable_fresh()->Assign(start.fresh.begin(), start.fresh.end());
    report.set_problem(start.problem ? start.problem->message() : "");
    report.mutable_patterns()->Assign(start.patterns.begin(), start.patterns.end());
    for (const train::WarmStartVariable& variable : start.variables) {
        reports::WarmStartVariable& row = *report.add_variables();
        row.set_name(variable.name);
        assign(*row.mutable_shape(), variable.shape.dims);
        row.mutable_patterns()->Assign(variable.patterns.begin(), variable.patterns.end());
        row.set_selected(variable.isSelected);
        row.set_moves_words(variable.movesWords);
        row.set_previous_name(variable.previousName);
        if (variable.previousShape) {
            assign(*row.mutable_previous_shape(), variable.previousShape->dims);
        }
        row.set_problem(variable.problem ? variable.problem->message() : "");
    }
    return report;
}

reports::PlannedStrategy strategyReport(const PlannedStrategy& strategy)
{
    reports::PlannedStrategy report;
    report.set_name(strategy.name);
    report.set_available(strategy.isAvailable);
    report.set_reason(strategy.reason);
    report.set_needs(strategy.needs);
    report.set_replicas(strategy.replicas);
    report.set_batch_per_replica(strategy.batchPerReplica);
    report.set_batch_per_step(strategy.batchPerStep);
    report.set_memory_bytes(strategy.memoryBytes);
    if (strategy.stepsPerSecond) {
        report.set_steps_per_second(*strategy.stepsPerSecond);
    }
    if (strategy.rowsPerSecond) {
        report.set_rows_per_second(*strategy.rowsPerSecond);
    }
    return report;
}

reports::PlannedWorkers workersReport(const PlannedWorkers& workers)
{
    reports::PlannedWorkers report;
    report.set_network(workers.network);
    report.set_sentence(workers.sentence());
    if (!workers.advice) {
        return report;
    }
    report.set_recommended(workers.advice->recommended);
    for (const strategies::WorkerPoint& point : workers.advice->curve) {
        reports::WorkerPoint& row = *report.add_curve();
        row.set_workers(point.workers);
        row.set_steps_per_second(point.stepsPerSecond);
        row.set_rows_per_second(point.rowsPerSecond);
        row.set_efficiency(point.efficiency);
    }
    return report;
}

reports::PlanProbe probeReport(const StrategyPlan& plan)
{
    const PlannedWorkers& workers = plan.workers;
    reports::PlanProbe report;
    report.set_latency_seconds(workers.figures.latencySeconds);
    report.set_bytes_per_second(workers.figures.bytesPerSecond);
    report.set_dense_bytes(workers.step.denseBytes);
    for (const strategies::SparseTraffic& table : workers.step.sparse) {
        reports::SparseTraffic& row = *report.add_sparse();
        row.set_rows(table.rows);
        row.set_cols(table.cols);
        row.set_table_rows(table.tableRows);
    }
    report.mutable_step_seconds()->Assign(plan.stepSeconds.begin(), plan.stepSeconds.end());
    return report;
}

reports::PlannedMemory memoryReport(const ModelPlan& plan)
{
    reports::PlannedMemory report;
    report.set_state(plan.stateBytes);
    report.set_checkpoint_copy(plan.checkpointCopyBytes());
    report.set_gradients(plan.gradientBytes);
    report.set_activations(plan.activationBytes);
    report.set_learner(plan.learnerBytes);
    report.set_rows(plan.rowBytes);
    return report;
}

reports::PlanMeasurement measurementReport(const ModelPlan& plan)
{
    reports::PlanMeasurement report;
    report.set_measured_steps(plan.measuredSteps);
    report.set_may_train_on_gpu(plan.mayTrainOnGpu);
    report.set_seconds_per_step(plan.secondsPerStep);
    report.set_seconds_per_step_low(plan.secondsPerStepLow);
    report.set_seconds_per_step_high(plan.secondsPerStepHigh);
    report.set_seconds_per_epoch(plan.secondsPerEpoch);
    report.set_measured_bytes(plan.measuredBytes);
    report.set_program_bytes(plan.programBytes);
    report.set_measured_rows(plan.measuredRows);
    return report;
}

void addInputsAndTimes(const ModelPlan& plan, reports::Plan& report)
{
    if (plan.warmStart) {
        *report.mutable_warm_start() = warmStartReport(*plan.warmStart);
    }
    if (plan.wideInputs) {
        report.set_wide_inputs(*plan.wideInputs);
    }
    if (plan.deepInputs) {
        report.set_deep_inputs(*plan.deepInputs);
    }
    if (plan.steps) {
        report.set_steps(*plan.steps);
    }
    // A plan may be made without taking steps: these members are then missing, not 0.
    if (plan.measuredSteps > 0) {
        *report.mutable_measurement() = measurementReport(plan);
    }
    if (plan.seconds) {
        report.set_estimated_seconds(*plan.seconds);
        report.set_estimated_seconds_low(plan.secondsLow);
        report.set_estimated_seconds_high(plan.secondsHigh);
    }
}

} // namespace

reports::Plan planReport(const ModelPlan& plan)
{
    reports::Plan report;
    report.set_estimator(plan.estimator);
    for (const PlannedLayer& layer : plan.layers) {
        *report.add_layers() = layerReport(layer);
    }
    report.set_parameters(plan.parameters);
    report.set_trainable_parameters(plan.trainableParameters);
    report.set_multiply_adds(plan.multiplyAdds);
    report.set_train_rows(plan.trainRows);
    report.set_eval_rows(plan.evalRows);
    report.set_memory_bytes(plan.memoryBytes());
    *report.mutable_memory() = memoryReport(plan);
    for (const LearningRateCurve& curve : plan.learningRates) {
        *report.add_learning_rates() = learningRateReport(curve);
    }
    addInputsAndTimes(plan, report);
    for (const PlannedStrategy& strategy : plan.strategies.strategies) {
        *report.add_strategies() = strategyReport(strategy);
    }
    *report.mutable_workers() = workersReport(plan.strategies.workers);
    if (plan.strategies.workers.isMeasured) {
        *report.mutable_probe() = probeReport(plan.strategies);
    }
    return report;
}

reports::LearningRates learningRatesReport(const std::vector<LearningRateCurve>& curves)
{
    reports::LearningRates report;
    for (const LearningRateCurve& curve : curves) {
        *report.add_learning_rates() = learningRateReport(curve);
    }
    return report;
}

} // namespace cannery::app
