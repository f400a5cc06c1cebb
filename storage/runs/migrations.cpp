// SPDX-License-Identifier: Apache-2.0
#include "storage/runs/migrations.h"

#include "storage/sqlite/database.h"

#include <array>
#include <string>
#include <string_view>

namespace cannery::storage {
namespace {

constexpr ErrorKind kNewerStore{
    "runs.newer_store",
    "{} was made by a newer version of Cannery (store version {}, this program knows {}); use the "
    "newer program."};
constexpr ErrorKind kNoStore{
    "runs.no_store", "{} contains no runs yet; train something, or run 'cannery runs rescan'."};

// Execution tables reference runs and can be rebuilt from the run folders. Annotations are keyed by
// the run's name alone, so a rebuild leaves them unchanged.
constexpr std::string_view kVersion1 = R"sql(
CREATE TABLE runs (
  name TEXT NOT NULL PRIMARY KEY,
  experiment_name TEXT NOT NULL,
  experiment_file TEXT NOT NULL,
  estimator TEXT NOT NULL,
  engine TEXT NOT NULL,
  data_fingerprint TEXT NOT NULL,
  train_rows INTEGER NOT NULL,
  eval_rows INTEGER NOT NULL,
  created_at REAL NOT NULL,
  state TEXT NOT NULL,
  reason TEXT NOT NULL DEFAULT '',
  global_step INTEGER NOT NULL DEFAULT 0,
  max_steps INTEGER,
  updated_at REAL NOT NULL DEFAULT 0,
  started_at REAL,
  finished_at REAL
) STRICT;
CREATE INDEX runs_by_time ON runs (created_at);

CREATE TABLE parameters (
  run TEXT NOT NULL REFERENCES runs (name) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  path TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX parameters_by_path ON parameters (path, value);

CREATE TABLE evaluations (
  run TEXT NOT NULL REFERENCES runs (name) ON DELETE CASCADE,
  name TEXT NOT NULL,
  global_step INTEGER NOT NULL,
  position INTEGER NOT NULL,
  metric TEXT NOT NULL,
  value REAL,
  wall_time REAL NOT NULL,
  PRIMARY KEY (run, name, global_step, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE checkpoints (
  run TEXT NOT NULL REFERENCES runs (name) ON DELETE CASCADE,
  global_step INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  saved_at REAL NOT NULL,
  kept_because TEXT NOT NULL,
  PRIMARY KEY (run, global_step)
) STRICT, WITHOUT ROWID;

CREATE TABLE tags (
  run TEXT NOT NULL REFERENCES runs (name) ON DELETE CASCADE,
  folder TEXT NOT NULL,
  tag TEXT NOT NULL,
  count INTEGER NOT NULL,
  last_step INTEGER NOT NULL,
  last REAL,
  min REAL,
  min_step INTEGER NOT NULL,
  max REAL,
  max_step INTEGER NOT NULL,
  PRIMARY KEY (run, folder, tag)
) STRICT, WITHOUT ROWID;

CREATE TABLE exports (
  run TEXT NOT NULL REFERENCES runs (name) ON DELETE CASCADE,
  path TEXT NOT NULL,
  exporter TEXT NOT NULL,
  global_step INTEGER NOT NULL,
  exported_at REAL NOT NULL,
  PRIMARY KEY (run, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE annotations (
  run TEXT NOT NULL PRIMARY KEY,
  title TEXT NOT NULL DEFAULT '',
  notes TEXT NOT NULL DEFAULT '',
  star INTEGER NOT NULL DEFAULT 0,
  colour TEXT NOT NULL DEFAULT '',
  trashed_at REAL
) STRICT, WITHOUT ROWID;

CREATE TABLE annotation_tags (
  run TEXT NOT NULL,
  tag TEXT NOT NULL,
  PRIMARY KEY (run, tag)
) STRICT, WITHOUT ROWID;
)sql";

// The training queue, the state of the workbench's pages, and each run's permanent colour.
constexpr std::string_view kVersion2 = R"sql(
ALTER TABLE annotations ADD COLUMN colour_slot INTEGER;

CREATE TABLE queue (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  place INTEGER NOT NULL,
  experiment_file TEXT NOT NULL,
  experiment_text TEXT NOT NULL,
  overrides TEXT NOT NULL DEFAULT '[]',
  title TEXT NOT NULL DEFAULT '',
  state TEXT NOT NULL DEFAULT 'Waiting',
  reason TEXT NOT NULL DEFAULT '',
  added_at REAL NOT NULL,
  started_at REAL,
  process_id INTEGER NOT NULL DEFAULT 0,
  process_start TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE TABLE view_state (
  page TEXT NOT NULL PRIMARY KEY,
  json TEXT NOT NULL
) STRICT, WITHOUT ROWID;
)sql";

// Every page carries a checksum; the tables are those of version 2.
constexpr std::string_view kVersion3;
constexpr std::int64_t kFirstWithChecksums = 3;

// Sweeps, and the runs that are their trials.
constexpr std::string_view kVersion4 = R"sql(
CREATE TABLE sweeps (
  name TEXT NOT NULL PRIMARY KEY,
  experiment_file TEXT NOT NULL,
  identity TEXT NOT NULL,
  started_at REAL NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sweep_trials (
  sweep TEXT NOT NULL,
  trial INTEGER NOT NULL,
  rung INTEGER NOT NULL,
  run TEXT NOT NULL,
  overrides TEXT NOT NULL DEFAULT '[]',
  state TEXT NOT NULL DEFAULT 'Started',
  PRIMARY KEY (sweep, trial, rung)
) STRICT, WITHOUT ROWID;
)sql";

// What a cross-validation has found; NaN is NULL.
constexpr std::string_view kVersion5 = R"sql(
CREATE TABLE sweep_folds (
  sweep TEXT NOT NULL,
  first_trial INTEGER NOT NULL,
  metric TEXT NOT NULL,
  folds INTEGER NOT NULL,
  diverged INTEGER NOT NULL,
  mean REAL,
  deviation REAL,
  PRIMARY KEY (sweep, first_trial, metric)
) STRICT, WITHOUT ROWID;
)sql";

// What trained a run.
constexpr std::string_view kVersion6 =
    "ALTER TABLE runs ADD COLUMN device TEXT NOT NULL DEFAULT ''";

// How many rows a step takes, and how long earlier sessions took.
constexpr std::string_view kVersion7 = R"sql(
ALTER TABLE runs ADD COLUMN rows_per_step INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN seconds_before REAL NOT NULL DEFAULT 0;
)sql";

constexpr std::array kMigrations{kVersion1, kVersion2, kVersion3, kVersion4,
                                 kVersion5, kVersion6, kVersion7};

/// A view, a trigger or a virtual table could run foreign code whenever we read or write.
Result<void> requirePlainTables(Database& database)
{
    CANNERY_TRY_ASSIGN(
        const std::int64_t strange,
        database.queryInteger("SELECT count(*) FROM sqlite_schema WHERE type NOT IN ('table', "
                              "'index') OR sql LIKE 'CREATE VIRTUAL%'"));
    if (strange > 0) {
        return tl::make_unexpected(database.corrupt("it has more in it than tables"));
    }
    return {};
}

Result<std::int64_t> versionOf(Database& database)
{
    CANNERY_TRY(requirePlainTables(database));
    CANNERY_TRY_ASSIGN(const std::int64_t version, database.queryInteger("PRAGMA user_version"));
    if (version > static_cast<std::int64_t>(kMigrations.size())) {
        return fail(ErrorCode::FailedPrecondition, kNewerStore, database.path().string(), version,
                    kMigrations.size());
    }
    if (version >= kFirstWithChecksums) {
        CANNERY_TRY(database.requirePageChecksums());
    }
    return version;
}

} // namespace

Result<void> migrateRunStore(Database& database)
{
    CANNERY_TRY_ASSIGN(const std::int64_t before, versionOf(database));
    if (before == static_cast<std::int64_t>(kMigrations.size())) {
        return {};
    }
    CANNERY_TRY(database.addPageChecksums());
    return database.transaction([&]() -> Result<void> {
        // Another program may have migrated while this one waited for the lock.
        CANNERY_TRY_ASSIGN(std::int64_t version, versionOf(database));
        for (; version < static_cast<std::int64_t>(kMigrations.size()); ++version) {
            CANNERY_TRY(database.execute(kMigrations[static_cast<std::size_t>(version)]));
            CANNERY_TRY(database.execute(fmt::format("PRAGMA user_version = {}", version + 1)));
        }
        return {};
    });
}

Result<bool> isRunStoreCurrent(Database& database)
{
    CANNERY_TRY_ASSIGN(const std::int64_t version, versionOf(database));
    if (version == 0) {
        return fail(ErrorCode::FailedPrecondition, kNoStore, database.path().string());
    }
    return version == static_cast<std::int64_t>(kMigrations.size());
}

} // namespace cannery::storage
