// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/checks/column_rules.h"

/// Rules of crossed columns (estimator-canon §3.1), a row of columnRules().
namespace cannery::spec {

/// TensorFlow's initial hash value if the key is not given, or is 0.
inline constexpr std::uint64_t kCrossHashKey = 0xDECAFCAFFEULL;

void checkCrossedColumn(const ColumnCheck& check);
/// Fills in the hash key.
void resolveCrossedColumn(FeatureColumn& column, const Experiment& experiment,
                          const ResolveOptions& options);

} // namespace cannery::spec
