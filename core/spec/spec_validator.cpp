// SPDX-License-Identifier: Apache-2.0
#include "core/spec/spec_validator.h"

#include "core/spec/checks/annotation_checks.h"
#include "core/spec/checks/validation_context.h"
#include "core/spec/text/path_namer.h"
#include "core/spec/text/syntax_lookup.h"

namespace cannery::spec {

namespace {

/// What is known about the table: the columns given, or those that the experiment lists.
std::optional<std::vector<std::string>> tableColumns(const Experiment& experiment,
                                                     const ValidationOptions& options)
{
    if (options.knownColumns) {
        return options.knownColumns;
    }
    const auto& names = experiment.data().train().csv().column_names();
    if (names.empty()) {
        return std::nullopt;
    }
    return std::vector<std::string>(names.begin(), names.end());
}

} // namespace

std::vector<Problem> validate(const Experiment& experiment, const ValidationOptions& options)
{
    ValidationContext context{experiment, tableColumns(experiment, options)};
    // All rules run, whatever the ones before have found: a person corrects everything at once.
    checkFields(experiment, {}, context.problems);
    checkNames(context);
    checkData(context);
    checkFeatureColumns(context);
    checkEstimator(context);
    checkEstimatorRules(context);
    checkNetwork(context);
    checkTrees(context);
    checkRecurrentNetwork(context);
    checkHistogramGrowth(context);
    checkLabels(context);
    checkLossHeads(context);
    checkOptimizers(context);
    checkLinearSdca(context);
    checkTraining(context);
    checkEvaluation(context);
    checkClassWeights(context);
    checkStrategy(context);
    checkSweep(context);
    // Paths get the names of elements at the end, since rules build them with indices.
    PathNamer namer(experiment);
    for (Problem& problem : context.problems) {
        const auto path = parsePath(problem.fieldPath);
        if (path && options.tree != nullptr) {
            const TextPlace place = placeOf(*options.tree, *path);
            problem.line = place.line;
            problem.column = place.column;
        }
        if (path) {
            problem.fieldPath = namer.named(*path).toString();
        }
        problem.error.path = problem.fieldPath;
    }
    // In the order of the file, whichever rule has found it.
    sortByPlace(context.problems);
    return std::move(context.problems);
}

} // namespace cannery::spec
