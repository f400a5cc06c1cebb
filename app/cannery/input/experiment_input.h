// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/console.h"
#include "core/base/exit_code.h"
#include "core/base/result.h"
#include "core/reports/check.pb.h"
#include "core/spec/experiment.pb.h"
#include "core/spec/problem.h"
#include "core/spec/text/parsed_experiment.h"
#include "core/survey/remark_list.h"

#include <tl/expected.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace cannery::app {

/// An experiment file with every --set applied, and all its problems.
struct ExperimentReport
{
    std::filesystem::path file;
    std::filesystem::path folder;  ///< relative paths start here
    spec::ParsedExperiment parsed; ///< the file, read once; without any --set
    spec::Experiment experiment;   ///< as far as it could be parsed; not resolved
    std::vector<spec::Problem> problems;
    std::vector<survey::TableRemark> remarks; ///< on the table, if it was opened
};

/// Like spec::loadExperiment(), but follows no links in a run's folder, and says of a table or
/// another file that is none of its kind what it is and how to begin with it
/// ("spec.is_a_table", "spec.not_an_experiment", "spec.is_a_folder").
Result<spec::ParsedExperiment> loadExperimentFile(const std::filesystem::path& file);
/// Whether a file that is named as an experiment is a table.
bool isTableInsteadOfExperiment(const std::filesystem::path& file);

/// The problems as lines for people; of those of the syntax, only the first ten.
std::vector<std::string> problemLines(const std::vector<spec::Problem>& problems,
                                      const std::string& file);

/// Checks the text alone; what needs the data is checked when it is opened.
ExperimentReport checkExperimentFile(const std::filesystem::path& file,
                                     const std::vector<std::string>& overrides);
/// Also checks column names against the tables, that the tables can be opened, that vocabulary
/// files are complete, and that training fits into memory and on the disk. Remarks on the table if
/// there are no errors.
ExperimentReport checkExperimentAndData(const std::filesystem::path& file,
                                        const std::vector<std::string>& overrides);

/// Like checkExperimentFile(), for a command that needs the experiment: prints the problems, and
/// errors end the command.
tl::expected<ExperimentReport, ExitCode> readExperiment(const Console& console,
                                                        const std::filesystem::path& file,
                                                        const std::vector<std::string>& overrides);

/// Like readExperiment(), for a command that trains: an experiment that does not fit into memory or
/// on the disk is refused before anything is allocated. `folder`: where relative paths start;
/// the file's if empty. `modelDir`: where checkpoints go; empty: below that folder.
tl::expected<ExperimentReport, ExitCode>
readTrainableExperiment(const Console& console, const std::filesystem::path& file,
                        const std::vector<std::string>& overrides,
                        const std::filesystem::path& folder = {}, const std::string& modelDir = {});

/// The problems as answers have them.
reports::Problems problemsReport(const std::vector<spec::Problem>& problems,
                                 const std::string& file);

} // namespace cannery::app
