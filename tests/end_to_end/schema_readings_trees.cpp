// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/schema_readings_parts.h"

namespace cannery::tests {

namespace {

std::vector<SchemaReading> ofLayers()
{
    std::vector<SchemaReading> all;
    const std::string e = "estimator.boosted_trees_";
    const std::string noBias = ".center_bias=false";
    addOfRows(all, "trees.cannery", e + "classifier");
    addOfRows(all, "trees_regressor.cannery", e + "regressor");
    all.push_back(
        {"trees.cannery",
         {kToneLabel, e + "classifier.n_classes=3", e + "classifier" + noBias,
          e + "classifier.l1_regularization=0", e + "classifier.label_vocabulary" + kColours},
         e + "classifier.label_vocabulary" + kOtherColours});
    all.push_back({"trees.cannery",
                   {kClassLabel, e + "classifier.n_classes=3", e + "classifier" + noBias,
                    e + "classifier.l1_regularization=0"},
                   e + "classifier.n_classes=4"});
    all.push_back({"trees_regressor.cannery",
                   {e + "regressor" + noBias, e + "regressor.l1_regularization=0"},
                   e + "regressor.label_dimension=2",
                   "spec.label_size"});
    for (const char* kind : {"classifier", "regressor", "estimator"}) {
        const std::string name = kind;
        const std::string file =
            name == "classifier" ? "trees.cannery" : "trees_" + name + ".cannery";
        const std::string at = e + name;
        all.push_back({file, {}, at + ".feature_columns=[\"x\"]"});
        all.push_back({file, {at + noBias}, at + ".max_depth=1"});
        all.push_back({file, {at + noBias, at + ".max_depth=1"}, at + ".n_trees=1"});
        all.push_back({file, {at + noBias}, at + ".n_batches_per_layer=2"});
        all.push_back({file, {at + noBias}, at + ".min_node_weight=9"});
        all.push_back({file, {at + noBias}, at + ".l1_regularization=0.4"});
        all.push_back({file, {at + noBias}, at + ".learning_rate=0.9"});
        all.push_back({file,
                       {at + noBias, at + ".tree_complexity=0.5", at + ".pruning_mode=pre"},
                       at + ".pruning_mode=post"});
        all.push_back({file, {at + noBias, at + ".max_depth=1"}, at + ".tree_complexity=90"});
        all.push_back({file,
                       {at + noBias, at + ".feature_columns=[\"x\"]"},
                       at + ".quantile_sketch_epsilon=0.5"});
    }
    for (const char* kind : {"classifier", "regressor"}) {
        const std::string name = kind;
        all.push_back({name == "classifier" ? "trees.cannery" : "trees_" + name + ".cannery",
                       {e + name + noBias},
                       e + name + ".train_in_memory=true"});
    }
    return all;
}

std::vector<SchemaReading> ofHistograms()
{
    const std::string trees = "estimator.boosted_trees_classifier.";
    const std::string growth = trees + "histogram.";
    const std::string columns = trees + "feature_columns=[\"z\", \"x\", \"v\"]";
    const std::vector<std::string> free{columns,
                                        growth + "monotone=", growth + "column_fraction=1"};
    std::vector<SchemaReading> all;
    for (const char* change :
         {"max_leaves=2", "max_bins=3", "min_rows_per_leaf=5", "column_fraction=0.1"}) {
        all.push_back({"trees_histogram.cannery", free, growth + change});
    }
    all.push_back({"trees_histogram.cannery",
                   {columns, growth + "column_fraction=1"},
                   growth + "monotone[0].column=x"});
    all.push_back({"trees_histogram.cannery",
                   {"train_spec.max_steps=12", kOften, trees + "n_trees=40"},
                   growth + "early_stopping_evals=3"});
    for (const char* kind : {"regressor", "estimator"}) {
        const std::string at = std::string("estimator.boosted_trees_") + kind;
        all.push_back({std::string("trees_") + kind + ".cannery",
                       {at + ".n_batches_per_layer=", at + ".pruning_mode=pre",
                        at + ".quantile_sketch_epsilon="},
                       at + ".histogram.min_rows_per_leaf=1"});
    }
    return all;
}

} // namespace

std::vector<SchemaReading> readingsOfTrees()
{
    return joined({ofLayers(), ofHistograms()});
}

std::vector<SchemaReading> readingsOfClusters()
{
    const std::string kmeans = "estimator.kmeans.";
    const std::string start = kmeans + "initial_clusters.";
    const std::string wholeTable = "train_spec.input.batch_size=12";
    return {
        {"kmeans.cannery", {}, kmeans + "feature_columns=[\"n\"]"},
        {"kmeans.cannery", {}, kmeans + "num_clusters=3"},
        {"kmeans.cannery", {}, kmeans + "mini_batch_steps_per_iteration=1"},
        {"kmeans.cannery", {}, kmeans + "kmeans_plus_plus_num_retries=0"},
        {"kmeans.cannery", {}, kmeans + "relative_tolerance=0.9"},
        {"kmeans.cannery", {wholeTable}, kmeans + "seed=9"},
        {"kmeans.cannery", {wholeTable, kmeans + "seed=9"}, start + "random={}"},
        {"kmeans_given.cannery", {}, kmeans + "distance_metric=cosine"},
        {"kmeans_given.cannery", {}, kmeans + "use_mini_batch=false"},
        {"kmeans_given.cannery", {}, start + "given.value=[0.3, 0.9, 0.8, 0.2]"},
        {"kmeans_given.cannery", {}, start + "kmeans_plus_plus={}"},
    };
}

} // namespace cannery::tests
