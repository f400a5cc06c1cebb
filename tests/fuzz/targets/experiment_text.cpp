// SPDX-License-Identifier: Apache-2.0
#include "core/spec/spec_resolver.h"
#include "core/spec/spec_validator.h"
#include "core/spec/text/parsed_experiment.h"
#include "core/spec/text/text_format.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/fuzz/fuzz_targets.h"

namespace cannery::tests {

using namespace cannery::spec;

/// An experiment file: parsed, checked, formatted, printed, resolved. Formatting keeps the meaning
/// and is idempotent; so is resolving.
void fuzzExperimentText(std::string_view bytes)
{
    const ParsedExperiment parsed = parseExperiment(std::string(bytes));
    FUZZ_REQUIRE(parsed.tree.text == bytes);
    if (!hasErrors(parsed.problems)) {
        const std::string laidOut = formatExperiment(parsed.tree);
        const ParsedExperiment again = parseExperiment(laidOut);
        FUZZ_REQUIRE(!hasErrors(again.problems));
        FUZZ_REQUIRE(again.experiment.SerializeAsString() == parsed.experiment.SerializeAsString());
        FUZZ_REQUIRE(formatExperiment(again.tree) == laidOut);
        const ParsedExperiment printed = parseExperiment(printExperiment(parsed.experiment));
        FUZZ_REQUIRE(!hasErrors(printed.problems));
    }
    const ParsedExperiment checked = checkExperiment(std::string(bytes), {});
    if (!hasErrors(checked.problems)) {
        const Experiment resolved = resolve(checked.experiment);
        FUZZ_REQUIRE(resolve(resolved).SerializeAsString() == resolved.SerializeAsString());
        FUZZ_REQUIRE(!hasErrors(validate(resolved)));
    }
}

} // namespace cannery::tests
