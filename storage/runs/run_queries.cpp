// SPDX-License-Identifier: Apache-2.0
#include "storage/runs/run_queries.h"

#include "storage/runs/run_name.h"
#include "storage/sqlite/database.h"

#include <limits>

namespace cannery::storage {
namespace {

/// SQLite has no NaN: it is stored as NULL.
double realOrNan(const Statement& row, int column)
{
    return row.isNull(column) ? std::numeric_limits<double>::quiet_NaN() : row.real(column);
}

template <typename Read>
Result<void> forEachRow(Database& database, std::string_view sql, const std::string& run,
                        const Read& read)
{
    CANNERY_TRY_ASSIGN(Statement select, database.prepare(sql));
    select.bind(0, std::string_view(run));
    while (true) {
        CANNERY_TRY_ASSIGN(const bool hasRow, select.step());
        if (!hasRow) {
            return {};
        }
        read(select);
    }
}

} // namespace

Result<std::vector<RunParameter>> readParameters(Database& database, const std::string& run)
{
    std::vector<RunParameter> parameters;
    CANNERY_TRY(forEachRow(database,
                           "SELECT path, value FROM parameters WHERE run = ? ORDER BY position",
                           run, [&](const Statement& row) {
                               parameters.push_back({row.text(0), row.text(1)});
                           }));
    return parameters;
}

Result<std::vector<RunEvaluation>> readEvaluations(Database& database, const std::string& run)
{
    std::vector<RunEvaluation> evaluations;
    CANNERY_TRY(forEachRow(
        database,
        "SELECT name, global_step, wall_time, metric, value FROM evaluations WHERE run = ? "
        "ORDER BY global_step, name, position",
        run, [&](const Statement& row) {
            const std::string evaluation = row.text(0);
            const std::int64_t step = row.integer(1);
            // Rows are ordered by evaluation and step, so that the metrics of one stand together.
            if (evaluations.empty() || evaluations.back().name != evaluation ||
                evaluations.back().globalStep != step) {
                evaluations.push_back(
                    {.name = evaluation, .globalStep = step, .wallTime = row.real(2)});
            }
            evaluations.back().metrics.push_back({row.text(3), realOrNan(row, 4)});
        }));
    return evaluations;
}

Result<std::vector<RunCheckpoint>> readCheckpoints(Database& database, const std::string& run)
{
    std::vector<RunCheckpoint> checkpoints;
    CANNERY_TRY(forEachRow(database,
                           "SELECT global_step, bytes, saved_at, kept_because FROM checkpoints "
                           "WHERE run = ? ORDER BY global_step",
                           run, [&](const Statement& row) {
                               checkpoints.push_back(
                                   {.globalStep = row.integer(0),
                                    .bytes = static_cast<std::uint64_t>(row.integer(1)),
                                    .savedAt = row.real(2),
                                    .keptBecause = row.text(3)});
                           }));
    return checkpoints;
}

Result<std::vector<TagStatistics>> readTags(Database& database, const std::string& run)
{
    std::vector<TagStatistics> tags;
    CANNERY_TRY(forEachRow(
        database,
        "SELECT folder, tag, count, last_step, last, min, min_step, max, max_step FROM tags "
        "WHERE run = ? ORDER BY folder, tag",
        run, [&](const Statement& row) {
            tags.push_back({.folder = row.text(0),
                            .tag = row.text(1),
                            .count = row.integer(2),
                            .lastStep = row.integer(3),
                            .last = realOrNan(row, 4),
                            .min = realOrNan(row, 5),
                            .minStep = row.integer(6),
                            .max = realOrNan(row, 7),
                            .maxStep = row.integer(8)});
        }));
    return tags;
}

Result<std::vector<RunExport>> readExports(Database& database, const std::string& run)
{
    std::vector<RunExport> exports;
    CANNERY_TRY(forEachRow(database,
                           "SELECT exporter, path, global_step, exported_at FROM exports "
                           "WHERE run = ? ORDER BY exported_at, path",
                           run, [&](const Statement& row) {
                               // The store of a stranger may name any path: what is not an export
                               // of a run is not followed.
                               std::string path = row.text(1);
                               if (isExportPath(path)) {
                                   exports.push_back({.exporter = row.text(0),
                                                      .path = std::move(path),
                                                      .globalStep = row.integer(2),
                                                      .exportedAt = row.real(3)});
                               }
                           }));
    return exports;
}

} // namespace cannery::storage
