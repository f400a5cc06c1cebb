// SPDX-License-Identifier: Apache-2.0
#include "storage/runs/salvage.h"

#include "storage/sqlite/database.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace cannery::storage {
namespace {

constexpr ErrorKind kSalvaged{
    "runs.salvaged", "{} is mended, but {} stood where it was damaged: {} could be read, and may "
                     "differ from what was written. Look at them; what the store was is kept as "
                     "{}.damaged."};

struct SalvagedTable
{
    std::string_view name;
    std::string_view columns;
    std::string_view parameters;
    std::string_view meaning; ///< for messages
};

constexpr std::array kSalvagedTables{
    SalvagedTable{"annotations", "run, title, notes, star, colour, trashed_at, colour_slot",
                  "?,?,?,?,?,?,?", "titles, notes, stars and the trash"},
    SalvagedTable{"annotation_tags", "run, tag", "?,?", "tags"},
    SalvagedTable{"queue",
                  "id, place, experiment_file, experiment_text, overrides, title, state, reason, "
                  "added_at, started_at, process_id, process_start",
                  "?,?,?,?,?,?,?,?,?,?,?,?", "the queue"},
    SalvagedTable{"sweeps", "name, experiment_file, identity, started_at", "?,?,?,?", "the sweeps"},
    SalvagedTable{"sweep_trials", "sweep, trial, rung, run, overrides, state", "?,?,?,?,?,?",
                  "the trials of sweeps"},
    SalvagedTable{"sweep_folds", "sweep, first_trial, metric, folds, diverged, mean, deviation",
                  "?,?,?,?,?,?,?", "what cross-validations have found"},
    SalvagedTable{"view_state", "page, json", "?,?", "what the pages remember"},
};

Result<Statement> selectFrom(Database& database, const SalvagedTable& table)
{
    return database.prepare(fmt::format("SELECT {} FROM {}", table.columns, table.name));
}

/// Reading a view in a malicious store may never end.
bool isPlainTable(Database& database, const SalvagedTable& table)
{
    Result<Statement> find = database.prepare(
        "SELECT count(*) FROM sqlite_schema WHERE name = ? AND type = 'table' AND sql NOT LIKE "
        "'CREATE VIRTUAL%'");
    if (!find) {
        return false; // none of it can be read
    }
    find->bind(0, table.name);
    const Result<bool> hasRow = find->step();
    return hasRow && *hasRow && find->integer(0) == 1;
}

/// Whether the checksums of all pages of the table are correct.
bool isSound(const std::filesystem::path& path, const SalvagedTable& table)
{
    Result<Database> careful = Database::open(path, DatabaseMode::ReadOnly);
    if (!careful || !careful->requirePageChecksums() || !isPlainTable(*careful, table)) {
        return false;
    }
    Result<Statement> rows = selectFrom(*careful, table);
    Result<bool> hasRow = true;
    while (rows && hasRow && *hasRow) {
        hasRow = rows->step();
    }
    return rows && hasRow;
}

/// Copies rows up to the damage; returns their number. Rows restored from annotations/ are replaced
/// if the table is undamaged, and take precedence over rows that may be damaged.
Result<int> copyRows(Database& damaged, Database& fresh, const SalvagedTable& table, bool isWhole)
{
    if (isWhole) {
        CANNERY_TRY(fresh.execute(fmt::format("DELETE FROM {}", table.name)));
    }
    CANNERY_TRY_ASSIGN(Statement insert,
                       fresh.prepare(fmt::format("INSERT OR IGNORE INTO {} ({}) VALUES ({})",
                                                 table.name, table.columns, table.parameters)));
    const auto columns = std::count(table.parameters.begin(), table.parameters.end(), '?');
    int copied = 0;
    if (!isPlainTable(damaged, table)) {
        return 0;
    }
    Result<Statement> rows = selectFrom(damaged, table);
    while (rows) {
        const Result<bool> hasRow = rows->step();
        if (!hasRow || !*hasRow) {
            break;
        }
        for (int column = 0; column < columns; ++column) {
            insert.bind(column, *rows, column);
        }
        // A value of another type than its column's is damage too.
        copied += insert.run() ? 1 : 0;
    }
    return copied;
}

} // namespace

Result<void> salvage(Database& damaged, Database& fresh, std::vector<Error>& losses)
{
    for (const SalvagedTable& table : kSalvagedTables) {
        const bool sound = isSound(damaged.path(), table);
        CANNERY_TRY_ASSIGN(const int copied, copyRows(damaged, fresh, table, sound));
        if (!sound) {
            losses.push_back(error(
                ErrorCode::DataLoss, kSalvaged, damaged.path().string(), table.meaning,
                copied == 1 ? "1 row" : fmt::format("{} rows", copied), damaged.path().string()));
        }
    }
    return {};
}

} // namespace cannery::storage
