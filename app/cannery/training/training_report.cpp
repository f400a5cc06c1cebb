// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/training/training_report.h"

#include "app/cannery/console/command.h"
#include "app/cannery/reports/evaluation_view.h"
#include "app/cannery/reports/progress_printer.h"
#include "app/cannery/training/control_endpoint.h"
#include "app/cannery/training/crash_recorder.h"
#include "core/base/interruption.h"
#include "core/base/text_table.h"
#include "core/reports/report_json.h"
#include "core/reports/train.pb.h"

#include <fmt/core.h>

#include <csignal>
#include <vector>

namespace cannery::app {

namespace {

void addProfile(const train::StepProfile& profile, reports::TrainProfile& report)
{
    report.set_steps(profile.steps());
    for (const train::StepProfile::Part& part : profile.parts()) {
        reports::ProfilePart& row = *report.add_parts();
        row.set_layer(part.layer);
        row.set_operation(part.operation);
        row.set_forward_ms(part.forward);
        row.set_backward_ms(part.backward);
        row.set_other_ms(part.other);
    }
}

/// Where the time of the traced steps went: a line each for the layers, the optimizers and the
/// input.
void printProfile(const Console& console, const train::StepProfile& profile)
{
    const auto text = [](double milliseconds) {
        return milliseconds > 0 ? fmt::format("{:.1f}", milliseconds * 1e3) : std::string();
    };
    std::vector<std::vector<std::string>> rows;
    for (const train::StepProfile::Part& part : profile.parts()) {
        rows.push_back({part.layer, part.operation, text(part.forward), text(part.backward),
                        text(part.other)});
    }
    console.result(profile.phases());
    for (const std::string& line :
         alignedTable({"µs per step", "operation", "forward", "backward", "other"}, rows)) {
        console.result(line);
    }
    console.result("");
}

reports::Trained trainedReport(const train::TrainReport& trained)
{
    reports::Trained report;
    report.set_run(trained.runName);
    report.set_model_dir(trained.modelDir);
    report.set_state(std::string(storage::name(trained.state)));
    report.set_reason(trained.outcome.sentence);
    report.set_start_step(trained.outcome.startStep);
    report.set_global_step(trained.outcome.globalStep);
    report.set_train_rows(trained.data.trainRows);
    report.set_eval_rows(trained.data.evalRows);
    report.set_skipped_rows(trained.data.skippedRows);
    if (trained.evaluation) {
        *report.mutable_metrics()->mutable_metrics() = metricsReport(trained.evaluation->metrics);
    }
    for (const train::ExportResult& entry : trained.exports) {
        reports::TrainedExport& row = *report.add_exports();
        row.set_exporter(entry.exporter);
        row.set_path(entry.path);
        row.set_global_step(entry.globalStep);
    }
    report.mutable_warnings()->Assign(trained.warnings.begin(), trained.warnings.end());
    if (trained.profile.steps() > 0) {
        addProfile(trained.profile, *report.mutable_profile());
    }
    return report;
}

void printReport(const Console& console, const train::TrainReport& report)
{
    if (report.evaluation) {
        console.result("");
        for (const std::string& line : metricLines(*report.evaluation)) {
            console.result(line);
        }
        for (const std::string& line : tableLines(*report.evaluation)) {
            console.result(line);
        }
        console.result("");
    }
    if (report.profile.steps() > 0) {
        printProfile(console, report.profile);
    }
    const std::string run = report.runName.empty() ? "" : fmt::format(" (run {})", report.runName);
    console.result(fmt::format("{:<11} {}, step {}{}", "state", storage::name(report.state),
                               report.outcome.globalStep, run));
    if (!report.modelDir.empty()) {
        console.result(fmt::format("{:<11} {}", "model", report.modelDir));
    }
    for (const train::ExportResult& entry : report.exports) {
        console.result(fmt::format("{:<11} {}", "SavedModel", entry.path));
    }
}

} // namespace

void TrainingWires::connect(train::TrainRequest& request) const
{
    request.observer = observer;
    request.stop = stop;
    request.control = control;
    request.note = note;
}

ExitCode exitCodeOf(const launch::StopSignals& signals, const Result<train::TrainReport>& report)
{
    if (report && report->outcome.reason == train::StopReason::Interrupted) {
        return ExitCode::Terminated;
    }
    const bool wasStopped =
        report ? report->state == storage::RunState::Stopped : report.error().id == kInterruptedId;
    if (signals.signal() == 0 || !wasStopped) {
        return report ? ExitCode::Done : exitCodeOf(report.error());
    }
    return signals.exitCode();
}

Result<train::TrainReport> runControlled(Console& console, train::TrainingObserver& observer,
                                         TrainingWires wires, const launch::StopSignals& signals,
                                         const StartTraining& start)
{
    train::TrainingControl control;
    ControlEndpoint endpoint(console, control);
    CrashRecorder crashRecorder;
    train::ObserverList observers;
    // First, so that a crash while the others open is recorded as well.
    observers.add(crashRecorder);
    observers.add(observer);
    observers.add(endpoint);
    wires.observer = &observers;
    wires.stop = &signals.flag();
    wires.control = &control;
    return start(wires);
}

ExitCode runTraining(Console& console, const TrainingReportOptions& options,
                     const StartTraining& start)
{
    console.setQuiet(options.quiet);
    console.setMayDropLines();
    ProgressPrinter printer(console);
    const launch::StopSignals signals;
    const Result<train::TrainReport> report = runControlled(console, printer, {}, signals, start);
    console.clearProgress();
    const ExitCode exitCode = exitCodeOf(signals, report);
    if (!report) {
        console.failure(report.error());
        return exitCode;
    }
    for (const std::string& warning : report->warnings) {
        console.diagnostic("warning: " + warning);
    }
    if (exitCode != ExitCode::Done && report->isOfEvaluator) {
        console.diagnostic("stopped; the same command goes on with the checkpoints that are not "
                           "evaluated yet");
    } else if (exitCode != ExitCode::Done) {
        console.diagnostic(fmt::format("stopped at step {}; the checkpoint is saved; the same "
                                       "command continues from there",
                                       report->outcome.globalStep));
    } else if (report->wasDoneBefore) {
        console.note(fmt::format("nothing to do: the model has already reached step {}",
                                 report->outcome.globalStep));
    }
    if (options.json) {
        console.document(reports::reportJson(trainedReport(*report), 2));
    } else if (!options.quiet) {
        printReport(console, *report);
    }
    return exitCode;
}

} // namespace cannery::app
