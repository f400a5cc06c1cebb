// SPDX-License-Identifier: Apache-2.0
#include "storage/runs/run_overview.h"

#include "core/base/utf8.h"
#include "storage/runs/annotation_store.h"
#include "storage/runs/run_lock.h"
#include "storage/runs/run_name.h"
#include "storage/runs/run_store.h"

#include <functional>
#include <optional>
#include <unordered_map>

namespace cannery::storage {
namespace {

Result<void> forEachRow(Database& database, std::string_view sql,
                        const std::function<void(const Statement&)>& read)
{
    CANNERY_TRY_ASSIGN(Statement rows, database.prepare(sql));
    while (true) {
        CANNERY_TRY_ASSIGN(const bool hasRow, rows.step());
        if (!hasRow) {
            return {};
        }
        read(rows);
    }
}

using RunIndex = std::unordered_map<std::string, RunOverview*>;

Result<void> readAnnotations(Database& database, const RunIndex& byName)
{
    CANNERY_TRY(forEachRow(
        database,
        // Annotations may be there of a run that is not.
        "SELECT run, title, notes, star, colour, colour_slot, trashed_at FROM annotations",
        [&](const Statement& row) {
            const auto found = byName.find(row.text(0));
            if (found != byName.end()) {
                found->second->annotations = asShown({.title = row.text(1),
                                                      .notes = row.text(2),
                                                      .star = row.integer(3) != 0,
                                                      .colour = row.text(4),
                                                      .trashedAt = row.optionalReal(6),
                                                      .colourSlot = row.optionalInteger(5)});
            }
        }));
    return forEachRow(database, "SELECT run, tag FROM annotation_tags ORDER BY run, tag",
                      [&](const Statement& row) {
                          const auto found = byName.find(row.text(0));
                          if (found != byName.end()) {
                              found->second->annotations.tags.push_back(toUtf8(row.text(1)));
                          }
                      });
}

Result<void> addCounts(Database& database, std::string_view sql, const RunIndex& byName,
                       std::string RunOverview::*member)
{
    return forEachRow(database, sql, [&](const Statement& row) {
        const auto found = byName.find(row.text(0));
        if (found != byName.end()) {
            found->second->*member += fmt::format("|{}:{}", row.integer(1), row.real(2));
        }
    });
}

Result<void> countRows(Database& database, const RunIndex& byName)
{
    for (const std::string_view sql :
         {"SELECT run, count(*), max(wall_time) FROM evaluations GROUP BY run",
          "SELECT run, count(*), max(saved_at) FROM checkpoints GROUP BY run",
          "SELECT run, count(*), max(last_step) FROM tags GROUP BY run"}) {
        CANNERY_TRY(addCounts(database, sql, byName, &RunOverview::counts));
    }
    return {};
}

} // namespace

Result<std::vector<RunOverview>> readOverview(RunStore& store, bool thorough)
{
    Database& database = store.database();
    std::vector<RunOverview> runs;
    std::optional<std::string> badName;
    CANNERY_TRY(forEachRow(
        database,
        "SELECT name, state, updated_at, global_step, created_at, data_fingerprint FROM runs "
        "ORDER BY created_at DESC, name DESC",
        [&](const Statement& row) {
            RunOverview run{.run = row.text(0)};
            // Reported after the loop: reading a row has no result.
            if (!isRunName(run.run)) {
                badName = toUtf8(run.run);
                return;
            }
            const std::optional<RunState> state = runStateFromName(row.text(1));
            // An engine that was killed changes nothing in the store; only its lock is gone.
            run.isLive = state && needsOwner(*state) && RunLock::owner(store.folderOf(run.run));
            run.stamp = fmt::format("{}|{}|{}|{}|{}|{}", row.text(1), run.isLive, row.real(2),
                                    row.integer(3), row.real(4), row.text(5));
            runs.push_back(std::move(run));
        }));
    if (badName) {
        return tl::make_unexpected(
            database.corrupt(fmt::format("'{}' is not the name of a run", *badName)));
    }
    RunIndex byName;
    for (RunOverview& run : runs) {
        byName.emplace(run.run, &run);
    }
    CANNERY_TRY(readAnnotations(database, byName));
    // Manual exports may come long after a run's end; their table is small.
    CANNERY_TRY(addCounts(database,
                          "SELECT run, count(*), max(exported_at) FROM exports GROUP BY run",
                          byName, &RunOverview::stamp));
    if (thorough) {
        CANNERY_TRY(countRows(database, byName));
    }
    return runs;
}

} // namespace cannery::storage
