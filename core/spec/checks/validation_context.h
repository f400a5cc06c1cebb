// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/experiment.pb.h"
#include "core/spec/problem.h"
#include "core/spec/tensorflow_names.h"
#include "core/spec/text/spec_path.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::spec {

/// What the checks of an experiment share. Paths hold indices; validate() replaces them by names.
struct ValidationContext
{
    const Experiment& experiment;
    /// Columns of the table, if known.
    std::optional<std::vector<std::string>> tableColumns;
    std::vector<Problem> problems = {};
    ColumnIndex columns = experiment;

    void report(const SpecPath& path, Error error, Severity severity = Severity::Error);
    /// The feature column of that name, or nullptr if there is none or it has no kind.
    const FeatureColumn* column(std::string_view name) const;
    /// The derived feature of that name, or nullptr.
    const Feature* madeFeature(std::string_view name) const;
    /// Every raw feature that may be referred to, if known.
    std::optional<std::vector<std::string>> features() const;
};

/// Number of elements of a shape; `unset` for an empty one.
std::int64_t elementCount(const google::protobuf::RepeatedField<std::int64_t>& shape,
                          std::int64_t unset);

/// The columns that the label is made from.
std::vector<std::string> labelColumns(const Data& data);

/// Whether some rows are held back to evaluate on: by the data, or by the folds of the sweep.
bool hasRowsToEvaluate(const Experiment& experiment);

// Each adds its problems to the context.
void checkNames(ValidationContext& context);
void checkData(ValidationContext& context);
void checkFeatureColumns(ValidationContext& context);
void checkEstimator(ValidationContext& context);
void checkEstimatorRules(ValidationContext& context);
void checkHistogramGrowth(ValidationContext& context);
void checkLabels(ValidationContext& context);
void checkLossHeads(ValidationContext& context);
void checkNetwork(ValidationContext& context);
void checkLinearSdca(ValidationContext& context);
void checkOptimizers(ValidationContext& context);
void checkTraining(ValidationContext& context);
void checkEvaluation(ValidationContext& context);
void checkClassWeights(ValidationContext& context);
void checkStrategy(ValidationContext& context);
void checkSweep(ValidationContext& context);
void checkTrees(ValidationContext& context);
void checkRecurrentNetwork(ValidationContext& context);

} // namespace cannery::spec
