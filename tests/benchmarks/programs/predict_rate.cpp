// SPDX-License-Identifier: Apache-2.0
#include "tests/benchmarks/programs/predict_rate.h"

#include "app/predict_library/cannery_predict.h"
#include "core/data/dataset.h"
#include "core/serving/block_predictor.h"
#include "core/train/opened_model.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace cannery::benchmarks {

namespace {

using SteadyClock = std::chrono::steady_clock;

double secondsSince(SteadyClock::time_point begin)
{
    return std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

Result<std::vector<data::FeatureBatch>> readChunks(const train::OpenedModel& model,
                                                   const std::string& csvFile)
{
    CANNERY_TRY_ASSIGN(const data::Dataset dataset,
                       data::Dataset::openFiles(model.experiment.data(), model.folder, {csvFile}));
    CANNERY_TRY_ASSIGN(const auto stream, dataset.read({.features = model.encoder.inputKeys(),
                                                        .labels = data::LabelNeed::None}));
    std::vector<data::FeatureBatch> chunks;
    while (true) {
        CANNERY_TRY_ASSIGN(std::optional<data::FeatureBatch> chunk, stream->next());
        if (!chunk) {
            return chunks;
        }
        chunks.push_back(std::move(*chunk));
    }
}

constexpr ErrorKind kFailed{"benchmark.predict", "{}"};

Result<void> done(cannery_status status)
{
    return status == CANNERY_OK
               ? Result<void>()
               : fail(static_cast<ErrorCode>(status), kFailed, cannery_error_message());
}

struct Model
{
    cannery_model* model = nullptr;
    cannery_request* request = nullptr;

    Model() = default;
    Model(const Model&) = delete;
    Model& operator=(const Model&) = delete;
    ~Model()
    {
        cannery_request_free(request);
        cannery_model_close(model);
    }
};

/// The cell of a feature as a caller has it: a number, or a text.
struct Cell
{
    std::size_t input = 0;
    std::variant<double, std::string> value;
};

Result<std::vector<Cell>> cellsOf(const data::FeatureBatch& chunk, std::size_t row,
                                  const cannery_model* model)
{
    std::vector<Cell> cells;
    for (const data::FeatureValues& feature : chunk.features) {
        std::size_t input = 0;
        CANNERY_TRY(done(cannery_model_find_input(model, feature.name.c_str(), &input)));
        if (const auto* texts = std::get_if<StringColumn>(&feature.elements)) {
            cells.push_back({input, std::string((*texts)[row])});
        } else if (const auto* integers = std::get_if<2>(&feature.elements)) {
            cells.push_back({input, static_cast<double>((*integers)[row])});
        } else if (const auto* floats = std::get_if<0>(&feature.elements)) {
            cells.push_back({input, static_cast<double>((*floats)[row])});
        } else {
            cells.push_back({input, std::get<1>(feature.elements)[row]});
        }
    }
    return cells;
}

Result<void> predictRow(cannery_request* request, const std::vector<Cell>& cells)
{
    for (const Cell& cell : cells) {
        const auto* text = std::get_if<std::string>(&cell.value);
        CANNERY_TRY(done(
            text != nullptr
                ? cannery_request_set_text(request, cell.input, text->data(), text->size())
                : cannery_request_set_number(request, cell.input, std::get<double>(cell.value))));
    }
    return done(cannery_request_predict(request));
}

/// Single rows for some time, by the functions of libcannery_predict: every cell set anew, then
/// predicted.
Result<void> measureRows(const std::string& modelDir, const data::FeatureBatch& chunk,
                         double seconds, PredictPass& pass)
{
    Model opened;
    CANNERY_TRY(done(cannery_model_open(modelDir.c_str(), nullptr, &opened.model)));
    CANNERY_TRY(done(cannery_request_create(opened.model, &opened.request)));
    std::vector<std::vector<Cell>> rows;
    for (std::size_t row = 0; row < 64 && row < static_cast<std::size_t>(chunk.rowCount); ++row) {
        CANNERY_TRY_ASSIGN(auto cells, cellsOf(chunk, row, opened.model));
        rows.push_back(std::move(cells));
    }
    std::vector<double> times;
    const auto begin = SteadyClock::now();
    while (secondsSince(begin) < seconds || times.size() < rows.size()) {
        const auto start = SteadyClock::now();
        CANNERY_TRY(predictRow(opened.request, rows[times.size() % rows.size()]));
        times.push_back(secondsSince(start) * 1e6);
    }
    std::sort(times.begin(), times.end());
    pass.oneRowMicroseconds = times[times.size() / 2];
    pass.oneRowTail = times[times.size() * 99 / 100];
    return {};
}

std::int64_t rowsOf(const serving::PredictedTable& table)
{
    std::int64_t rows = 0;
    for (const std::vector<heads::Prediction>& block : table.blocks) {
        if (!block.empty()) {
            rows += static_cast<std::int64_t>(block[0].floats.size()) / block[0].width;
        }
    }
    return rows;
}

/// The whole table again and again, every output of the head kept.
Result<void> measureTable(train::OpenedModel& model, const std::vector<data::FeatureBatch>& chunks,
                          int threads, double seconds, PredictPass& pass)
{
    CANNERY_TRY_ASSIGN(
        const auto predictor,
        serving::BlockPredictor::create(model.encoder, model.model->model(), {.threads = threads}));
    serving::PredictedTable out;
    const auto begin = SteadyClock::now();
    do {
        for (const data::FeatureBatch& chunk : chunks) {
            CANNERY_TRY(predictor->predict(chunk, {}, out));
            pass.rows += rowsOf(out);
        }
    } while (secondsSince(begin) < seconds);
    pass.rowsPerSecond = static_cast<double>(pass.rows) / secondsSince(begin);
    return {};
}

} // namespace

Result<PredictPass> measurePredictions(const std::string& modelDir, const std::string& csvFile,
                                       int threads, double seconds)
{
    CANNERY_TRY_ASSIGN(train::OpenedModel model,
                       train::openModel({.modelDir = modelDir, .threads = threads}));
    CANNERY_TRY_ASSIGN(const auto chunks, readChunks(model, csvFile));
    PredictPass pass;
    CANNERY_TRY(measureRows(modelDir, chunks[0], seconds, pass));
    CANNERY_TRY(measureTable(model, chunks, threads, seconds, pass));
    return pass;
}

} // namespace cannery::benchmarks
