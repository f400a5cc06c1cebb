// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/checks/column_rules.h"

/// Rules of columns with known categories (estimator-canon §3.1), rows of columnRules().
namespace cannery::spec {

void checkVocabularyList(const ColumnCheck& check);
void checkVocabularyFile(const ColumnCheck& check);
/// Unknown words have no id unless there are buckets for them.
void resolveVocabularyFile(FeatureColumn& column, const Experiment& experiment,
                           const ResolveOptions& options);
void checkIdentity(const ColumnCheck& check);

/// The same for sequences.
void checkSequenceVocabularyList(const ColumnCheck& check);
void checkSequenceVocabularyFile(const ColumnCheck& check);
void resolveSequenceVocabularyFile(FeatureColumn& column, const Experiment& experiment,
                                   const ResolveOptions& options);
void checkSequenceIdentity(const ColumnCheck& check);

} // namespace cannery::spec
