// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/end_to_end/project_fixture.h"

#include <string>
#include <vector>

namespace cannery::tests {

/// How to show that a field is read if changing it in an unmodified extreme experiment does not.
struct SchemaReading
{
    std::string experiment;         ///< one of extremeExperiments()
    std::vector<std::string> given; ///< overrides that make the field relevant
    std::string change;             ///< the override that must change the result of training
    std::string refusal = {};       ///< or cause this error
};

const std::vector<SchemaReading>& schemaReadings();

/// A field that has no effect, and why it exists.
struct InertField
{
    std::string name; ///< "EvalSpec.start_delay_secs"
    const char* reason;
    const char* change;                     ///< an override that sets it
    const char* experiment = "dnn.cannery"; ///< one of extremeExperiments()
};

const std::vector<InertField>& inertFields();

/// The tables and vocabularies that the readings use, besides those of the extreme experiments.
void writeSchemaTables(const ProjectFixture& project);

} // namespace cannery::tests
