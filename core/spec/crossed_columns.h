// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/column_rules.h"

/// Rules of crossed columns (estimator-canon §3.1), a row of columnRules().
namespace cannery::spec {

/// What TensorFlow starts hashing with when the key is not given, or 0.
inline constexpr std::uint64_t kCrossHashKey = 0xDECAFCAFFEULL;

void checkCrossedColumn(const ColumnCheck& check);
/// Writes out the hash key.
void resolveCrossedColumn(FeatureColumn& column, const Experiment& experiment,
                          const ResolveOptions& options);

} // namespace cannery::spec
