// SPDX-License-Identifier: Apache-2.0
#include "core/estimators/model_assembly.h"

#include "core/base/catalog.h"
#include "core/estimators/sdca.h"
#include "core/heads/head_catalog.h"
#include "core/optimizers/optimizer_catalog.h"
#include "core/spec/canned_head.h"

#include <algorithm>

namespace cannery::estimators {

namespace {

constexpr ErrorKind kNoPart{
    "estimators.no_columns",
    "The estimator has neither linear nor DNN feature columns; give it at least one."};
constexpr ErrorKind kNoHiddenUnits{"estimators.no_hidden_units",
                                   "The estimator has DNN feature columns but no hidden units; "
                                   "give it at least one hidden layer."};
constexpr ErrorKind kNoOptimizer{"estimators.no_optimizer",
                                 "No optimizer trains the {} part; name one."};

/// Adds an optimizer and determines the prefix of its state in a checkpoint: the second of one
/// class is numbered, as TensorFlow makes scopes unique. One without gradients becomes the model's
/// own step.
Result<void> addOptimizer(graph::LoweredModel& model, const heads::Head& head, std::string scope,
                          const spec::Optimizer& optimizer)
{
    const auto* row = findRow(optimizers::optimizerCatalog(), optimizer.kind_case());
    if (row == nullptr) {
        return fail(ErrorCode::InvalidArgument, kNoOptimizer, scope);
    }
    if (row->make == nullptr) {
        // SDCA has no gradient rule: it replaces the step.
        return trainBySdca(model, optimizer.linear_sdca());
    }
    // The optimizers of tf.keras.optimizers have no scope around their names, and a counter of
    // their own; only the first has its `iteration` without a prefix, so any other is numbered.
    if (optimizer.rules() == spec::OptimizerRules::keras) {
        const std::size_t number = model.optimizers.size();
        model.optimizers.push_back(
            {.scope = std::move(scope),
             .optimizer = optimizer,
             .ownsGlobalStep = false,
             .checkpointPrefix = number == 0 ? std::string(row->className)
                                             : fmt::format("{}_{}", row->className, number)});
        return {};
    }
    const std::string prefix = fmt::format("{}/{}", head.trainingScope(), row->className);
    const auto same = std::count_if(
        model.optimizers.begin(), model.optimizers.end(),
        [&](const graph::ScopedOptimizer& other) { return other.checkpointPrefix == prefix; });
    model.optimizers.push_back(
        {.scope = std::move(scope),
         .optimizer = optimizer,
         // TensorFlow gives the global step to the first optimizer; those of tf.compat.v1.train
         // have no counter besides.
         .ownsGlobalStep = model.optimizers.empty() || !row->countsSteps,
         .checkpointPrefix = same == 0 ? prefix : fmt::format("{}_{}", prefix, same)});
    return {};
}

Result<graph::ValueId> addLogits(LoweringContext& context, const ModelParts& parts,
                                 std::int64_t units)
{
    graph::ValueId dnn = -1;
    graph::ValueId linear = -1;
    if (parts.dnn) {
        CANNERY_TRY_ASSIGN(dnn, lowerDnn(context, *parts.dnn, units));
    }
    if (parts.linear) {
        CANNERY_TRY_ASSIGN(linear, lowerLinear(context, *parts.linear, units));
        if (parts.combined) {
            addActivationSummary(context, "linear", linear);
        }
    }
    // The sum of both only if there are both.
    if (dnn < 0 || linear < 0) {
        return std::max(dnn, linear);
    }
    spec::Layer add;
    add.mutable_add();
    return context.builder.addNode("add", add, {dnn, linear});
}

Result<void> checkParts(const ModelParts& parts)
{
    if (!parts.linear && !parts.dnn) {
        return fail(ErrorCode::InvalidArgument, kNoPart);
    }
    if (parts.dnn && parts.dnn->hiddenUnits.empty()) {
        return fail(ErrorCode::InvalidArgument, kNoHiddenUnits);
    }
    return {};
}

} // namespace

Result<graph::LoweredModel> assemble(const LoweringRequest& request,
                                     const std::vector<TrainedScope>& scopes,
                                     const LogitsLowering& addLogits)
{
    graph::LoweredModel model;
    model.head = spec::headOf(request.experiment.estimator());
    CANNERY_TRY_ASSIGN(const std::unique_ptr<heads::Head> head, heads::makeHead(model.head));
    layers::LayerGraphBuilder builder;
    LoweringContext context{.request = request, .builder = builder};
    CANNERY_TRY_ASSIGN(const graph::ValueId logits, addLogits(context, head->logitsWidth()));
    model.graph = builder.finish(logits);
    for (const TrainedScope& trained : scopes) {
        CANNERY_TRY(addOptimizer(model, *head, trained.scope, trained.optimizer));
    }
    return model;
}

Result<graph::LoweredModel> assembleModel(const LoweringRequest& request, const ModelParts& parts)
{
    CANNERY_TRY(checkParts(parts));
    std::vector<TrainedScope> scopes;
    // The DNN's optimizer is made first, as in TensorFlow: its state has the name without a number.
    if (parts.dnn) {
        scopes.push_back({"dnn", parts.dnn->optimizer});
    }
    if (parts.linear) {
        scopes.push_back({"linear", parts.linear->optimizer});
    }
    return assemble(request, scopes, [&](LoweringContext& context, std::int64_t units) {
        return addLogits(context, parts, units);
    });
}

Result<graph::LoweredModel> assembleBaseline(const LoweringRequest& request,
                                             const spec::Optimizer& optimizer)
{
    return assemble(request, {{"baseline", optimizer}},
                    [](LoweringContext& context, std::int64_t units) {
                        spec::Layer bias;
                        bias.mutable_bias()->set_units(units);
                        return context.builder.addNode("baseline", bias, {}, {.scope = "baseline"});
                    });
}

} // namespace cannery::estimators
