// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/starting_report.h"

#include "app/cannery/trainable_text.h"
#include "core/spec/text_format.h"

#include <fmt/core.h>

namespace cannery::app {

namespace {

constexpr ErrorKind kLeftOut{"new.left_out", "{} is left out ({})."};
constexpr ErrorKind kLeak{"new.leak", "{} {}."};

} // namespace

std::string experimentText(const StartingExperiment& starting, const std::string& table)
{
    std::string text =
        fmt::format("# A starting experiment for {}: {}.\n", inOneLine(table), starting.task);
    const auto comment = [&](const std::string& line) { text += "# " + inOneLine(line) + "\n"; };
    for (const std::string& line : starting.rowNotes) {
        comment(line + ".");
    }
    for (const ColumnRemark& remark : starting.leftOut) {
        comment(fmt::format("Left out: {} ({}).", remark.column, remark.remark));
    }
    for (const ColumnRemark& remark : starting.taken) {
        comment(fmt::format("{}: {}.", remark.column, remark.remark));
    }
    for (const ColumnRemark& remark : starting.warnings) {
        comment(fmt::format("Warning: {} {}.", remark.column, remark.remark));
    }
    for (const std::string& line : starting.notes) {
        comment(line);
    }
    return text + spec::printExperiment(starting.experiment);
}

std::vector<spec::Problem> problemsOf(const StartingExperiment& starting)
{
    std::vector<spec::Problem> problems;
    const auto add = [&](const ErrorKind& kind, const ColumnRemark& remark) {
        problems.push_back(
            {.severity = spec::Severity::Warning,
             .error = error(ErrorCode::InvalidArgument, kind, remark.column, remark.remark)});
    };
    for (const ColumnRemark& remark : starting.leftOut) {
        add(kLeftOut, remark);
    }
    for (const ColumnRemark& remark : starting.warnings) {
        add(kLeak, remark);
    }
    return problems;
}

void printRemarks(const StartingExperiment& starting, const Console& console)
{
    for (const std::string& line : starting.rowNotes) {
        console.note(line);
    }
    for (const ColumnRemark& remark : starting.leftOut) {
        console.note(fmt::format("left out {}: {}", remark.column, remark.remark));
    }
    for (const ColumnRemark& remark : starting.warnings) {
        console.note(fmt::format("warning: {} {}", remark.column, remark.remark));
    }
}

} // namespace cannery::app
