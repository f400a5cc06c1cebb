// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/predict_command.h"

#include "app/cannery/counted.h"
#include "app/cannery/prediction_input.h"
#include "app/cannery/prediction_server.h"
#include "app/cannery/prediction_writer.h"
#include "app/cannery/stop_signals.h"
#include "core/base/json_text.h"
#include "core/data/dataset.h"
#include "core/train/block_predictor.h"
#include "kernels/device/thread_pool.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace cannery::app {

namespace {

constexpr ErrorKind kOutputNeeded{
    "command.usage.no_predict_output",
    "Missing --output FILE: with --json the predictions need a file of their own."};

constexpr ErrorKind kServesAlone{
    "command.usage.serve_alone",
    "With --serve rows come from standard input and answers go to standard output: leave out "
    "--input, --data, --output, --format and --json."};

struct PredictionJob
{
    train::OpenedModel& model;
    std::string input;
    std::string output;
    PredictionFormat format = PredictionFormat::Csv;
    bool isSpreadsheetSafe = false;
    Console& console;
};

/// The features that the model reads and the key columns that are copied, each once.
std::vector<std::string> neededFeatures(const train::OpenedModel& model,
                                        const std::vector<std::string>& keys)
{
    std::vector<std::string> features = model.encoder.inputKeys();
    for (const std::string& key : keys) {
        if (std::find(features.begin(), features.end(), key) == features.end()) {
            features.push_back(key);
        }
    }
    return features;
}

/// The experiment's data, with key columns read as the texts that are written again.
spec::Data withTextKeys(spec::Data data)
{
    for (const std::string& key : data.key_column()) {
        auto* columns = data.mutable_column();
        auto found = std::find_if(columns->begin(), columns->end(),
                                  [&](const spec::Column& column) { return column.name() == key; });
        spec::Column& column = found != columns->end() ? *found : *columns->Add();
        column.Clear();
        column.set_name(key);
        column.set_dtype(spec::DataType::string);
    }
    return data;
}

/// Predicts a chunk of rows and formats its blocks on several threads.
Result<void> predictChunk(const data::FeatureBatch& chunk, const std::vector<std::string>& files,
                          const PredictionWriter& writer, bool isFirst,
                          train::BlockPredictor& predictor, std::vector<std::string>& texts)
{
    texts.resize(static_cast<std::size_t>(predictor.blockCount(chunk.rowCount)));
    const auto append = [&](const train::PredictedRows& rows, std::int64_t block) {
        std::string& text = texts[static_cast<std::size_t>(block)];
        text.clear();
        if (isFirst && block == 0) {
            writer.appendHeader(rows, text);
        }
        writer.appendLines(rows, text);
        return Result<void>();
    };
    return predictor.predict(chunk, files, append);
}

/// Predicts the rows of a file; their number.
Result<std::int64_t> predict(PredictionJob& job, const PredictionInput& input)
{
    const spec::Data& data = input.data();
    plan::Model& model = job.model.model->model();
    const int threads = model.threadPool().threadCount();
    CANNERY_TRY_ASSIGN(const data::Dataset dataset,
                       data::Dataset::openFiles(input.data(), job.model.folder, {input.csvFile()}));
    const std::vector<std::string> keys(data.key_column().begin(), data.key_column().end());
    CANNERY_TRY_ASSIGN(const std::unique_ptr<data::FeatureStream> stream,
                       dataset.read({.features = neededFeatures(job.model, keys),
                                     .labels = data::LabelNeed::None,
                                     .threads = kernels::lend(model.threadPool())}));
    CANNERY_TRY_ASSIGN(
        PredictionWriter writer,
        PredictionWriter::open(job.output, {.format = job.format,
                                            .keyColumns = keys,
                                            .isSpreadsheetSafe = job.isSpreadsheetSafe,
                                            .stepSeparator = data.label().split().separator(),
                                            .console = &job.console}));
    CANNERY_TRY_ASSIGN(
        const std::unique_ptr<train::BlockPredictor> predictor,
        train::BlockPredictor::create(job.model.encoder, model, {.threads = threads}));
    std::vector<std::string> texts;
    std::int64_t done = 0;
    while (true) {
        CANNERY_TRY_ASSIGN(const std::optional<data::FeatureBatch> chunk, stream->next());
        if (!chunk || job.console.isResultLost()) {
            break;
        }
        CANNERY_TRY(predictChunk(*chunk, dataset.files(), writer, done == 0, *predictor, texts));
        for (const std::string& text : texts) {
            CANNERY_TRY(writer.write(text));
        }
        done += chunk->rowCount;
        job.console.advance(-1, counted(done, "row") + " predicted");
    }
    CANNERY_TRY(writer.close());
    return done;
}

Result<std::int64_t> predict(PredictionJob& job)
{
    CANNERY_TRY_ASSIGN(const PredictionInput input,
                       PredictionInput::open(job.input, withTextKeys(job.model.experiment.data())));
    return predict(job, input).map_error([&](const Error& found) { return input.placed(found); });
}

bool endsLikeJsonLines(const std::string& path)
{
    return path.ends_with(".jsonl") || path.ends_with(".json") || path.ends_with(".ndjson");
}

} // namespace

void PredictCommand::declare(OptionSet& options)
{
    m_model.declare(options, true);
    options.option("--input", "FILE", m_input,
                   "CSV or JSON lines, '-' for standard input (default: -)");
    options.option("--data", "FILE", m_data, "the same as --input");
    options.option("--output", "FILE", m_output,
                   "where to write, '-' for standard output (default: -)");
    options.choice("--format", {"csv", "jsonl"}, m_format,
                   "how to write (default: by the output's name, else csv)");
    options.flag(
        "--serve", m_serve,
        "answer rows from standard input one by one, JSON objects in lines, until it ends");
    options.flag("--spreadsheet-safe", m_spreadsheetSafe,
                 "in CSV, put an apostrophe before a text that a spreadsheet would read as a "
                 "formula: one that begins with = + - @, a tab or a carriage return and is not a "
                 "number");
    options.flag("--json", m_json, "print one JSON object about what was written to --output");
    options.flag("--explain", m_explain,
                 "for boosted trees, add what each feature has contributed to a prediction "
                 "(columns bias and dfc/...)");
    declareProgress(options, m_progress);
}

/// The model, which explains its predictions if that is wanted; failures are reported.
tl::expected<train::OpenedModel, ExitCode> PredictCommand::load(Console& console) const
{
    auto model = loadModel(console, m_model);
    if (model && m_explain) {
        if (const Result<void> explains = model->model->model().explainPredictions(); !explains) {
            return tl::make_unexpected(reportFailure(console, explains.error()));
        }
    }
    return model;
}

ExitCode PredictCommand::run(Console& console)
{
    if (m_serve) {
        return serve(console);
    }
    const std::string output = m_output.value_or("-");
    if (m_json && output == "-") {
        return reportFailure(console, error(ErrorCode::InvalidArgument, kOutputNeeded));
    }
    console.setJsonProgress(m_progress == "json");
    auto model = load(console);
    if (!model) {
        return model.error();
    }
    const bool json = m_format ? *m_format == "jsonl" : endsLikeJsonLines(output);
    PredictionJob job{.model = *model,
                      .input = m_data ? *m_data : m_input.value_or("-"),
                      .output = output,
                      .format = json ? PredictionFormat::JsonLines : PredictionFormat::Csv,
                      .isSpreadsheetSafe = m_spreadsheetSafe,
                      .console = console};
    const Result<std::int64_t> rows = predict(job);
    console.clearProgress();
    if (!rows) {
        return reportFailure(console, rows.error());
    }
    if (m_json) {
        console.document(jsonText(nlohmann::ordered_json({{"path", output},
                                                          {"rows", *rows},
                                                          {"checkpoint", model->checkpoint},
                                                          {"global_step", model->globalStep}}),
                                  2));
        return ExitCode::Done;
    }
    console.flush();
    if (!console.isResultLost()) {
        console.note(fmt::format("{} predicted by {}", counted(*rows, "row"), model->checkpoint));
    }
    return ExitCode::Done;
}

ExitCode PredictCommand::serve(Console& console)
{
    if (m_input || m_data || m_output || m_format || m_json) {
        return reportFailure(console, error(ErrorCode::InvalidArgument, kServesAlone));
    }
    auto model = load(console);
    if (!model) {
        return model.error();
    }
    Result<PredictionServer> server = PredictionServer::create(*model, console);
    if (!server) {
        return reportFailure(console, server.error());
    }
    console.note("serving " + model->checkpoint);
    const StopSignals signals;
    server->run(signals);
    return ExitCode::Done;
}

} // namespace cannery::app
