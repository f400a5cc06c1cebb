// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/console.h"
#include "core/base/exit_code.h"

#include <tl/expected.hpp>

#include <optional>
#include <string>

namespace cannery::app {

/// The tf.estimator program of an experiment file, or of the experiment that a run froze. Reads the
/// training rows if a normalizer takes its values from them. Errors have been printed if the result
/// is an exit code.
tl::expected<std::string, ExitCode> estimatorProgram(const Console& console,
                                                     const std::string& subject,
                                                     const std::optional<std::string>& project);

} // namespace cannery::app
