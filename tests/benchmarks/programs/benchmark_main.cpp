// SPDX-License-Identifier: Apache-2.0
// What the suite measures inside one process, and the tables it works on. Prints one JSON object.
//   cannery_benchmark tables higgs|criteo csv|vw|floats|ids FILE ROWS [COLUMNS]
//   cannery_benchmark read FILE THREADS
//   cannery_benchmark checkpoint FOLDER MEGABYTES
//   cannery_benchmark scalars FOLDER COUNT
//   cannery_benchmark steps EXPERIMENT_FILE BATCH THREADS SECONDS
//   cannery_benchmark strategies EXPERIMENT_FILE BATCH REPLICAS SECONDS
//   cannery_benchmark predict MODEL_DIR CSV_FILE THREADS SECONDS
//   cannery_benchmark products ROWS DEPTH COLS SECONDS
//   cannery_benchmark convolutions IMAGES SIZE WINDOW STRIDE CHANNELS FILTERS GROUPS SECONDS
//   cannery_benchmark parameters SECONDS [ROWS_PER_STEP [MEGABYTES]]
// In every process that TF_CONFIG names; the chief prints:
//   cannery_benchmark worker EXPERIMENT_FILE BATCH STEPS ROUNDS [STRATEGY [COMMUNICATION_OPTIONS]]
//   cannery_benchmark allreduce exact|fast|ring SECONDS BYTES…

#include "tests/benchmarks/programs/checkpoint_stall.h"
#include "tests/benchmarks/programs/convolution_rate.h"
#include "tests/benchmarks/programs/parameter_rate.h"
#include "tests/benchmarks/programs/predict_rate.h"
#include "tests/benchmarks/programs/product_rate.h"
#include "tests/benchmarks/programs/scalar_rate.h"
#include "tests/benchmarks/programs/step_rate.h"
#include "tests/benchmarks/programs/strategy_rate.h"
#include "tests/benchmarks/programs/table_rate.h"
#include "tests/benchmarks/programs/tables.h"
#include "tests/benchmarks/programs/worker_rate.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

using namespace cannery;
using namespace cannery::benchmarks;

namespace {

using Arguments = std::vector<std::string>;

std::int64_t integer(const std::string& text)
{
    return std::strtoll(text.c_str(), nullptr, 10);
}

int fail(const Error& error)
{
    fmt::print(stderr, "{}\n", error.message());
    return 1;
}

int makeTable(const Arguments& words)
{
    const TableFormat format = words[1] == "csv"      ? TableFormat::Csv
                               : words[1] == "vw"     ? TableFormat::VowpalWabbit
                               : words[1] == "floats" ? TableFormat::Floats
                                                      : TableFormat::Ids;
    const std::int64_t rows = integer(words[3]);
    const int columns = words.size() > 4 ? static_cast<int>(integer(words[4])) : 28;
    const bool written = words[0] == "higgs"
                             ? writeTable(HiggsLike(columns), rows, format, words[2])
                             : writeTable(CriteoLike(), rows, format, words[2]);
    if (!written) {
        fmt::print(stderr, "{} could not be written.\n", words[2]);
        return 1;
    }
    fmt::print("{{\"rows\": {}}}\n", rows);
    return 0;
}

/// The best of three passes each.
int measureTable(const Arguments& words)
{
    const auto threads = static_cast<std::size_t>(integer(words[1]));
    TablePass best[2];
    for (int round = 0; round < 3; ++round) {
        for (const bool statistics : {false, true}) {
            const Result<TablePass> pass = readTable(words[0], threads, statistics);
            if (!pass) {
                return fail(pass.error());
            }
            if (round == 0 || pass->seconds < best[statistics].seconds) {
                best[statistics] = *pass;
            }
        }
    }
    const double megabytes = static_cast<double>(best[0].bytes) / 1e6;
    const auto rows = static_cast<double>(best[0].rows);
    fmt::print("{{\"rows\": {}, \"rows_per_second\": {:.0f}, \"cpu_of_row\": {:.9f}, "
               "\"megabytes_per_second\": {:.2f}, \"with_statistics\": {:.2f}, "
               "\"cpu\": {:.6f}, \"cpu_with_statistics\": {:.6f}}}\n",
               best[0].rows, rows / best[0].seconds, best[0].processorSeconds / rows,
               megabytes / best[0].seconds, megabytes / best[1].seconds,
               best[0].processorSeconds / megabytes, best[1].processorSeconds / megabytes);
    return 0;
}

int measureCheckpointStall(const Arguments& words)
{
    const auto stall = measureCheckpoints({.folder = words[0], .megabytes = integer(words[1])});
    if (!stall) {
        return fail(stall.error());
    }
    fmt::print("{{\"stall_ms\": {:.3f}, \"whole_ms\": {:.3f}, \"greatest_stall_ms\": {:.3f}, "
               "\"step_ms\": {:.5f}, "
               "\"seconds_per_checkpoint\": {:.4f}, \"bytes\": {}}}\n",
               stall->medianMilliseconds, stall->wholeMilliseconds, stall->greatestMilliseconds,
               stall->stepMilliseconds, stall->secondsPerCheckpoint, stall->bytes);
    return 0;
}

int measureScalars(const Arguments& words)
{
    constexpr int kTags = 10;
    const std::int64_t steps = integer(words[1]) / kTags;
    const auto pass = writeScalars(words[0], steps, kTags);
    if (!pass) {
        return fail(pass.error());
    }
    fmt::print("{{\"scalars_per_second\": {:.0f}, \"bytes\": {}}}\n",
               static_cast<double>(steps * kTags) / pass->seconds, pass->bytes);
    return 0;
}

int measurePredict(const Arguments& words)
{
    const auto pass = measurePredictions(words[0], words[1], static_cast<int>(integer(words[2])),
                                         std::strtod(words[3].c_str(), nullptr));
    if (!pass) {
        return fail(pass.error());
    }
    fmt::print("{{\"one_row_us\": {:.3f}, \"one_row_p99_us\": {:.3f}, \"rows_per_second\": {:.0f}, "
               "\"rows\": {}}}\n",
               pass->oneRowMicroseconds, pass->oneRowTail, pass->rowsPerSecond, pass->rows);
    return 0;
}

int measureParameterRate(const Arguments& words)
{
    ParameterRequest request{.seconds = std::strtod(words[0].c_str(), nullptr)};
    request.rowsPerStep = words.size() > 1 ? integer(words[1]) : request.rowsPerStep;
    request.megabytes = words.size() > 2 ? integer(words[2]) : request.megabytes;
    const auto rate = measureParameters(request);
    if (!rate) {
        return fail(rate.error());
    }
    fmt::print("{{\"pulled_gb_per_second\": {:.3f}, \"pushed_gb_per_second\": {:.3f}, "
               "\"pulled_rows_per_second\": {:.0f}, \"pushed_rows_per_second\": {:.0f}, "
               "\"one_row_us\": {:.1f}, \"one_row_p99_us\": {:.1f}}}\n",
               rate->pulledBytesPerSecond / 1e9, rate->pushedBytesPerSecond / 1e9,
               rate->pulledRowsPerSecond, rate->pushedRowsPerSecond, rate->oneRowMicroseconds,
               rate->oneRowTail);
    return 0;
}

int measureStepRate(const Arguments& words)
{
    const auto rate = measureSteps({.experimentFile = words[0],
                                    .batch = integer(words[1]),
                                    .threads = static_cast<int>(integer(words[2])),
                                    .seconds = std::strtod(words[3].c_str(), nullptr)});
    if (!rate) {
        return fail(rate.error());
    }
    fmt::print("{{\"ms_per_step\": {:.4f}, \"peak_gflop_per_step\": {:.5f}, "
               "\"least_peak_gflop_per_step\": {:.5f}, \"steps\": {}}}\n",
               rate->millisecondsPerStep, rate->peakGflopPerStep, rate->leastPeakGflopPerStep,
               rate->steps);
    return 0;
}

int measureStrategyRates(const Arguments& words)
{
    const auto rates = measureStrategies({.experimentFile = words[0],
                                          .batch = integer(words[1]),
                                          .replicas = static_cast<int>(integer(words[2])),
                                          .seconds = std::strtod(words[3].c_str(), nullptr)});
    if (!rates) {
        return fail(rates.error());
    }
    for (const StrategyRate& rate : *rates) {
        fmt::print(
            "{}{{\"strategy\": \"{}\", \"ms_per_step\": {:.4f}, \"cpu_ms_per_step\": {:.4f}, "
            "\"speed\": {:.4f}, \"cpu_speed\": {:.4f}}}",
            &rate == &rates->front() ? "[" : ",\n ",
            rate.strategy.substr(0, rate.strategy.find(' ')), rate.millisecondsPerStep,
            rate.processorMilliseconds, rate.speed, rate.processorSpeed);
    }
    fmt::print("]\n");
    return 0;
}

int measureWorkerRate(const Arguments& words)
{
    const auto rate = measureWorker({.experimentFile = words[0],
                                     .batch = integer(words[1]),
                                     .steps = integer(words[2]),
                                     .rounds = static_cast<int>(integer(words[3])),
                                     .strategy = words.size() > 4 ? words[4] : "",
                                     .options = words.size() > 5 ? words[5] : ""});
    if (!rate) {
        return fail(rate.error());
    }
    fmt::print("{{\"alone_ms\": {:.4f}, \"together_ms\": {:.4f}, \"wait_ms\": {:.4f}, "
               "\"sum_ms\": {:.4f}, \"speed\": {:.4f}, \"gradient_bytes\": {}}}\n",
               rate->aloneMilliseconds, rate->togetherMilliseconds, rate->waitMilliseconds,
               rate->sumMilliseconds, rate->speed, rate->denseBytes);
    return 0;
}

int measureAllReduces(const Arguments& words)
{
    AllReduceRequest request{.order = words[0], .seconds = std::strtod(words[1].c_str(), nullptr)};
    for (std::size_t word = 2; word < words.size(); ++word) {
        request.sizes.push_back(integer(words[word]));
    }
    int workers = 0;
    const auto rates = measureAllReduce(request, &workers);
    if (!rates) {
        return fail(rates.error());
    }
    for (const AllReduceRate& rate : *rates) {
        fmt::print("{}{{\"workers\": {}, \"order\": \"{}\", \"bytes\": {}, \"calls\": {}, "
                   "\"median_ms\": {:.4f}, \"least_ms\": {:.4f}}}",
                   &rate == &rates->front() ? "[" : ",\n ", workers, request.order, rate.bytes,
                   rate.calls, rate.medianSeconds * 1e3, rate.leastSeconds * 1e3);
    }
    fmt::print("]\n");
    return 0;
}

/// A line for each implementation.
int measureProducts(const Arguments& words)
{
    const kernels::MatmulProblem problem{
        .rows = integer(words[0]), .depth = integer(words[1]), .cols = integer(words[2])};
    const std::string chosen(kernels::Matmul(problem).implementation());
    const std::vector<ProductTime> times =
        productTimes(problem, std::strtod(words[3].c_str(), nullptr));
    for (const ProductTime& time : times) {
        fmt::print("{}{{\"implementation\": \"{}\", \"chosen\": {}, \"forward_us\": {:.2f}, "
                   "\"src_gradient_us\": {:.2f}, \"weights_gradient_us\": {:.2f}, "
                   "\"all_us\": {:.2f}}}",
                   &time == &times.front() ? "[" : ",\n ", time.implementation,
                   time.implementation == chosen, time.forward, time.srcGradient,
                   time.weightsGradient, time.all());
    }
    fmt::print("]\n");
    return 0;
}

/// Of square pictures, padded so that every pixel is in the middle of a window, a line for each
/// implementation.
int measureConvolutions(const Arguments& words)
{
    const std::int64_t window = integer(words[2]);
    const kernels::WindowAxis axis{.size = integer(words[1]),
                                   .window = window,
                                   .stride = integer(words[3]),
                                   .before = (window - 1) / 2,
                                   .after = window / 2};
    const kernels::ConvolutionProblem problem{.images = integer(words[0]),
                                              .height = axis,
                                              .width = axis,
                                              .inChannels = integer(words[4]),
                                              .filters = integer(words[5]),
                                              .groups = integer(words[6])};
    const std::vector<ConvolutionTime> times =
        convolutionTimes(problem, std::strtod(words[7].c_str(), nullptr));
    for (const ConvolutionTime& time : times) {
        fmt::print("{}{{\"implementation\": \"{}\", \"forward_us\": {:.1f}, "
                   "\"src_gradient_us\": {:.1f}, \"kernel_gradient_us\": {:.1f}}}",
                   &time == &times.front() ? "[" : ",\n ", time.implementation, time.forward,
                   time.srcGradient, time.kernelGradient);
    }
    fmt::print("]\n");
    return 0;
}

struct Verb
{
    const char* name = "";
    std::size_t arguments = 0; ///< at least
    int (*run)(const Arguments&) = nullptr;
};

constexpr Verb kVerbs[] = {
    {"allreduce", 3, measureAllReduces},
    {"checkpoint", 2, measureCheckpointStall},
    {"convolutions", 8, measureConvolutions},
    {"parameters", 1, measureParameterRate},
    {"predict", 4, measurePredict},
    {"products", 4, measureProducts},
    {"read", 2, measureTable},
    {"scalars", 2, measureScalars},
    {"steps", 4, measureStepRate},
    {"strategies", 4, measureStrategyRates},
    {"tables", 4, makeTable},
    {"worker", 4, measureWorkerRate},
};

} // namespace

int main(int argc, char** argv)
{
    const Arguments words(argv + std::min(argc, 2), argv + argc);
    for (const Verb& verb : kVerbs) {
        if (argc > 1 && verb.name == std::string(argv[1]) && words.size() >= verb.arguments) {
            return verb.run(words);
        }
    }
    fmt::print(stderr, "usage: see the head of tests/benchmarks/programs/benchmark_main.cpp\n");
    return 2;
}
