// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/experiment.pb.h"

#include <string_view>

namespace cannery::exporting {

/// Whether TensorFlow accepts a name as a scope, where its deep models build a feature column.
bool isScopeName(std::string_view name);

/// The same experiment, whose model reads no feature with another kind of name: "length (cm)"
/// becomes "length__cm_", as the variables call it already, and data.feature says which column of
/// the table that is.
spec::Experiment withScopeNames(spec::Experiment experiment);

} // namespace cannery::exporting
