// SPDX-License-Identifier: Apache-2.0
#include "tests/benchmarks/programs/strategy_rate.h"

#include "tests/benchmarks/programs/peak_rate.h"
#include "tests/benchmarks/programs/prepared_model.h"

#include <chrono>

namespace cannery::benchmarks {

namespace {

constexpr double kSliceSeconds = 0.02;

double clockSeconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

std::string devices(const std::string& field, int count)
{
    std::string text = field + ": [";
    for (int index = 0; index < count; ++index) {
        text += (index == 0 ? "\"CPU:" : ", \"CPU:") + std::to_string(index) + "\"";
    }
    return text + "]";
}

/// Seconds of a step in each slice.
struct Lane
{
    PreparedModel prepared;
    std::vector<double> clock = {};
    std::vector<double> processor = {};
};

Result<void> runSlice(Lane& lane)
{
    const double begin = clockSeconds();
    const double processor = processorSeconds();
    std::int64_t steps = 0;
    do {
        CANNERY_TRY(lane.prepared.step());
        ++steps;
    } while (clockSeconds() - begin < kSliceSeconds);
    lane.clock.push_back((clockSeconds() - begin) / static_cast<double>(steps));
    lane.processor.push_back((processorSeconds() - processor) / static_cast<double>(steps));
    return {};
}

double speed(const std::vector<double>& reference, const std::vector<double>& own)
{
    std::vector<double> ratios;
    for (std::size_t slice = 0; slice < own.size(); ++slice) {
        ratios.push_back(reference[slice] / own[slice]);
    }
    return median(std::move(ratios));
}

} // namespace

Result<std::vector<StrategyRate>> measureStrategies(const StrategyRateRequest& request)
{
    const std::vector<StrategyRate> kinds{
        {.strategy = "one_device {}"},
        {.strategy = "mirrored { " + devices("devices", request.replicas) + " }"},
        {.strategy = "central_storage { " + devices("compute_devices", request.replicas) + " }"}};
    std::vector<Lane> lanes;
    for (const StrategyRate& kind : kinds) {
        CANNERY_TRY_ASSIGN(
            PreparedModel prepared,
            prepareModel({.experimentFile = request.experimentFile,
                          .strategy = kind.strategy,
                          .batch = lanes.empty() ? request.batch * request.replicas : request.batch,
                          .threads = request.replicas}));
        lanes.push_back({.prepared = std::move(prepared)});
        CANNERY_TRY(lanes.back().prepared.step());
    }
    const double begin = clockSeconds();
    do {
        for (Lane& lane : lanes) {
            CANNERY_TRY(runSlice(lane));
        }
    } while (clockSeconds() - begin < request.seconds * static_cast<double>(lanes.size()));
    std::vector<StrategyRate> rates = kinds;
    for (std::size_t kind = 0; kind < lanes.size(); ++kind) {
        rates[kind].millisecondsPerStep = median(lanes[kind].clock) * 1e3;
        rates[kind].processorMilliseconds = median(lanes[kind].processor) * 1e3;
        rates[kind].speed = speed(lanes[0].clock, lanes[kind].clock);
        rates[kind].processorSpeed = speed(lanes[0].processor, lanes[kind].processor);
    }
    return rates;
}

} // namespace cannery::benchmarks
