// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/typing/schema.h"

namespace cannery::data {

class TypeEvidence;

/// Sets the kind of a column from its evidence, its name and its dtype; it stays unknown if
/// distinct values are not counted.
void guessKind(const TypeEvidence& evidence, ColumnSchema& column);

} // namespace cannery::data
