// SPDX-License-Identifier: Apache-2.0
#include "tests/benchmarks/programs/step_rate.h"

#include "kernels/device/cpu_level.h"
#include "tests/benchmarks/programs/peak_rate.h"
#include "tests/benchmarks/programs/prepared_model.h"

#include <algorithm>
#include <vector>

namespace cannery::benchmarks {

namespace {

/// Steps and loop take turns so often that a neighbour who comes or goes meets both.
constexpr double kSliceSeconds = 0.01;

} // namespace

Result<StepRate> measureSteps(const StepRateRequest& request)
{
    CANNERY_TRY_ASSIGN(PreparedModel prepared,
                       prepareModel({.experimentFile = request.experimentFile,
                                     .batch = request.batch,
                                     .threads = request.threads}));
    const kernels::CpuLevel level = kernels::cpuLevel();
    StepRate rate;
    const auto step = [&] {
        (void)prepared.step();
        ++rate.steps;
    };
    step();
    std::vector<double> times;
    std::vector<double> peaks;
    double before = peakRate(level, kSliceSeconds / 4);
    const double begin = processorSeconds();
    do {
        const double start = processorSeconds();
        std::int64_t count = 0;
        do {
            step();
            ++count;
        } while (processorSeconds() - start < kSliceSeconds);
        const double seconds = (processorSeconds() - start) / static_cast<double>(count);
        const double after = peakRate(level, std::max(kSliceSeconds, seconds) / 4);
        times.push_back(seconds);
        peaks.push_back((before + after) / 2 * seconds);
        before = after;
    } while (processorSeconds() - begin < request.seconds);
    rate.millisecondsPerStep = median(times) * 1e3;
    rate.peakGflopPerStep = median(peaks);
    rate.leastPeakGflopPerStep = *std::min_element(peaks.begin(), peaks.end());
    return rate;
}

} // namespace cannery::benchmarks
