// SPDX-License-Identifier: Apache-2.0
#include "core/estimators/kmeans.h"

#include "core/estimators/column_lowering.h"
#include "core/estimators/kmeans_step.h"
#include "core/graph/initializers.h"
#include "core/heads/clustering_head.h"
#include "core/layers/inputs/cluster_distances_layer.h"
#include "core/layers/inputs/points_layer.h"

namespace cannery::estimators {

namespace {

constexpr ErrorKind kCenters{
    "estimators.kmeans_centers",
    "The first centers are {} numbers, but {} clusters of {} numbers each need {}; give the "
    "coordinates of one center after another, in the order of the feature columns' names."};

constexpr const char* kInputLayer = "input_layer";

KMeansOptions optionsOf(const spec::KMeans& message)
{
    KMeansOptions options{
        .clusters = message.num_clusters(),
        .distance = message.distance_metric() == spec::ClusterDistance::cosine
                        ? kernels::CenterDistance::Cosine
                        : kernels::CenterDistance::SquaredEuclidean,
        .seed = message.has_seed() ? std::optional(message.seed()) : std::nullopt,
        .miniBatch = message.use_mini_batch(),
        // A full-batch training has an iteration a step.
        .stepsPerIteration =
            message.use_mini_batch() ? message.mini_batch_steps_per_iteration() : 1,
        .retries = message.kmeans_plus_plus_num_retries(),
        .tolerance = message.has_relative_tolerance() ? std::optional(message.relative_tolerance())
                                                      : std::nullopt};
    if (message.initial_clusters().has_kmeans_plus_plus()) {
        options.start = KMeansStart::PlusPlus;
    } else if (message.initial_clusters().has_given()) {
        options.start = KMeansStart::Given;
        for (const double value : message.initial_clusters().given().value()) {
            options.given.push_back(static_cast<float>(value));
        }
    }
    return options;
}

/// The distances, and in `options` where the step finds what it needs.
Result<graph::ValueId> addDistances(LoweringContext& context, const spec::KMeans& message,
                                    KMeansOptions& options)
{
    layers::LayerGraphBuilder& builder = context.builder;
    CANNERY_TRY_ASSIGN(
        std::vector<graph::ValueId> inputs,
        lowerColumns(context, {message.feature_columns().begin(), message.feature_columns().end()},
                     {.variables = "", .node = kInputLayer, .categoriesStay = false}));
    spec::Layer layer;
    layer.mutable_input_layer();
    CANNERY_TRY_ASSIGN(options.columns, builder.addNode(kInputLayer, layer, std::move(inputs)));
    const bool isCosine = options.distance == kernels::CenterDistance::Cosine;
    CANNERY_TRY_ASSIGN(
        options.points,
        builder.addNode(
            "points",
            layers::OwnLayer{
                .kind = "points",
                .make = [isCosine] { return std::make_unique<layers::PointsLayer>(isCosine); }},
            {options.columns}));
    // The step runs these nodes alone: the distances that follow are for predictions.
    options.nodesOfPoints = builder.graph().nodes.size();
    options.width = builder.graph().value(options.points).width;
    CANNERY_TRY_ASSIGN(options.centers,
                       builder.addVariable({.name = "clusters",
                                            .shape = {options.clusters, options.width},
                                            .initializer = graph::zeros()}));
    const layers::ClusterDistances distances{.clusters = options.clusters,
                                             .distance = options.distance,
                                             .dividesCenters = options.dividesCenters()};
    return builder.addNode(
        "kmeans",
        layers::OwnLayer{
            .kind = "cluster_distances",
            .make =
                [distances] { return std::make_unique<layers::ClusterDistancesLayer>(distances); }},
        {options.points}, {.variables = {options.centers}});
}

} // namespace

Result<graph::LoweredModel> lowerKMeans(const LoweringRequest& request)
{
    const spec::KMeans& message = request.experiment.estimator().kmeans();
    KMeansOptions options = optionsOf(message);
    layers::LayerGraphBuilder builder;
    LoweringContext context{.request = request, .builder = builder};
    CANNERY_TRY_ASSIGN(const graph::ValueId distances, addDistances(context, message, options));
    const std::int64_t width = options.width;
    const auto given = static_cast<std::int64_t>(options.given.size());
    // Only here is the width known, which takes the layout of the columns.
    if (options.start == KMeansStart::Given && given != options.clusters * width) {
        return fail(ErrorCode::InvalidArgument, kCenters, given, options.clusters, width,
                    options.clusters * width);
    }
    graph::LoweredModel model;
    model.graph = builder.finish(distances);
    model.makeHead = [clusters = options.clusters] { return heads::makeClusteringHead(clusters); };
    model.makeStep = [options] { return std::make_unique<KMeansStep>(options); };
    return model;
}

} // namespace cannery::estimators
