// SPDX-License-Identifier: Apache-2.0
#include "storage/runs/run_writes.h"

#include "storage/sqlite/database.h"

#include <string_view>

namespace cannery::storage {
namespace {

void bindStatus(Statement& statement, int first, const RunStatus& status)
{
    statement.bind(first, name(status.state))
        .bind(first + 1, std::string_view(status.reason))
        .bind(first + 2, status.globalStep)
        .bind(first + 3, status.maxSteps)
        .bind(first + 4, status.updatedAt)
        .bind(first + 5, status.startedAt)
        .bind(first + 6, status.finishedAt)
        .bind(first + 7, status.secondsBefore);
}

Result<void> writeParameters(Database& database, const RunInfo& info)
{
    // A later session may set fewer fields than the one before.
    CANNERY_TRY_ASSIGN(Statement remove, database.prepare("DELETE FROM parameters WHERE run = ?"));
    remove.bind(0, std::string_view(info.name));
    CANNERY_TRY(remove.run());
    CANNERY_TRY_ASSIGN(
        Statement insert,
        database.prepare("INSERT INTO parameters (run, position, path, value) VALUES (?,?,?,?)"));
    std::int64_t position = 0;
    for (const RunParameter& parameter : info.parameters) {
        insert.bind(0, std::string_view(info.name))
            .bind(1, position++)
            .bind(2, std::string_view(parameter.path))
            .bind(3, std::string_view(parameter.value));
        CANNERY_TRY(insert.run());
    }
    return {};
}

} // namespace

Result<void> writeRun(Database& database, const RunInfo& info, const RunStatus& status)
{
    // An update, and not REPLACE, which would delete the row and with it the evaluations and
    // checkpoints that refer to it.
    CANNERY_TRY_ASSIGN(
        Statement insert,
        database.prepare(
            "INSERT INTO runs (name, experiment_name, experiment_file, estimator, engine, "
            "data_fingerprint, train_rows, eval_rows, created_at, state, reason, global_step, "
            "max_steps, updated_at, started_at, finished_at, seconds_before, device, "
            "rows_per_step) "
            "VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (name) DO UPDATE SET "
            "experiment_name = excluded.experiment_name, "
            "experiment_file = excluded.experiment_file, estimator = excluded.estimator, "
            "engine = excluded.engine, data_fingerprint = excluded.data_fingerprint, "
            "train_rows = excluded.train_rows, eval_rows = excluded.eval_rows, "
            "created_at = excluded.created_at, state = excluded.state, "
            "reason = excluded.reason, global_step = excluded.global_step, "
            "max_steps = excluded.max_steps, updated_at = excluded.updated_at, "
            "started_at = excluded.started_at, finished_at = excluded.finished_at, "
            "seconds_before = excluded.seconds_before, device = excluded.device, "
            "rows_per_step = excluded.rows_per_step"));
    insert.bind(0, std::string_view(info.name))
        .bind(1, std::string_view(info.experimentName))
        .bind(2, std::string_view(info.experimentFile))
        .bind(3, std::string_view(info.estimator))
        .bind(4, std::string_view(info.engine))
        .bind(5, std::string_view(info.dataFingerprint))
        .bind(6, info.trainRows)
        .bind(7, info.evalRows)
        .bind(8, info.createdAt);
    bindStatus(insert, 9, status);
    insert.bind(17, std::string_view(info.device)).bind(18, info.rowsPerStep);
    CANNERY_TRY(insert.run());
    return writeParameters(database, info);
}

/// The times and the reason included: a state never stands beside another one's reason.
Result<void> writeStatus(Database& database, const std::string& run, const RunStatus& status)
{
    CANNERY_TRY_ASSIGN(
        Statement update,
        database.prepare("UPDATE runs SET state = ?, reason = ?, global_step = ?, max_steps = ?, "
                         "updated_at = ?, started_at = ?, finished_at = ?, seconds_before = ? "
                         "WHERE name = ?"));
    bindStatus(update, 0, status);
    update.bind(8, std::string_view(run));
    return update.run();
}

Result<void> writeEvaluation(Database& database, const std::string& run,
                             const RunEvaluation& evaluation)
{
    CANNERY_TRY_ASSIGN(
        // First: an earlier evaluation of the same step may have had metrics that this one lacks.
        Statement remove,
        database.prepare("DELETE FROM evaluations WHERE run = ? AND name = ? AND global_step = ?"));
    remove.bind(0, std::string_view(run))
        .bind(1, std::string_view(evaluation.name))
        .bind(2, evaluation.globalStep);
    CANNERY_TRY(remove.run());
    CANNERY_TRY_ASSIGN(Statement insert,
                       database.prepare("INSERT INTO evaluations VALUES (?,?,?,?,?,?,?)"));
    std::int64_t position = 0;
    for (const MetricValue& metric : evaluation.metrics) {
        insert.bind(0, std::string_view(run))
            .bind(1, std::string_view(evaluation.name))
            .bind(2, evaluation.globalStep)
            .bind(3, position++)
            .bind(4, std::string_view(metric.name))
            .bind(5, metric.value)
            .bind(6, evaluation.wallTime);
        CANNERY_TRY(insert.run());
    }
    return {};
}

Result<void> writeCheckpoints(Database& database, const std::string& run,
                              std::span<const RunCheckpoint> checkpoints)
{
    // The list is complete: a checkpoint that it lacks has been deleted.
    CANNERY_TRY_ASSIGN(Statement remove, database.prepare("DELETE FROM checkpoints WHERE run = ?"));
    remove.bind(0, std::string_view(run));
    CANNERY_TRY(remove.run());
    CANNERY_TRY_ASSIGN(Statement insert,
                       database.prepare("INSERT OR REPLACE INTO checkpoints VALUES (?,?,?,?,?)"));
    for (const RunCheckpoint& checkpoint : checkpoints) {
        insert.bind(0, std::string_view(run))
            .bind(1, checkpoint.globalStep)
            .bind(2, static_cast<std::int64_t>(checkpoint.bytes))
            .bind(3, checkpoint.savedAt)
            .bind(4, std::string_view(checkpoint.keptBecause));
        CANNERY_TRY(insert.run());
    }
    return {};
}

Result<void> writeTags(Database& database, const std::string& run,
                       std::span<const TagStatistics> tags)
{
    CANNERY_TRY_ASSIGN(
        Statement insert,
        database.prepare("INSERT OR REPLACE INTO tags VALUES (?,?,?,?,?,?,?,?,?,?)"));
    for (const TagStatistics& tag : tags) {
        insert.bind(0, std::string_view(run))
            .bind(1, std::string_view(tag.folder))
            .bind(2, std::string_view(tag.tag))
            .bind(3, tag.count)
            .bind(4, tag.lastStep)
            .bind(5, tag.last)
            .bind(6, tag.min)
            .bind(7, tag.minStep)
            .bind(8, tag.max)
            .bind(9, tag.maxStep);
        CANNERY_TRY(insert.run());
    }
    return {};
}

Result<void> writeExport(Database& database, const std::string& run, const RunExport& entry)
{
    CANNERY_TRY_ASSIGN(Statement insert,
                       database.prepare("INSERT OR REPLACE INTO exports VALUES (?,?,?,?,?)"));
    insert.bind(0, std::string_view(run))
        .bind(1, std::string_view(entry.path))
        .bind(2, std::string_view(entry.exporter))
        .bind(3, entry.globalStep)
        .bind(4, entry.exportedAt);
    return insert.run();
}

Result<void> writeExports(Database& database, const std::string& run,
                          std::span<const RunExport> exports)
{
    CANNERY_TRY_ASSIGN(Statement remove, database.prepare("DELETE FROM exports WHERE run = ?"));
    remove.bind(0, std::string_view(run));
    CANNERY_TRY(remove.run());
    for (const RunExport& entry : exports) {
        CANNERY_TRY(writeExport(database, run, entry));
    }
    return {};
}

Result<void> eraseRun(Database& database, const std::string& run)
{
    // Parameters, evaluations, checkpoints, tags and exports go with the run (ON DELETE CASCADE).
    // Annotations do not refer to the table of runs.
    for (const std::string_view sql :
         {"DELETE FROM runs WHERE name = ?", "DELETE FROM annotations WHERE run = ?",
          "DELETE FROM annotation_tags WHERE run = ?"}) {
        CANNERY_TRY_ASSIGN(Statement remove, database.prepare(sql));
        remove.bind(0, std::string_view(run));
        CANNERY_TRY(remove.run());
    }
    return {};
}

} // namespace cannery::storage
