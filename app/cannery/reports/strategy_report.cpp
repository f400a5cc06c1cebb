// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/reports/strategy_report.h"

#include "core/base/byte_text.h"
#include "core/base/text_table.h"

#include <fmt/core.h>

namespace cannery::app {

namespace {

/// "12", "0.123".
std::string rateText(const std::optional<double>& rate)
{
    if (!rate) {
        return "";
    }
    return *rate < 10 ? fmt::format("{:.3g}", *rate) : fmt::format("{:.0f}", *rate);
}

void printCurve(const Console& console, const PlannedWorkers& workers)
{
    std::vector<std::vector<std::string>> rows;
    for (const strategies::WorkerPoint& point : workers.advice->curve) {
        rows.push_back({fmt::format("{}", point.workers), rateText(point.stepsPerSecond),
                        rateText(point.rowsPerSecond),
                        fmt::format("{:.1f} %", point.efficiency * 100)});
    }
    console.result("");
    for (const std::string& line :
         alignedTable({"workers", "steps/s", "rows/s", "efficiency"}, rows)) {
        console.result(line);
    }
}

} // namespace

void printStrategies(const Console& console, const StrategyPlan& plan, bool withCurve)
{
    std::vector<std::vector<std::string>> rows;
    for (const PlannedStrategy& strategy : plan.strategies) {
        const bool isThere = strategy.isAvailable;
        rows.push_back({fmt::format("{}{}", strategy.name, strategy.isChosen ? " *" : ""),
                        isThere ? fmt::format("{}", strategy.replicas) : "",
                        isThere ? fmt::format("{}", strategy.batchPerStep) : "",
                        rateText(strategy.stepsPerSecond), rateText(strategy.rowsPerSecond),
                        isThere ? byteText(static_cast<double>(strategy.memoryBytes)) : "",
                        strategy.reason});
    }
    console.result("");
    for (const std::string& line : alignedTable(
             {"strategy", "replicas", "rows per step", "steps/s", "rows/s", "memory", ""}, rows)) {
        console.result(line);
    }
    console.result("");
    console.result(fmt::format("{:<11} {}", "workers", plan.workers.sentence()));
    if (withCurve && plan.workers.advice) {
        printCurve(console, plan.workers);
    }
}

} // namespace cannery::app
