// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/console.h"
#include "core/base/exit_code.h"
#include "core/spec/experiment.pb.h"

#include <cstdint>
#include <optional>
#include <string>

namespace cannery::app {

struct DryRunRequest
{
    const spec::Experiment& experiment; ///< valid; resolved or not
    std::string folder;                 ///< where its relative paths start
    std::string modelDir;               ///< a new run if empty
    std::optional<std::int64_t> seed;
    bool allowsCommands = false;
    bool json = false;
};

/// `cannery train --dry-run`: prints the resolved experiment, then what training would read, do and
/// write, and what it would take (as `cannery plan` without measuring); or
/// `{"experiment","plan","reads","writes","from_step","batches_per_epoch","saves","evaluates",
/// "exports","programs"}`. Writes nothing.
ExitCode dryRun(Console& console, const DryRunRequest& request);

} // namespace cannery::app
