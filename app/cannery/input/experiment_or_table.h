// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/spec/text/parsed_experiment.h"

#include <filesystem>
#include <optional>

namespace cannery::app {

/// The id of the error about a table in an experiment's place.
inline constexpr const char* kIsATableId = "spec.is_a_table";

/// What a file is instead of an experiment, in one sentence with the way to begin with it; nothing
/// for an experiment, whatever errors it has, and for a file that is missing. `parsed`: what
/// reading it as one gave.
std::optional<Error> otherThanExperiment(const std::filesystem::path& file,
                                         const Result<spec::ParsedExperiment>& parsed);

} // namespace cannery::app
