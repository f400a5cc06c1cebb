// SPDX-License-Identifier: Apache-2.0
#include "core/spec/text/spec_override.h"
#include "core/spec/text/parsed_experiment.h"
#include "core/spec/text/spec_path.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/fuzz/fuzz_targets.h"

namespace cannery::tests {

using namespace cannery::spec;

/// Arguments of --set, line by line, and paths of fields. A rejected override changes nothing.
void fuzzSpecOverride(std::string_view bytes)
{
    static const ParsedExperiment base = parseExperiment(
        "name: \"a\" feature_column { name: \"x\" numeric_column { key: \"x\" } } "
        "estimator { dnn_classifier { hidden_units: [4] feature_columns: \"x\" } }");
    Experiment experiment = base.experiment;
    while (!bytes.empty()) {
        const std::size_t end = std::min(bytes.find('\n'), bytes.size());
        const std::string_view line = bytes.substr(0, end);
        bytes.remove_prefix(std::min(end + 1, bytes.size()));
        const std::string before = experiment.SerializePartialAsString();
        if (!applyOverride(experiment, line)) {
            FUZZ_REQUIRE(experiment.SerializePartialAsString() == before);
        }
        if (const auto path = parsePath(line)) {
            const auto again = parsePath(path->toString());
            FUZZ_REQUIRE(again && *again == *path);
        }
    }
}

} // namespace cannery::tests
