// SPDX-License-Identifier: Apache-2.0
#include "core/train/records/eval_history.h"

#include "storage/io/files.h"
#include "storage/runs/run_files.h"
#include "storage/tf/events/event_reader.h"

#include <vector>

namespace cannery::train {

Result<void> forEachEvaluation(const std::string& evalDir,
                               const std::function<void(std::int64_t, const EvalMetrics&)>& visit)
{
    if (!storage::isFolder(evalDir)) {
        return {};
    }
    CANNERY_TRY_ASSIGN(const std::vector<std::string> files, storage::listEventFiles(evalDir));
    for (const std::string& file : files) {
        CANNERY_TRY_ASSIGN(storage::EventReader reader, storage::EventReader::open(file));
        while (true) {
            const Result<std::optional<storage::Event>> event = reader.next();
            // A file may be cut off while it is written: what comes before counts.
            if (!event || !*event) {
                break;
            }
            EvalMetrics metrics;
            for (const storage::EventValue& value : (*event)->values) {
                // Texts, such as the path of the checkpoint, are not metrics.
                const float* scalar = std::get_if<float>(&value.value);
                if (scalar != nullptr && !value.tag.starts_with(kSliceTags)) {
                    metrics[value.tag] = static_cast<double>(*scalar);
                }
            }
            if (!metrics.empty()) {
                visit((*event)->step, metrics);
            }
        }
    }
    return {};
}

Result<EvalHistory> readEvalHistory(const std::string& evalDir)
{
    EvalHistory history;
    // A step that was evaluated again has the values of the last time.
    CANNERY_TRY(forEachEvaluation(
        evalDir, [&](std::int64_t step, const EvalMetrics& metrics) { history[step] = metrics; }));
    return history;
}

Result<EvalHistory> readAllEvaluations(const std::string& modelDir)
{
    EvalHistory all;
    if (!storage::isFolder(modelDir)) {
        return all;
    }
    CANNERY_TRY_ASSIGN(const std::vector<std::string> names, storage::listFolder(modelDir));
    for (const std::string& name : names) {
        // Evaluations of all names, as nobody has asked for one.
        if (name == "eval" || name.starts_with("eval_")) {
            CANNERY_TRY_ASSIGN(EvalHistory history,
                               readEvalHistory(storage::joinPath(modelDir, name)));
            all.merge(history);
        }
    }
    return all;
}

Result<EvalHistory> readRunEvaluations(const std::string& modelDir, const std::string& evalName)
{
    CANNERY_TRY_ASSIGN(EvalHistory history, readEvalHistory(evalFolder(modelDir, evalName)));
    // A damaged list does not prevent training: the event files hold the same data.
    const auto evaluations = storage::RunFiles(modelDir).readEvaluations().value_or(
        std::vector<storage::RunEvaluation>());
    for (const storage::RunEvaluation& evaluation : evaluations) {
        if (evaluation.name != evalName) {
            continue;
        }
        EvalMetrics& metrics = history[evaluation.globalStep];
        // The run's own list wins: it has float64, event files float32.
        metrics.clear();
        for (const storage::MetricValue& metric : evaluation.metrics) {
            metrics[metric.name] = metric.value;
        }
    }
    return history;
}

std::string evalFolder(const std::string& modelDir, const std::string& evalName)
{
    return storage::joinPath(modelDir, evalName.empty() ? "eval" : "eval_" + evalName);
}

} // namespace cannery::train
