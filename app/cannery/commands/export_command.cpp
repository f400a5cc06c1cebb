// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/commands/export_command.h"

#include "app/cannery/reports/estimator_program.h"
#include "app/cannery/reports/export_features.h"
#include "app/cannery/reports/export_view.h"
#include "core/base/counted.h"
#include "core/base/json_text.h"
#include "core/reports/report_json.h"
#include "core/spec/metric_kinds.h"
#include "core/train/exporters/model_export.h"
#include "storage/io/output_file.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace cannery::app {

using Json = nlohmann::ordered_json;

namespace {

constexpr ErrorKind kExportOutputNeeded{"command.usage.no_export_output",
                                        "Missing --output DIR, the folder for the SavedModel."};
constexpr ErrorKind kAsset{"command.usage.asset",
                           "--asset needs a name below assets.extra/ and a file, as in --asset "
                           "notes/readme.txt=README.txt, not '{}'."};
constexpr ErrorKind kWarmupRows{"command.usage.warmup_rows",
                                "--warmup-rows takes 0 to {} rows, not {}."};

constexpr std::int64_t kMostWarmupRows = 1000;

exporting::ExportModes modesOf(const std::string& name)
{
    return name == "all"    ? exporting::ExportModes::All
           : name == "eval" ? exporting::ExportModes::Evaluation
                            : exporting::ExportModes::Serving;
}

} // namespace

void ExportCommand::declare(OptionSet& options)
{
    m_model.declare(options);
    options.choice("--as", {"saved_model", "program"}, m_as,
                   "a SavedModel, or the experiment as a Python program of tf.estimator "
                   "(default: saved_model)");
    options.option("--output", "PATH", m_output,
                   "where to create the version folder, named by the time; for a program: its file "
                   "(default: print it)");
    options.flag("--force", m_force, "for a program: replace its file if it exists");
    options.choice("--receiver", {"parsing", "raw"}, m_receiver,
                   "take tf.Example messages, or one tensor per feature (default: parsing)");
    options.option("--feature", "NAME", m_features,
                   "with the raw receiver: only these features (repeatable)");
    options.choice("--modes", {"serve", "eval", "all"}, m_modes,
                   "also a graph for evaluation, by loss and metrics (eval), and one for training, "
                   "with the optimizers (all), as experimental_export_all_saved_models does; their "
                   "inputs are one tensor per feature and the labels (default: serve)");
    options.option("--asset", "NAME=FILE", m_assets,
                   "copy this file to assets.extra/NAME (repeatable)");
    options.flag("--as-text", m_asText, "write saved_model.pbtxt instead of saved_model.pb");
    options.option("--warmup-rows", "N", m_warmupRows,
                   "write this many evaluation rows as requests that TF Serving replays when it "
                   "loads the model (default: 0)");
    options.flag("--no-verify", m_noVerify,
                 "do not compare the SavedModel's predictions with the model's");
    options.flag("--json", m_json, "print one JSON object");
    declareProgress(options, m_progress);
}

ExitCode ExportCommand::run(Console& console)
{
    if (m_as == "program") {
        return exportProgram(console);
    }
    if (!m_output) {
        return reportFailure(console, error(ErrorCode::InvalidArgument, kExportOutputNeeded));
    }
    // Before the checkpoint is read, which may take long.
    const Result<train::ExportExtras> wanted = extras();
    if (!wanted) {
        return reportFailure(console, wanted.error());
    }
    console.setJsonProgress(m_progress == "json");
    console.advance(0, "Reading the checkpoint");
    auto model = loadModel(console, m_model);
    if (!model) {
        // loadModel() has printed the error.
        return model.error();
    }
    console.advance(0.3, "Writing the SavedModel");
    const bool raw = m_receiver.value_or("parsing") == "raw";
    const Result<train::VerifiedExport> made =
        write(*model, {.exportBase = *m_output,
                       .checkpoint = model->checkpoint,
                       .receiver = raw ? spec::Receiver::raw : spec::Receiver::parsing,
                       .rawFeatures = m_features,
                       .extras = *wanted,
                       .modes = modesOf(m_modes.value_or("serve"))});
    console.clearProgress();
    if (!made) {
        return reportFailure(console, made.error());
    }
    // Read back from the disk: what is reported is what a client will find.
    const Result<ExportedModel> exported = lookAtExport(made->path);
    if (!exported) {
        return reportFailure(console, exported.error());
    }
    report(console, *model, *exported, *made);
    return ExitCode::Done;
}

Result<train::ExportExtras> ExportCommand::extras() const
{
    const std::int64_t rows = m_warmupRows.value_or(0);
    if (rows < 0 || rows > kMostWarmupRows) {
        return fail(ErrorCode::InvalidArgument, kWarmupRows, kMostWarmupRows, rows);
    }
    train::ExportExtras extras{.asText = m_asText, .warmupRows = rows};
    for (const std::string& asset : m_assets) {
        const std::size_t equals = asset.find('=');
        if (equals == 0 || equals == std::string::npos || equals + 1 == asset.size()) {
            return fail(ErrorCode::InvalidArgument, kAsset, asset);
        }
        // Absolute, as the experiment's folder is another one than the shell's.
        extras.assets[asset.substr(0, equals)] =
            std::filesystem::absolute(asset.substr(equals + 1)).string();
    }
    return extras;
}

ExitCode ExportCommand::exportProgram(Console& console) const
{
    const auto program = estimatorProgram(console, m_model.subject, m_model.project);
    if (!program) {
        return program.error();
    }
    if (!m_output) {
        // Standard output has nothing but the program, so that it can be redirected into a file.
        console.content(*program);
        return ExitCode::Done;
    }
    if (const Result<void> written =
            storage::writeOutput(*m_output, *program, {.replaces = m_force});
        !written) {
        return reportFailure(console, written.error());
    }
    if (m_json) {
        console.document(jsonText(Json{{"path", *m_output}}, 2));
    } else {
        console.result(*m_output);
    }
    return ExitCode::Done;
}

Result<train::VerifiedExport> ExportCommand::write(train::OpenedModel& model,
                                                   const train::ModelExportRequest& request) const
{
    if (!m_noVerify) {
        return train::exportVerified(model, request);
    }
    CANNERY_TRY_ASSIGN(std::string path, train::exportCheckpoint(model.encoder, model.lowered,
                                                                 request, model.folder));
    return train::VerifiedExport{.path = std::move(path)};
}

void ExportCommand::report(const Console& console, const train::OpenedModel& model,
                           const ExportedModel& exported, const train::VerifiedExport& made) const
{
    const exporting::Verification& verification = made.verification;
    // The export stands even if they cannot be read: they are then left out.
    const Result<ExportFeatures> features = featuresOfExport(exported.path);
    // Before the notes: a script reads nothing but the object.
    if (m_json) {
        reports::Export answer = exportReport(exported);
        answer.set_checkpoint(model.checkpoint);
        answer.set_global_step(model.globalStep);
        if (!m_noVerify) {
            reports::Verification& check = *answer.mutable_verification();
            check.set_rows(verification.rows);
            check.set_equal(verification.equal);
            check.set_max_difference(verification.maxDifference);
            check.set_boundary_rows(made.edges.rows);
            check.set_metrics(made.verifiedMetrics);
        }
        if (features) {
            *answer.mutable_serving() = servingReport(*features);
        }
        console.document(reports::reportJson(answer, 2));
        return;
    }
    for (const std::string& line : signatureLines(exported.signatures)) {
        console.note(line);
    }
    for (const std::string& line :
         features ? featureLines(*features) : std::vector<std::string>()) {
        console.note(line);
    }
    if (verification.rows > 0) {
        console.note(fmt::format("{} of {} predictions agree (largest difference {:.2g})",
                                 verification.equal, verification.rows,
                                 verification.maxDifference));
        if (made.edges.rows > 0) {
            console.note(fmt::format("{} of {} agree with numbers next to the boundaries of "
                                     "buckets or splits",
                                     made.edges.equal, made.edges.rows));
        }
    } else if (!m_noVerify) {
        console.note("predictions were not compared: the receiver leaves out features that the "
                     "model reads, or the training rows can no longer be read");
    }
    reportEvaluationGraph(console, model, made);
    console.note(fmt::format("exported {}, checked after writing", model.checkpoint));
    console.result(exported.path);
}

void ExportCommand::reportEvaluationGraph(const Console& console, const train::OpenedModel& model,
                                          const train::VerifiedExport& made) const
{
    if (m_modes.value_or("serve") == "serve") {
        return;
    }
    if (made.verifiedMetrics > 0) {
        console.note(fmt::format("{} of the evaluation graph agree: loss and metrics",
                                 counted(made.verifiedMetrics, "number")));
    } else if (!m_noVerify) {
        console.note("the evaluation graph was not compared: the training rows can no longer be "
                     "read, or lack what it takes");
    }
    for (const spec::Metric& metric : model.experiment.eval_spec().metric()) {
        console.note(fmt::format("the evaluation graph has the metrics of the model's head, not {} "
                                 "of eval_spec",
                                 spec::metricName(metric)));
    }
}

} // namespace cannery::app
