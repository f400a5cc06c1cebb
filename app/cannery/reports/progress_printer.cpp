// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/reports/progress_printer.h"

#include "app/cannery/reports/evaluation_view.h"
#include "core/base/counted.h"
#include "core/base/utf8.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace cannery::app {

namespace {

constexpr std::size_t kWidestBar = 24;
constexpr std::size_t kNarrowestBar = 4;

/// A bar and a blank in this many columns, or nothing if they are too few.
std::string bar(double share, std::size_t columns)
{
    if (columns < kNarrowestBar + 1) {
        return {};
    }
    const std::size_t width = std::min(columns, kWidestBar + 1) - 1;
    const double filled = std::round(std::clamp(share, 0.0, 1.0) * static_cast<double>(width));
    std::string text;
    for (std::size_t i = 0; i < width; ++i) {
        text += static_cast<double>(i) < filled ? "█" : "░";
    }
    return text + " ";
}

std::string metricOf(const train::EvaluationResult& result, const char* name)
{
    const std::optional<double> value = result.find(name);
    return value ? fmt::format(", {} {:.4f}", name, *value) : "";
}

} // namespace

std::string durationText(double seconds)
{
    const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
    if (seconds < 10) {
        return fmt::format("{:.1f} s", seconds);
    }
    if (whole < 60) {
        return fmt::format("{} s", whole);
    }
    if (whole < 3600) {
        return fmt::format("{} m {} s", whole / 60, whole % 60);
    }
    return fmt::format("{} h {} m", whole / 3600, whole % 3600 / 60);
}

void ProgressPrinter::dataLoaded(const train::DataSummary& data)
{
    const std::string skipped =
        data.skippedRows > 0 ? fmt::format(", {} left out", counted(data.skippedRows, "row")) : "";
    m_console->clearProgress();
    m_console->note(fmt::format("{} to train on, {} to evaluate on{}",
                                counted(data.trainRows, "row"), data.evalRows, skipped));
    for (const std::string& sentence : data.notes) {
        m_console->note(sentence);
    }
    for (const std::string& warning : data.warnings) {
        m_console->diagnostic("warning: " + warning);
    }
}

void ProgressPrinter::progressed(const train::Progress& progress)
{
    const std::int64_t maxSteps = progress.maxSteps.value_or(0);
    std::string line = fmt::format("step {}", progress.globalStep);
    if (maxSteps > 0) {
        line += fmt::format(" of {}", maxSteps);
    }
    line += fmt::format("  loss {:.4f}  {:.0f} steps/s", progress.loss, progress.stepsPerSecond);
    if (progress.secondsLeft) {
        line += "  " + durationText(*progress.secondsLeft) + " left";
    }
    if (maxSteps > 0) {
        const std::size_t columns = Console::progressColumns();
        const double share =
            static_cast<double>(progress.globalStep) / static_cast<double>(maxSteps);
        line = bar(share, columns - std::min(columns, characterCount(line))) + line;
    }
    m_console->progress(line);
}

void ProgressPrinter::evaluated(const train::EvaluationResult& result)
{
    m_console->clearProgress();
    m_console->note(fmt::format("step {}: evaluated{}{}{}", result.globalStep,
                                metricOf(result, "accuracy"), metricOf(result, "auc"),
                                metricOf(result, "loss")));
}

void ProgressPrinter::exported(const train::ExportResult& result)
{
    m_console->clearProgress();
    m_console->note(fmt::format("step {}: exported by '{}' to {}", result.globalStep,
                                result.exporter, result.path));
}

void ProgressPrinter::logged(train::LogLevel level, std::string_view sentence)
{
    if (level != train::LogLevel::Warning) {
        return; // shown by the progress line and the run's log; errors end the training and are
                // printed
    }
    m_console->clearProgress();
    m_console->diagnostic(fmt::format("warning: {}", sentence));
}

} // namespace cannery::app
