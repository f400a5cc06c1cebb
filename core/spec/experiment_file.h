// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/spec/text/parsed_experiment.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace cannery::spec {

/// Reads and parses an experiment file (extension .cannery). The Result fails only if the file
/// cannot be read ("spec.file_missing", "spec.file_unreadable", "spec.file_too_large"); problems of
/// the text are in ParsedExperiment::problems.
Result<ParsedExperiment> loadExperiment(const std::filesystem::path& file);

/// A path in an experiment: relative to the experiment's folder, "~" not expanded.
std::filesystem::path resolvePath(const std::filesystem::path& experimentFolder,
                                  std::string_view path);

} // namespace cannery::spec
