// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/end_to_end/project_fixture.h"

#include <QStringList>

namespace cannery::tests {

/// Small experiments that train quickly and together contain every message of the schema.
/// "warm.cannery" starts from the model that "linear.cannery" writes to the folder `first`.
QStringList extremeExperiments();

/// Writes them, their table and their vocabularies.
void writeExtremeExperiments(const ProjectFixture& project);

} // namespace cannery::tests
