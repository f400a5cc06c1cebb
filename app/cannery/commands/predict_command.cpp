// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/commands/predict_command.h"

#include "app/cannery/prediction/file_prediction.h"
#include "app/cannery/prediction/prediction_server.h"
#include "core/base/counted.h"
#include "core/base/json_text.h"
#include "core/data/rows/row_reason.h"
#include "core/launch/stop_signals.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <string_view>

namespace cannery::app {

namespace {

constexpr ErrorKind kOutputNeeded{
    "command.usage.no_predict_output",
    "Missing --output FILE: with --json the predictions need a file of their own."};

constexpr ErrorKind kServesAlone{
    "command.usage.serve_alone",
    "With --serve rows come from standard input and answers go to standard output: leave out "
    "--input, --data, --output, --format, --like-input and --json."};

constexpr ErrorKind kFormatOnce{"command.usage.format_and_like_input",
                                "--like-input chooses the format: leave out --format."};

constexpr ErrorKind kInputOnce{"command.usage.input_and_data",
                               "--data is the same as --input: leave out one of them."};

constexpr ErrorKind kNonePredicted{
    "predict.none_predicted",
    "None of the {} of {} could be predicted; each is an empty line in the output. The first: {}"};

/// What a reader of tables advises to change in an experiment, this command does not have.
Error withoutAdvice(Error found)
{
    if (std::string_view(found.id).starts_with("csv.") ||
        std::string_view(found.id).starts_with("features.")) {
        found.sentence = data::reasonOf(found.sentence);
    }
    return found;
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
    options.flag("--force", m_force, "replace the file of --output if it exists");
    m_choice.declare(options);
    options.choice("--format", {"csv", "jsonl"}, m_format,
                   "how to write (default: by the output's name, else csv)");
    options.flag("--like-input", m_likeInput,
                 "write as the input is written: JSON lines for JSON, and CSV with its delimiter, "
                 "decimal mark, encoding and line ends");
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

/// The model, which explains its predictions if the option is given; failures are reported.
tl::expected<train::OpenedModel, ExitCode> PredictCommand::load(Console& console) const
{
    auto model = loadModel(console, m_model);
    if (model && m_explain) {
        if (const Result<void> explains = model->model->explainPredictions(); !explains) {
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
    if (m_format && m_likeInput) {
        return reportFailure(console, error(ErrorCode::InvalidArgument, kFormatOnce));
    }
    if (m_data && m_input) {
        return reportFailure(console, error(ErrorCode::InvalidArgument, kInputOnce));
    }
    // "-" is standard output, as for other commands.
    const std::string output = m_output.value_or("-");
    // The object would stand among the predictions.
    if (m_json && output == "-") {
        return reportFailure(console, error(ErrorCode::InvalidArgument, kOutputNeeded));
    }
    console.setJsonProgress(m_progress == "json");
    auto model = load(console);
    if (!model) {
        return model.error();
    }
    // The name decides unless --format does.
    const bool json = m_format ? *m_format == "jsonl" : endsLikeJsonLines(output);
    PredictionJob job{.model = *model,
                      .input = m_data ? *m_data : m_input.value_or("-"),
                      .choice = m_choice,
                      .output = output,
                      .replaces = m_force,
                      .format = json ? serving::PredictionFormat::JsonLines
                                     : serving::PredictionFormat::Csv,
                      .isLikeInput = m_likeInput,
                      .isSpreadsheetSafe = m_spreadsheetSafe,
                      .console = console};
    const Result<PredictedCount> count = predictFile(job);
    console.clearProgress();
    if (!count) {
        return reportFailure(console, withTableOptions(withoutAdvice(count.error())));
    }
    return report(console, *model, output, *count);
}

ExitCode PredictCommand::report(Console& console, const train::OpenedModel& model,
                                const std::string& output, const PredictedCount& count) const
{
    if (count.unpredicted > kMostNamed) {
        console.diagnostic(fmt::format("… and {} without a prediction",
                                       counted(count.unpredicted - kMostNamed, "more row")));
    }
    // If not one row fits, the file is another table.
    if (count.rows > 0 && count.unpredicted == count.rows) {
        return reportFailure(console, error(ErrorCode::InvalidArgument, kNonePredicted,
                                            counted(count.rows, "row"),
                                            m_data ? *m_data : m_input.value_or("standard input"),
                                            count.firstReason));
    }
    const std::int64_t predicted = count.rows - count.unpredicted;
    if (m_json) {
        console.document(jsonText(nlohmann::ordered_json({{"path", output},
                                                          {"rows", count.rows},
                                                          {"predicted", predicted},
                                                          {"checkpoint", model.checkpoint},
                                                          {"global_step", model.globalStep}}),
                                  2));
        return ExitCode::Done;
    }
    console.flush();
    // Whoever has closed the pipe, as 'head' does, does not have the rows that this counts.
    if (!console.isResultLost()) {
        const std::string of = count.unpredicted > 0 ? " of " + counted(count.rows, "row") : "";
        console.note(fmt::format("{}{} predicted by {}",
                                 of.empty() ? counted(predicted, "row") : std::to_string(predicted),
                                 of, model.checkpoint));
    }
    return ExitCode::Done;
}

ExitCode PredictCommand::serve(Console& console)
{
    if (m_input || m_data || m_output || m_format || m_likeInput || m_json) {
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
    const launch::StopSignals signals;
    server->run(signals);
    return ExitCode::Done;
}

} // namespace cannery::app
