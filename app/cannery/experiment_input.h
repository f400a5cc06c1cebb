// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console.h"
#include "app/cannery/exit_code.h"
#include "core/base/result.h"
#include "core/spec/experiment.pb.h"
#include "core/spec/parsed_experiment.h"
#include "core/spec/problem.h"

#include <tl/expected.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace cannery::app {

/// An experiment as the command line means it: the file with every --set applied, and every problem
/// that it has.
struct ExperimentReport
{
    std::filesystem::path file;
    std::filesystem::path folder;  ///< what relative paths are relative to
    spec::ParsedExperiment parsed; ///< the file, read once; without any --set
    spec::Experiment experiment;   ///< as far as it could be understood; not resolved
    std::vector<spec::Problem> problems;
};

/// spec::loadExperiment(), but of a run's folder no link is followed.
Result<spec::ParsedExperiment> loadExperimentFile(const std::filesystem::path& file);

/// Looks at the text alone; what needs the data is found when it is opened.
ExperimentReport checkExperimentFile(const std::filesystem::path& file,
                                     const std::vector<std::string>& overrides);
/// Checks the names of columns against the tables too, that these can be opened, that vocabulary
/// files are whole, and that what is trained fits into memory and on the disk.
ExperimentReport checkExperimentAndData(const std::filesystem::path& file,
                                        const std::vector<std::string>& overrides);

/// The same for a command that needs the experiment: problems are printed, and errors end it.
tl::expected<ExperimentReport, ExitCode> readExperiment(const Console& console,
                                                        const std::filesystem::path& file,
                                                        const std::vector<std::string>& overrides);

/// readExperiment() for a command that trains: what does not fit into memory or on the disk ends it
/// before anything is allocated. `folder`: what relative paths are relative to; empty: that of the
/// file. `modelDir`: where checkpoints go; empty: below that folder.
tl::expected<ExperimentReport, ExitCode>
readTrainableExperiment(const Console& console, const std::filesystem::path& file,
                        const std::vector<std::string>& overrides,
                        const std::filesystem::path& folder = {}, const std::string& modelDir = {});

/// A JSON array of `{"id", "level", "file", "line", "column", "path", "sentence", "arguments"}`;
/// `level` is "error" or "warning", a place that is not known 0.
std::string problemsJson(const std::vector<spec::Problem>& problems, const std::string& file);

} // namespace cannery::app
