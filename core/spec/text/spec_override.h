// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/spec/text/spec_path.h"

#include <string_view>

namespace cannery::spec {

class Experiment;

/// Applies one `--set PATH=VALUE`: the value in text format, with two simplifications for the
/// command line: a text need not be quoted, and the braces of a message may be omitted
/// (`estimator.dnn_classifier.optimizer=adam { learning_rate: 0.01 }`). A list without an index is
/// replaced as a whole; absent messages in the path are created, but a oneof in the path is not
/// switched ("spec.other_member"). An empty value clears the field.
///
/// Types and ranges are checked as in a file, and a number must be one ("spec.not_one_number"); the
/// error's path names the field. On an error the experiment is unchanged. Missing fields and names
/// are checked by validate() after all overrides.
Result<void> applyOverride(Experiment& experiment, std::string_view assignment);

/// The same with separate path and value.
Result<void> setField(Experiment& experiment, const SpecPath& path, std::string_view value);

/// Removes the field, or one element of it.
Result<void> clearField(Experiment& experiment, const SpecPath& path);

} // namespace cannery::spec
