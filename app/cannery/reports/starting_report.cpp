// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/reports/starting_report.h"

#include "core/advice/trainable_text.h"
#include "core/spec/text/text_format.h"

#include <fmt/core.h>

namespace cannery::app {

namespace {

constexpr ErrorKind kLeftOut{"new.left_out", "{} is left out ({})."};
constexpr ErrorKind kLeak{"new.leak", "{} {}."};

} // namespace

std::string experimentText(const advice::StartingExperiment& starting, const std::string& table)
{
    std::string text = fmt::format("# A starting experiment for {}: {}.\n",
                                   advice::inOneLine(table), starting.task);
    const auto comment = [&](const std::string& line) {
        text += "# " + advice::inOneLine(line) + "\n";
    };
    for (const std::string& line : starting.rowNotes) {
        comment(line + ".");
    }
    for (const advice::ColumnRemark& remark : starting.leftOut) {
        comment(fmt::format("Left out: {} ({}).", remark.column, remark.remark));
    }
    for (const advice::ColumnRemark& remark : starting.taken) {
        comment(fmt::format("{}: {}.", remark.column, remark.remark));
    }
    for (const advice::ColumnRemark& remark : starting.warnings) {
        comment(fmt::format("Warning: {} {}.", remark.column, remark.remark));
    }
    for (const std::string& line : starting.notes) {
        comment(line);
    }
    return text + spec::printExperiment(starting.experiment);
}

std::vector<spec::Problem> problemsOf(const advice::StartingExperiment& starting)
{
    std::vector<spec::Problem> problems;
    const auto add = [&](const ErrorKind& kind, const advice::ColumnRemark& remark) {
        problems.push_back(
            {.severity = spec::Severity::Warning,
             .error = error(ErrorCode::InvalidArgument, kind, remark.column, remark.remark)});
    };
    for (const advice::ColumnRemark& remark : starting.leftOut) {
        add(kLeftOut, remark);
    }
    for (const advice::ColumnRemark& remark : starting.warnings) {
        add(kLeak, remark);
    }
    return problems;
}

void printRemarks(const advice::StartingExperiment& starting, const Console& console)
{
    for (const std::string& line : starting.rowNotes) {
        console.note(line);
    }
    for (const advice::ColumnRemark& remark : starting.leftOut) {
        console.note(fmt::format("left out {}: {}", remark.column, remark.remark));
    }
    for (const advice::ColumnRemark& remark : starting.warnings) {
        console.note(fmt::format("warning: {} {}", remark.column, remark.remark));
    }
}

} // namespace cannery::app
