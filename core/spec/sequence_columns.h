// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/checks/column_rules.h"

/// Rules of sequence columns (estimator-canon §3.1), rows of columnRules().
namespace cannery::spec {

/// The feature that a sequence column reads must be a list.
void checkSequenceKey(const ColumnCheck& check, const std::string& key);

void checkSequenceNumeric(const ColumnCheck& check);
/// Of one number per step, unless a shape is given.
void resolveSequenceNumeric(FeatureColumn& column, const Experiment& experiment,
                            const ResolveOptions& options);
void checkSequenceHashBucket(const ColumnCheck& check);

} // namespace cannery::spec
