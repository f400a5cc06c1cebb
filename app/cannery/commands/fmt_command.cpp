// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/commands/fmt_command.h"

#include "app/cannery/input/experiment_input.h"
#include "core/spec/text/text_format.h"
#include "storage/io/atomic_write.h"

#include <algorithm>

namespace cannery::app {

namespace {

/// Formats one file. Sets `differs` when its text is not in the canonical layout.
ExitCode formatFile(Console& console, const std::string& file, bool write, bool print,
                    bool& differs)
{
    const Result<spec::ParsedExperiment> parsed = loadExperimentFile(file);
    if (!parsed) {
        return reportFailure(console, parsed.error());
    }
    if (spec::hasErrors(parsed->problems)) {
        for (const std::string& line : problemLines(parsed->problems, file)) {
            console.diagnostic(line);
        }
        return ExitCode::ExperimentOrData;
    }
    const std::string formatted = spec::formatExperiment(parsed->tree);
    differs = formatted != parsed->tree.text;
    if (print) {
        console.content(formatted);
    } else if (differs && write) {
        if (const Result<void> saved = storage::replaceFile(file, formatted); !saved) {
            return reportFailure(console, saved.error());
        }
        console.note("formatted " + file);
    }
    return ExitCode::Done;
}

} // namespace

void FmtCommand::declare(OptionSet& options)
{
    options.arguments("FILE", m_files, "experiment files");
    options.flag("--check", m_check, "change nothing; exit with 1 if a file would change");
    options.flag("--stdout", m_stdout, "print the formatted text instead of writing the file");
}

ExitCode FmtCommand::run(Console& console)
{
    ExitCode worst = ExitCode::Done;
    for (const std::string& file : m_files) {
        bool differs = false;
        ExitCode code = formatFile(console, file, !m_check, m_stdout, differs);
        if (code == ExitCode::Done && m_check && differs) {
            console.result(file);
            code = ExitCode::Failed;
        }
        // A problem in one file keeps none of the others from being formatted.
        worst = std::max(worst, code);
    }
    return worst;
}

} // namespace cannery::app
