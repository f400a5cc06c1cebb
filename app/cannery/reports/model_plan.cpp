// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/reports/model_plan.h"

#include "core/base/catalog.h"
#include "core/estimators/estimator_catalog.h"
#include "core/layers/layer_catalog.h"
#include "core/plan/learners/learner.h"
#include "core/plan/model.h"
#include "core/plan/model_size.h"
#include "core/spec/spec_resolver.h"
#include "core/spec/strategy_devices.h"
#include "core/strategies/strategy_catalog.h"
#include "core/survey/column_report.h"
#include "core/train/loop/step_probe.h"
#include "core/train/preparation/dataset_loader.h"
#include "core/train/preparation/process_memory.h"
#include "kernels/device/thread_pool.h"

#include <algorithm>
#include <set>

namespace cannery::app {

namespace {

/// The measurement has parts: how much they differ shows how far to trust it.
constexpr int kParts = 5;
constexpr double kPartSeconds = 0.1;
/// How much of a training without an end the curves show.
constexpr std::int64_t kStepsOfOpenEnd = 10'000;

bool hasSteps(const graph::Value& value)
{
    return value.kind == graph::ValueKind::Sequence || value.isSequence;
}

/// Variables that nodes share count for the first of them: `counted` has those of nodes before.
PlannedLayer layerOf(const graph::LayerGraph& graph, const graph::Node& node,
                     std::set<graph::VariableId>& counted)
{
    const auto* row = findRow(layers::layerCatalog(), node.layer.kind_case());
    PlannedLayer layer{.name = node.name,
                       .type = row == nullptr ? node.kind : std::string(row->name),
                       .width = graph.value(node.output).width,
                       .shape = graph::rowShape(graph.value(node.output)),
                       .givesSteps = hasSteps(graph.value(node.output))};
    for (const graph::ValueId input : node.inputs) {
        layer.inputs.push_back(graph.value(input).width);
        layer.readsSteps = layer.readsSteps || hasSteps(graph.value(input));
    }
    // A kernel is applied to each pixel of the output, or to each vector of it.
    const graph::Value& output = graph.value(node.output);
    const std::int64_t uses =
        output.width / std::max<std::int64_t>(graph::rowShape(output).back(), 1);
    for (const graph::VariableId id : node.variables) {
        const graph::Variable& variable = graph.variable(id);
        const std::int64_t count = variable.shape.elementCount();
        if (counted.insert(id).second) {
            layer.parameters += count;
            layer.trainableParameters += variable.trainable ? count : 0;
        }
        if (variable.shape.rank() >= 2) {
            // From an embedding table, one row is read per id.
            layer.multiplyAdds += variable.gradient == graph::GradientKind::Sparse
                                      ? variable.shape.dims.back()
                                      : count * uses;
        }
    }
    return layer;
}

std::string estimatorName(const spec::Experiment& experiment)
{
    const auto* row = findRow(estimators::estimatorCatalog(), experiment.estimator().kind_case());
    return row == nullptr ? "" : std::string(row->name);
}

void addLayers(const graph::LayerGraph& graph, ModelPlan& plan)
{
    std::set<graph::VariableId> counted;
    for (const graph::Node& node : graph.nodes) {
        PlannedLayer layer = layerOf(graph, node, counted);
        plan.parameters += layer.parameters;
        plan.trainableParameters += layer.trainableParameters;
        plan.multiplyAdds += layer.multiplyAdds;
        if (node.layer.has_linear_model()) {
            std::int64_t width = plan.wideInputs.value_or(0);
            for (const std::int64_t input : layer.inputs) {
                width += input;
            }
            plan.wideInputs = width;
        } else if (node.layer.has_input_layer()) {
            plan.deepInputs = plan.deepInputs.value_or(0) + layer.width;
        }
        plan.layers.push_back(std::move(layer));
    }
}

Result<void> addMemory(const graph::LoweredModel& lowered, plan::Model& model,
                       const plan::ModelSizeOptions& options, ModelPlan& plan)
{
    for (const plan::StateTensor& tensor : model.state()) {
        plan.stateBytes += static_cast<std::int64_t>(tensor.byteCount());
    }
    CANNERY_TRY_ASSIGN(const plan::ModelSize size, plan::sizeOf(lowered, options));
    plan.gradientBytes = static_cast<std::int64_t>(size.gradients);
    plan.activationBytes = static_cast<std::int64_t>(size.activations);
    if (const plan::Learner* learner = model.learner(); learner != nullptr) {
        const plan::Learner::Bytes learned = learner->bytesWhenLearned(plan.trainRows);
        plan.stateBytes += static_cast<std::int64_t>(learned.state);
        plan.learnerBytes = static_cast<std::int64_t>(learned.training);
    }
    return {};
}

/// A step takes a batch for each shard.
std::optional<std::int64_t> plannedSteps(const spec::Experiment& experiment, std::int64_t rows,
                                         std::int64_t shards)
{
    const spec::Input& input = experiment.train_spec().input();
    std::optional<std::int64_t> steps;
    if (input.num_epochs() > 0 && input.batch_size() > 0) {
        // Epochs are joined before they are cut into batches: only the last one may be short.
        const std::int64_t batches =
            (rows * input.num_epochs() + input.batch_size() - 1) / input.batch_size();
        // Those that do not fill a step are left out.
        steps = input.shard() == spec::InputSharding::own_seed ? batches : batches / shards;
    }
    if (experiment.train_spec().has_max_steps()) {
        const std::int64_t most = experiment.train_spec().max_steps();
        steps = steps ? std::min(*steps, most) : most;
    }
    return steps;
}

void addTimes(const spec::Experiment& experiment, double secondsPerEvalRow, ModelPlan& plan)
{
    const std::int64_t batch = experiment.train_spec().input().batch_size() * plan.batchesPerStep;
    plan.secondsPerEpoch =
        plan.secondsPerStep * static_cast<double>(plan.trainRows) / static_cast<double>(batch);
    if (!plan.steps) {
        return;
    }
    // An evaluation follows each checkpoint, and the end; a checkpoint of the last step is that
    // one.
    const std::int64_t every = experiment.run_config().save_checkpoints_steps();
    const std::int64_t evaluations =
        plan.evalRows > 0 ? 1 + (every > 0 ? (*plan.steps - 1) / every : 0) : 0;
    const double evaluating = secondsPerEvalRow * static_cast<double>(plan.evalRows * evaluations);
    const auto steps = static_cast<double>(*plan.steps);
    plan.seconds = plan.secondsPerStep * steps + evaluating;
    plan.secondsLow = plan.secondsPerStepLow * steps + evaluating;
    plan.secondsHigh = plan.secondsPerStepHigh * steps + evaluating;
}

Result<void> addRows(const PlanRequest& request, const spec::Experiment& experiment,
                     const data::Dataset& trainData, const features::FeatureEncoder& encoder,
                     const LentThreads& threads, ModelPlan& plan)
{
    CANNERY_TRY_ASSIGN(const survey::RowCount counted,
                       survey::countRows(trainData, encoder, threads));
    plan.trainRows = counted.rows;
    if (train::hasEvalData(experiment)) {
        CANNERY_TRY_ASSIGN(const data::Dataset evalData,
                           data::Dataset::openEval(experiment.data(), request.folder, trainData));
        CANNERY_TRY_ASSIGN(plan.evalRows,
                           survey::countEvalRows(evalData, encoder, counted.otherRows, threads));
    }
    plan.steps = plannedSteps(experiment, plan.trainRows, plan.batchesPerStep);
    return {};
}

/// What the rows will take, going by the first of them.
void addRowBytes(const features::EncodedDataset& rows, std::int64_t cacheMegabytes, ModelPlan& plan)
{
    if (rows.rowCount() == 0) {
        return;
    }
    const double bytesPerRow =
        static_cast<double>(rows.byteCount()) / static_cast<double>(rows.rowCount());
    plan.rowBytes = std::min<std::int64_t>(
        static_cast<std::int64_t>(bytesPerRow *
                                  static_cast<double>(plan.trainRows + plan.evalRows)),
        2 * (cacheMegabytes << 20U));
}

/// Takes steps as training would.
Result<train::MeasuredSteps> measure(const spec::Experiment& experiment, plan::Model& model,
                                     const features::EncodedDataset& rows, std::int64_t shards,
                                     ModelPlan& plan)
{
    CANNERY_TRY_ASSIGN(
        train::MeasuredSteps measured,
        train::measureSteps({.model = model,
                             .rows = rows,
                             .batchSize = experiment.train_spec().input().batch_size(),
                             .shards = shards,
                             .parts = kParts,
                             .partSeconds = kPartSeconds}));
    plan.measuredSteps = measured.count;
    plan.mayTrainOnGpu =
        spec::trainingPlaceOf(experiment.strategy()).kind != spec::TrainingPlace::Kind::Cpu;
    plan.secondsPerStep = measured.seconds;
    plan.secondsPerStepLow = measured.low;
    plan.secondsPerStepHigh = measured.high;
    plan.measuredRows = rows.rowCount();
    CANNERY_TRY_ASSIGN(const double perEvalRow, train::measureEvaluation(model, rows));
    addTimes(experiment, perEvalRow, plan);
    return measured;
}

/// Fills the model, which is thrown away later, as training would.
PlannedWarmStart tryWarmStart(const spec::Experiment& experiment, const std::string& folder,
                              plan::Model& model)
{
    PlannedWarmStart planned;
    const auto state = model.state();
    Result<train::WarmStartSurvey> survey =
        train::surveyWarmStart(experiment.warm_start(), folder, state, 0);
    if (!survey) {
        planned.problem = std::move(survey).error();
        return planned;
    }
    planned.variables = std::move(survey->variables);
    planned.patterns = std::move(survey->patterns);
    const auto misfit =
        std::find_if(planned.variables.begin(), planned.variables.end(),
                     [](const train::WarmStartVariable& one) { return one.problem.has_value(); });
    planned.problem = misfit != planned.variables.end() ? misfit->problem : survey->unused;
    if (planned.problem) {
        return planned;
    }
    planned.checkpoint = std::move(survey->checkpoint);
    for (const train::WarmStartVariable& variable : planned.variables) {
        if (variable.isSelected) {
            planned.restored.push_back(variable.name);
        }
    }
    for (const graph::Variable& variable : model.graph().variables) {
        if (std::find(planned.restored.begin(), planned.restored.end(), variable.name) ==
            planned.restored.end()) {
            planned.fresh.push_back(variable.name);
        }
    }
    return planned;
}

void reportProgress(const PlanRequest& request, const std::string& what)
{
    if (request.progress) {
        request.progress(what);
    }
}

} // namespace

Result<ModelPlan> planTraining(const PlanRequest& request)
{
    // Before anything is opened: what the program takes without a training.
    const std::int64_t programBytes = train::residentBytes();
    kernels::ThreadPool pool(kernels::threadCount(request.experiment.run_config().threads()));
    reportProgress(request, "Reading the table");
    CANNERY_TRY_ASSIGN(
        const data::Dataset trainData,
        data::Dataset::open(request.experiment.data(), request.folder, data::DataPart::Train));
    CANNERY_TRY_ASSIGN(
        const spec::Experiment experiment,
        train::resolveWithStatistics(request.experiment, trainData, 1, kernels::lend(pool)));
    CANNERY_TRY_ASSIGN(const features::FeatureEncoder encoder,
                       features::FeatureEncoder::create(experiment, request.folder));
    CANNERY_TRY_ASSIGN(const graph::LoweredModel lowered,
                       estimators::lower(experiment, encoder.layout()));
    CANNERY_TRY_ASSIGN(const plan::Sharding sharding, strategies::shardingOf(experiment));
    ModelPlan plan{.estimator = estimatorName(experiment), .batchesPerStep = sharding.total};
    addLayers(lowered.graph, plan);
    reportProgress(request, "Counting the rows");
    CANNERY_TRY(addRows(request, experiment, trainData, encoder, kernels::lend(pool), plan));
    const std::int64_t batch = experiment.train_spec().input().batch_size();
    CANNERY_TRY_ASSIGN(
        std::unique_ptr<plan::Model> model,
        plan::Model::create(
            lowered, {.maxBatchSize = std::max(batch, experiment.eval_spec().input().batch_size()),
                      .pool = &pool,
                      .sharding = sharding,
                      .folder = request.folder}));
    CANNERY_TRY(addMemory(lowered, *model,
                          {.batchSize = batch,
                           .shards = sharding.count,
                           .threads = pool.threadCount(),
                           .isAcross = sharding.isAcross},
                          plan));
    if (experiment.has_warm_start()) {
        plan.warmStart = tryWarmStart(experiment, request.folder, *model);
    }
    CANNERY_TRY_ASSIGN(plan.learningRates,
                       app::learningRates(experiment, plan.steps.value_or(kStepsOfOpenEnd)));
    reportProgress(request, "Measuring steps");
    CANNERY_TRY_ASSIGN(const features::EncodedDataset rows, train::firstRows(trainData, encoder));
    addRowBytes(rows, experiment.run_config().cache_memory_mb(), plan);
    train::MeasuredSteps measured;
    if (request.measure && rows.rowCount() > 0) {
        CANNERY_TRY_ASSIGN(measured, measure(experiment, *model, rows, sharding.count, plan));
        plan.measuredBytes = train::peakResidentBytes();
        plan.programBytes = programBytes;
    }
    model.reset();
    CANNERY_TRY_ASSIGN(plan.strategies,
                       planStrategies({.experiment = experiment,
                                       .folder = request.folder,
                                       .lowered = lowered,
                                       .pool = pool,
                                       .rows = rows,
                                       .measured = measured,
                                       .trainRows = plan.trainRows,
                                       .commonBytes = plan.stateBytes + plan.checkpointCopyBytes() +
                                                      plan.learnerBytes + plan.rowBytes,
                                       .options = request.strategies}));
    return plan;
}

Result<std::vector<LearningRateCurve>> planLearningRates(const PlanRequest& request)
{
    std::int64_t rows = std::max<std::int64_t>(0, request.trainRows.value_or(0));
    // The number of rows matters only if epochs decide the steps; a large table takes long to
    // count.
    if (request.experiment.train_spec().input().num_epochs() > 0 && !request.trainRows) {
        kernels::ThreadPool pool(kernels::threadCount(request.experiment.run_config().threads()));
        CANNERY_TRY_ASSIGN(
            const data::Dataset trainData,
            data::Dataset::open(request.experiment.data(), request.folder, data::DataPart::Train));
        CANNERY_TRY_ASSIGN(const survey::RowCount counted,
                           survey::countRows(trainData, kernels::lend(pool)));
        rows = counted.rows;
    }
    const spec::Experiment experiment = spec::resolve(request.experiment);
    CANNERY_TRY_ASSIGN(const plan::Sharding sharding, strategies::shardingOf(experiment));
    return learningRates(experiment,
                         plannedSteps(experiment, rows, sharding.total).value_or(kStepsOfOpenEnd));
}

} // namespace cannery::app
