// SPDX-License-Identifier: Apache-2.0
#include "storage/runs/sweep_store.h"

#include "core/base/json_text.h"
#include "core/base/memory_guard.h"
#include "storage/runs/run_store.h"
#include "storage/sqlite/database.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <limits>
#include <utility>

namespace cannery::storage {
namespace {

constexpr std::string_view kPrefix = "sweep-";
constexpr std::string_view kTrialColumns = "sweep, trial, rung, run, overrides, state";

constexpr std::array kTrialStates{
    std::pair{TrialState::Started, std::string_view("Started")},
    std::pair{TrialState::Done, std::string_view("Done")},
    std::pair{TrialState::Diverged, std::string_view("Diverged")},
};

TrialState trialStateOf(const std::string& text)
{
    for (const auto& [state, word] : kTrialStates) {
        if (word == text) {
            return state;
        }
    }
    // The word of a newer version: not known to be done.
    return TrialState::Started;
}

SweepTrial trialOf(const Statement& row)
{
    SweepTrial trial{.sweep = row.text(0),
                     .trial = row.integer(1),
                     .rung = row.integer(2),
                     .run = row.text(3),
                     .state = trialStateOf(row.text(5))};
    // Without exceptions: a damaged list costs this trial its overrides, not the whole sweep.
    // Elements that are not texts become empty, so that the others keep their places.
    const nlohmann::json list = nlohmann::json::parse(row.text(4), nullptr, false);
    if (list.is_array()) {
        for (const nlohmann::json& text : list) {
            trial.overrides.push_back(text.is_string() ? text.get<std::string>() : std::string());
        }
    }
    return trial;
}

/// 12 of "sweep-012" and "sweep-012-3"; 0 of other names.
std::int64_t numberIn(std::string_view name)
{
    std::int64_t number = 0;
    if (name.starts_with(kPrefix)) {
        name.remove_prefix(kPrefix.size());
        std::from_chars(name.data(), name.data() + name.size(), number);
    }
    return std::max<std::int64_t>(0, number);
}

} // namespace

std::string_view name(TrialState state)
{
    // The table is in the order of the enumeration.
    return kTrialStates[static_cast<std::size_t>(state)].second;
}

Result<SweepInfo> SweepStore::findOrAdd(const std::string& experimentFile,
                                        const std::string& identity, const std::string& runsFolder,
                                        double when)
{
    return guardMemory(kRunStoreName, [&]() -> Result<SweepInfo> {
        SweepInfo sweep;
        // One transaction, so that two sweeps that begin at once do not get the same number.
        const Result<void> done = m_database->transaction([&]() -> Result<void> {
            CANNERY_TRY_ASSIGN(const std::optional<SweepInfo> known,
                               find(experimentFile, identity));
            if (known) {
                sweep = *known;
                return {};
            }
            CANNERY_TRY_ASSIGN(const std::int64_t greatest, greatestNumber(runsFolder));
            sweep = {.name = fmt::format("{}{:03}", kPrefix, greatest + 1),
                     .experimentFile = experimentFile,
                     .identity = identity,
                     .startedAt = when};
            CANNERY_TRY_ASSIGN(Statement insert,
                               m_database->prepare("INSERT INTO sweeps (name, experiment_file, "
                                                   "identity, started_at) VALUES (?, ?, ?, ?)"));
            insert.bind(0, std::string_view(sweep.name))
                .bind(1, std::string_view(experimentFile))
                .bind(2, std::string_view(identity))
                .bind(3, when);
            return insert.run();
        });
        CANNERY_TRY(done);
        return sweep;
    });
}

Result<std::vector<SweepTrial>> SweepStore::trials(const std::string& sweep)
{
    return guardMemory(kRunStoreName, [&]() -> Result<std::vector<SweepTrial>> {
        CANNERY_TRY_ASSIGN(Statement rows,
                           m_database->prepare(fmt::format(
                               "SELECT {} FROM sweep_trials WHERE sweep = ? ORDER BY trial, rung",
                               kTrialColumns)));
        rows.bind(0, std::string_view(sweep));
        std::vector<SweepTrial> trials;
        while (true) {
            CANNERY_TRY_ASSIGN(const bool hasRow, rows.step());
            if (!hasRow) {
                return trials;
            }
            trials.push_back(trialOf(rows));
        }
    });
}

Result<void> SweepStore::put(const SweepTrial& trial)
{
    return guardMemory(kRunStoreName, [&]() -> Result<void> {
        CANNERY_TRY_ASSIGN(Statement insert,
                           m_database->prepare(fmt::format(
                               "INSERT OR REPLACE INTO sweep_trials ({}) VALUES (?, ?, ?, ?, ?, ?)",
                               kTrialColumns)));
        // A trial is written when it starts and again with its outcome, under the same key.
        const std::string overrides = jsonText(nlohmann::json(trial.overrides));
        insert.bind(0, std::string_view(trial.sweep))
            .bind(1, trial.trial)
            .bind(2, trial.rung)
            .bind(3, std::string_view(trial.run))
            .bind(4, std::string_view(overrides))
            .bind(5, name(trial.state));
        return insert.run();
    });
}

/// Erased first: an earlier result may have had metrics that this one has not.
Result<void> SweepStore::putFolds(const FoldResult& result)
{
    return guardMemory(kRunStoreName, [&]() -> Result<void> {
        return m_database->transaction([&]() -> Result<void> {
            CANNERY_TRY_ASSIGN(
                Statement erase,
                m_database->prepare("DELETE FROM sweep_folds WHERE sweep = ? AND first_trial = ?"));
            erase.bind(0, std::string_view(result.sweep)).bind(1, result.firstTrial);
            CANNERY_TRY(erase.run());
            CANNERY_TRY_ASSIGN(
                Statement insert,
                m_database->prepare("INSERT INTO sweep_folds (sweep, first_trial, metric, folds, "
                                    "diverged, mean, deviation) VALUES (?, ?, ?, ?, ?, ?, ?)"));
            for (const FoldMetric& metric : result.metrics) {
                insert.bind(0, std::string_view(result.sweep))
                    .bind(1, result.firstTrial)
                    .bind(2, std::string_view(metric.metric))
                    .bind(3, result.folds)
                    .bind(4, result.diverged)
                    .bind(5, metric.mean)
                    .bind(6, metric.deviation);
                CANNERY_TRY(insert.run());
            }
            return {};
        });
    });
}

Result<std::optional<FoldResult>> SweepStore::foldsOf(const std::string& run)
{
    return guardMemory(kRunStoreName, [&]() -> Result<std::optional<FoldResult>> {
        // DISTINCT, as a trial has a row for each rung and would repeat its metrics.
        CANNERY_TRY_ASSIGN(
            Statement rows,
            m_database->prepare(
                "SELECT DISTINCT f.sweep, f.first_trial, f.folds, f.diverged, f.metric, f.mean, "
                "f.deviation FROM sweep_folds f JOIN sweep_trials t ON t.sweep = f.sweep AND "
                "t.trial >= f.first_trial AND t.trial < f.first_trial + f.folds WHERE t.run = ? "
                "ORDER BY f.metric"));
        rows.bind(0, std::string_view(run));
        // SQLite stores NaN as NULL.
        const auto number = [&rows](int column) {
            return rows.isNull(column) ? std::numeric_limits<double>::quiet_NaN()
                                       : rows.real(column);
        };
        std::optional<FoldResult> result;
        while (true) {
            CANNERY_TRY_ASSIGN(const bool hasRow, rows.step());
            if (!hasRow) {
                return result;
            }
            if (!result) {
                result = FoldResult{.sweep = rows.text(0),
                                    .firstTrial = rows.integer(1),
                                    .folds = rows.integer(2),
                                    .diverged = rows.integer(3)};
            }
            result->metrics.push_back(
                {.metric = rows.text(4), .mean = number(5), .deviation = number(6)});
        }
    });
}

Result<std::optional<SweepInfo>> SweepStore::find(const std::string& experimentFile,
                                                  const std::string& identity)
{
    CANNERY_TRY_ASSIGN(
        Statement row,
        m_database->prepare("SELECT name, experiment_file, identity, started_at FROM sweeps WHERE "
                            "experiment_file = ? AND identity = ? ORDER BY started_at DESC, name"));
    row.bind(0, std::string_view(experimentFile)).bind(1, std::string_view(identity));
    CANNERY_TRY_ASSIGN(const bool hasRow, row.step());
    if (!hasRow) {
        return std::nullopt;
    }
    return SweepInfo{.name = row.text(0),
                     .experimentFile = row.text(1),
                     .identity = row.text(2),
                     .startedAt = row.real(3)};
}

/// Folders count, too: a store that was lost and rebuilt does not know the sweeps of its runs.
Result<std::int64_t> SweepStore::greatestNumber(const std::string& runsFolder)
{
    std::int64_t greatest = 0;
    CANNERY_TRY_ASSIGN(Statement rows, m_database->prepare("SELECT name FROM sweeps"));
    while (true) {
        CANNERY_TRY_ASSIGN(const bool hasRow, rows.step());
        if (!hasRow) {
            break;
        }
        greatest = std::max(greatest, numberIn(rows.text(0)));
    }
    std::error_code ignored; // without the folder there are no runs
    for (const auto& entry : std::filesystem::directory_iterator(runsFolder, ignored)) {
        greatest = std::max(greatest, numberIn(entry.path().filename().string()));
    }
    return greatest;
}

} // namespace cannery::storage
