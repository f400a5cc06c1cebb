// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/end_to_end/project_fixture.h"

#include <string>
#include <vector>

namespace cannery::tests {

/// How the reader of a field shows itself where changing the field in an extreme experiment as it
/// stands does not do it.
struct SchemaReading
{
    std::string experiment;         ///< one of extremeExperiments()
    std::vector<std::string> given; ///< overrides that make it matter
    std::string change;             ///< the override that must change what training leaves
    std::string refusal = {};       ///< or be answered by this error
};

const std::vector<SchemaReading>& schemaReadings();

/// A field that changes nothing, and why there is one.
struct InertField
{
    std::string name; ///< "EvalSpec.start_delay_secs"
    const char* reason;
    const char* change; ///< an override that sets it
};

const std::vector<InertField>& inertFields();

/// The tables and vocabularies that the readings name, beside those of the extreme experiments.
void writeSchemaTables(const ProjectFixture& project);

} // namespace cannery::tests
