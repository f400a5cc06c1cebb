// SPDX-License-Identifier: Apache-2.0
#include "core/advice/model_choice.h"

#include "core/advice/column_rules.h"
#include "core/advice/picture_network.h"
#include "core/spec/column_kinds.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace cannery::advice {
namespace {

/// The linear part starts at its solution and then only follows the deep part.
constexpr double kFollowingRate = 1e-4;
/// Adam's own default, with which convolutions of any depth learn.
constexpr double kPictureRate = 0.001;
constexpr std::int64_t kClusters = 8;
constexpr std::int64_t kEvaluationBatch = 512;
constexpr int kEvaluations = 10;
/// A deep model that has not become better for so many of them stops.
constexpr int kPatience = 4;
/// If none are tried.
constexpr std::int64_t kUsualTrees = 100;
/// Wider tables get a linear model if nothing is tried.
constexpr std::size_t kMostDeepColumns = 2000;

std::vector<std::string> linearColumns(const ModelColumns& columns, const ModelChoice& choice)
{
    std::vector<std::string> all = columns.plain;
    if (choice.buckets) {
        all.insert(all.end(), columns.buckets.begin(), columns.buckets.end());
    }
    return all;
}

template <typename Estimator>
void setLinear(Estimator& estimator, const std::vector<std::string>& columns)
{
    for (const std::string& column : columns) {
        estimator.add_feature_columns(column);
    }
    estimator.mutable_optimizer()->mutable_sgd()->set_learning_rate(kFollowingRate);
}

void setDeepOptimizer(spec::Optimizer& optimizer, double learningRate, std::int64_t steps)
{
    optimizer.mutable_adam();
    spec::CosineDecay& decay = *optimizer.mutable_learning_rate_schedule()->mutable_cosine_decay();
    decay.set_learning_rate(learningRate);
    // The rate has decayed when training ends.
    decay.set_decay_steps(steps);
}

template <typename Estimator>
void setDeep(Estimator& estimator, const std::vector<std::string>& columns,
             const ModelChoice& choice)
{
    for (const std::string& column : columns) {
        estimator.add_feature_columns(column);
    }
    for (const std::int64_t units : choice.hiddenUnits) {
        estimator.add_hidden_units(units);
    }
    if (choice.dropout > 0) {
        estimator.set_dropout(choice.dropout);
    }
    setDeepOptimizer(*estimator.mutable_optimizer(), choice.learningRate, choice.steps);
}

template <typename Estimator>
void setCombined(Estimator& estimator, const ModelColumns& columns, const ModelChoice& choice)
{
    for (const std::string& column : linearColumns(columns, choice)) {
        estimator.add_linear_feature_columns(column);
    }
    estimator.mutable_linear_optimizer()->mutable_sgd()->set_learning_rate(kFollowingRate);
    for (const std::string& column : columns.deep) {
        estimator.add_dnn_feature_columns(column);
    }
    for (const std::int64_t units : choice.hiddenUnits) {
        estimator.add_dnn_hidden_units(units);
    }
    if (choice.dropout > 0) {
        estimator.set_dnn_dropout(choice.dropout);
    }
    setDeepOptimizer(*estimator.mutable_dnn_optimizer(), choice.learningRate, choice.steps);
}

void setClusters(spec::KMeans& estimator, const ModelColumns& columns)
{
    estimator.set_num_clusters(kClusters);
    for (const std::string& column : columns.deep) {
        estimator.add_feature_columns(column);
    }
    // Random first centers are often close to each other.
    estimator.mutable_initial_clusters()->mutable_kmeans_plus_plus();
}

/// Whether it reads cells with several values.
bool readsLists(const spec::Experiment& experiment, const std::string& handle)
{
    const std::string source = sourceColumn(experiment, handle);
    return std::ranges::any_of(experiment.data().feature(), [&](const spec::Feature& feature) {
        return feature.has_split() && feature.name() == source;
    });
}

/// The numbers behind buckets, which trees cut themselves, and everything else of a linear model
/// but lists.
std::vector<std::string> treeColumns(const StartingExperiment& starting)
{
    std::vector<std::string> all;
    for (const std::string& handle : starting.columns.plain) {
        if (readsLists(starting.experiment, handle)) {
            continue;
        }
        const auto column = std::ranges::find(starting.experiment.feature_column(), handle,
                                              &spec::FeatureColumn::name);
        // A column that gives both is one of buckets.
        const bool isCut = spec::gives(*column, spec::ColumnKind::IDS) &&
                           spec::gives(*column, spec::ColumnKind::DENSE);
        all.push_back(isCut ? spec::sourcesOf(*column).front().name : handle);
    }
    return all;
}

template <typename Estimator>
void setTrees(Estimator& estimator, const StartingExperiment& starting, const ModelChoice& choice)
{
    for (const std::string& column : treeColumns(starting)) {
        estimator.add_feature_columns(column);
    }
    const TreeChoice& trees = choice.trees;
    const TreeChoice usual;
    estimator.set_n_trees(choice.steps);
    estimator.set_l2_regularization(trees.leafPenalty);
    // Of several classes there is no one bias to center.
    estimator.set_center_bias(starting.label.task != LabelTask::MultiClass);
    spec::HistogramGrowth& growth = *estimator.mutable_histogram();
    growth.set_max_leaves(trees.leaves);
    // Only what differs from the default is written: the experiment is for people to read.
    if (trees.rate != usual.rate) {
        estimator.set_learning_rate(trees.rate);
    }
    if (trees.rowsPerLeaf != usual.rowsPerLeaf) {
        growth.set_min_rows_per_leaf(trees.rowsPerLeaf);
    }
    if (trees.rowFraction != usual.rowFraction) {
        growth.set_row_fraction(trees.rowFraction);
    }
    if (trees.columnFraction != usual.columnFraction) {
        growth.set_column_fraction(trees.columnFraction);
    }
}

template <typename Estimator>
Estimator& asClassifier(Estimator& estimator, const LabelChoice& label)
{
    // Two classes are the default.
    if (label.task == LabelTask::MultiClass) {
        estimator.set_n_classes(label.classes);
    }
    for (const std::string& name : label.vocabulary) {
        estimator.add_label_vocabulary(name);
    }
    return estimator;
}

/// A regressor that learns its label relative to its mean, in units of its deviation.
template <typename Estimator>
Estimator& asRegressor(Estimator& estimator, const LabelChoice& label)
{
    spec::AffineLink& link =
        *estimator.mutable_head()->mutable_regression_head()->mutable_inverse_link_fn();
    link.set_scale(label.scale);
    link.set_offset(label.offset);
    return estimator;
}

void setClassifier(spec::Estimator& estimator, const StartingExperiment& starting,
                   const ModelChoice& choice)
{
    const LabelChoice& label = starting.label;
    const ModelColumns& columns = starting.columns;
    switch (choice.family) {
    case ModelFamily::Baseline:
        asClassifier(*estimator.mutable_baseline_classifier(), label);
        break;
    case ModelFamily::Linear:
        setLinear(asClassifier(*estimator.mutable_linear_classifier(), label),
                  linearColumns(columns, choice));
        break;
    case ModelFamily::Deep:
        if (const spec::FeatureColumn* picture = pictureColumn(starting); picture != nullptr) {
            setPictureNetwork(*estimator.mutable_custom_estimator(), *picture, label,
                              choice.dropout);
            setDeepOptimizer(*estimator.mutable_custom_estimator()->mutable_optimizer(),
                             std::min(choice.learningRate, kPictureRate), choice.steps);
            break;
        }
        setDeep(asClassifier(*estimator.mutable_dnn_classifier(), label), columns.deep, choice);
        break;
    case ModelFamily::Trees:
        setTrees(asClassifier(*estimator.mutable_boosted_trees_classifier(), label), starting,
                 choice);
        break;
    case ModelFamily::Combined:
        setCombined(asClassifier(*estimator.mutable_dnn_linear_combined_classifier(), label),
                    columns, choice);
        break;
    case ModelFamily::Clusters:
        setClusters(*estimator.mutable_kmeans(), columns);
        break;
    }
}

void setRegressor(spec::Estimator& estimator, const StartingExperiment& starting,
                  const ModelChoice& choice)
{
    const LabelChoice& label = starting.label;
    const ModelColumns& columns = starting.columns;
    switch (choice.family) {
    case ModelFamily::Baseline:
        asRegressor(*estimator.mutable_baseline_estimator(), label);
        break;
    case ModelFamily::Linear:
        setLinear(asRegressor(*estimator.mutable_linear_estimator(), label),
                  linearColumns(columns, choice));
        break;
    case ModelFamily::Deep:
        setDeep(asRegressor(*estimator.mutable_dnn_estimator(), label), columns.deep, choice);
        break;
    case ModelFamily::Trees:
        setTrees(*estimator.mutable_boosted_trees_regressor(), starting, choice);
        break;
    case ModelFamily::Combined:
        setCombined(asRegressor(*estimator.mutable_dnn_linear_combined_estimator(), label), columns,
                    choice);
        break;
    case ModelFamily::Clusters:
        setClusters(*estimator.mutable_kmeans(), columns);
        break;
    }
}

void setTraining(spec::Experiment& experiment, const ModelChoice& choice)
{
    spec::TrainSpec& train = *experiment.mutable_train_spec();
    train.set_max_steps(choice.steps);
    train.mutable_input()->set_batch_size(choice.batchSize);
    if (choice.hasLinearPart()) {
        train.mutable_linear_start()->set_l2_regularization_strength(choice.l2);
    }
    // Without rows to evaluate on there is nothing to export the best of.
    if (experiment.data().has_split() || experiment.data().has_eval()) {
        spec::EvalSpec& eval = *experiment.mutable_eval_spec();
        eval.set_steps(0);
        eval.set_throttle_secs(0);
        eval.mutable_input()->set_batch_size(kEvaluationBatch);
        eval.add_exporter()->mutable_best_exporter()->set_name("best");
    }
    const std::int64_t between = std::max<std::int64_t>(50, choice.steps / kEvaluations);
    // A fixed seed: the first model can be trained again with the same result.
    experiment.mutable_run_config()->set_tf_random_seed(1);
    experiment.mutable_run_config()->set_save_checkpoints_steps(between);
    // A linear part alone starts at its solution, and has no need to stop early.
    if (choice.hasDeepPart() && experiment.has_eval_spec()) {
        spec::StopIfNoChangeHook& stop = *train.add_hook()->mutable_stop_if_no_decrease_hook();
        stop.set_metric_name("average_loss");
        stop.set_max_steps_without_change(kPatience * between);
        stop.set_run_every_steps(between);
    }
}

void takeOutUnused(spec::Experiment& experiment, const std::vector<std::string>& used)
{
    std::set<std::string> kept(used.begin(), used.end());
    auto& columns = *experiment.mutable_feature_column();
    // A column comes after the columns that it is derived from.
    for (int i = columns.size() - 1; i >= 0; --i) {
        if (kept.count(columns[i].name()) > 0) {
            // Sources that are raw features are not columns.
            for (const spec::ColumnSource& source : spec::sourcesOf(columns[i])) {
                kept.insert(source.isColumn ? source.name : std::string());
            }
        }
    }
    columns.erase(
        std::remove_if(columns.begin(), columns.end(),
                       [&](const auto& column) { return kept.count(column.name()) == 0; }),
        columns.end());
    // Features that no column reads any more would be made of every row in vain.
    std::set<std::string> read;
    for (const spec::FeatureColumn& column : columns) {
        for (const spec::ColumnSource& source : spec::sourcesOf(column)) {
            read.insert(source.name);
        }
    }
    auto& features = *experiment.mutable_data()->mutable_feature();
    features.erase(
        std::remove_if(features.begin(), features.end(),
                       [&](const auto& feature) { return read.count(feature.name()) == 0; }),
        features.end());
}

/// The column that a raw feature renames, or its own name.
std::string tableColumn(const spec::Experiment& experiment, const std::string& feature)
{
    const auto renamed =
        std::ranges::find(experiment.data().feature(), feature, &spec::Feature::name);
    const bool isRenamed = renamed != experiment.data().feature().end() && renamed->has_column();
    return isRenamed ? renamed->column() : feature;
}

} // namespace

ModelChoice usualChoice(const StartingExperiment& starting, std::uint64_t rows)
{
    const bool isWide = starting.columns.plain.size() > kMostDeepColumns;
    ModelChoice choice{
        .family = starting.family.value_or(isWide ? ModelFamily::Linear : ModelFamily::Combined)};
    constexpr std::int64_t kEpochs = 30;
    const auto count = static_cast<std::int64_t>(rows);
    // Small tables take small batches, so that an epoch has some steps.
    choice.batchSize = count < 2000 ? 32 : count < 20'000 ? 64 : 256;
    choice.steps =
        std::clamp<std::int64_t>(kEpochs * count / choice.batchSize, 500, 20'000) / 100 * 100;
    // Few rows are easily memorized.
    choice.dropout = rows < 2000 ? 0.2 : 0;
    const double share = 1 / std::max(static_cast<double>(rows), 1.0);
    choice.trees.leafPenalty = roundedWithin(share, share / 10);
    if (choice.hasTrees()) {
        choice.steps = kUsualTrees;
    } else if (!choice.hasDeepPart()) {
        choice.steps = kLinearSteps;
    }
    // Many columns need a stronger penalty than their number of rows allows for.
    if (isWide) {
        choice.l2 = static_cast<double>(starting.columns.plain.size()) / 10;
    }
    return choice;
}

bool fitsTrees(const StartingExperiment& starting)
{
    return !treeColumns(starting).empty();
}

std::vector<ModelChoice> deepChoices(const ModelChoice& base, std::int64_t rows)
{
    std::vector<ModelChoice> all;
    const auto add = [&](std::vector<std::int64_t> units, double dropout, double rate,
                         std::int64_t epochs) {
        ModelChoice choice = base;
        choice.hiddenUnits = std::move(units);
        choice.dropout = dropout;
        choice.learningRate = rate;
        choice.steps =
            std::clamp<std::int64_t>(epochs * rows / choice.batchSize / 100 * 100, 200, 20'000);
        all.push_back(std::move(choice));
    };
    // The fewer rows, the more passes; a large table needs fewer.
    const std::int64_t passes = std::clamp<std::int64_t>(150'000 / rows, 15, 60);
    add({64, 32}, 0.0, 0.001, passes / 3);
    add({64, 32}, 0.0, 0.003, passes);
    add({128, 64}, 0.2, 0.003, passes);
    add({128, 64}, 0.5, 0.003, passes);
    add({256, 128}, 0.5, 0.001, passes);
    return all;
}

std::string sourceColumn(const spec::Experiment& experiment, const std::string& handle)
{
    for (const spec::FeatureColumn& column : experiment.feature_column()) {
        if (column.name() == handle) {
            const std::vector<spec::ColumnSource> sources = spec::sourcesOf(column);
            return sources.empty()            ? handle
                   : sources.front().isColumn ? sourceColumn(experiment, sources.front().name)
                                              : tableColumn(experiment, sources.front().name);
        }
    }
    return handle;
}

spec::Experiment withModel(const StartingExperiment& starting, const ModelChoice& choice)
{
    spec::Experiment experiment = starting.experiment;
    if (starting.label.task == LabelTask::Regression) {
        setRegressor(*experiment.mutable_estimator(), starting, choice);
    } else {
        setClassifier(*experiment.mutable_estimator(), starting, choice);
    }
    setTraining(experiment, choice);
    std::vector<std::string> used;
    if (choice.hasLinearPart()) {
        used = linearColumns(starting.columns, choice);
    }
    if (choice.hasDeepPart() || choice.family == ModelFamily::Clusters) {
        used.insert(used.end(), starting.columns.deep.begin(), starting.columns.deep.end());
    }
    if (choice.hasTrees()) {
        used = treeColumns(starting);
    }
    takeOutUnused(experiment, used);
    return experiment;
}

} // namespace cannery::advice
