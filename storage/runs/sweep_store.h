// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::storage {

class Database;

enum class TrialState
{
    Started,
    Done,
    Diverged, ///< its loss was not a number
};

/// "Done"; also the text in the store.
std::string_view name(TrialState state);

/// Many runs of one experiment that try other values of some of its fields.
struct SweepInfo
{
    std::string name;           ///< "sweep-001", unique in the project
    std::string experimentFile; ///< absolute
    std::string identity;       ///< the same for the same experiment
    double startedAt = 0;       ///< seconds since 1970

    bool operator==(const SweepInfo&) const = default;
};

/// A stage of a trial, which is a run, or one that this run has passed.
struct SweepTrial
{
    std::string sweep;
    std::int64_t trial = 0; ///< from 0
    std::int64_t rung = 0;  ///< of successive halving; otherwise 0
    std::string run;
    std::vector<std::string> overrides; ///< as --set takes them
    TrialState state = TrialState::Started;

    bool operator==(const SweepTrial&) const = default;
};

/// A metric over the folds of a cross-validation.
struct FoldMetric
{
    std::string metric;
    double mean = 0;      ///< NaN if it is not a number in some fold
    double deviation = 0; ///< of the sample; NaN for a single fold

    bool operator==(const FoldMetric&) const = default;
};

/// The trials that differ by their fold alone, and what they have found together.
struct FoldResult
{
    std::string sweep;
    std::int64_t firstTrial = 0; ///< the others follow it
    std::int64_t folds = 0;
    std::int64_t diverged = 0; ///< folds whose loss was not a number; their metrics are left out
    std::vector<FoldMetric> metrics;

    bool operator==(const FoldResult&) const = default;
};

/// The sweeps of a project, stored in its run store: what belongs to which, what is done,
/// and what folds have found together. The results of a run are in its records.
class SweepStore
{
public:
    /// `database` is the run store's and must outlive this object.
    explicit SweepStore(Database& database) : m_database(&database) {}

    /// The sweep of this file and identity, the newest if there are several; a new one if there is
    /// none, whose name no folder in `runsFolder` begins with.
    Result<SweepInfo> findOrAdd(const std::string& experimentFile, const std::string& identity,
                                const std::string& runsFolder, double when);
    /// By trial and rung.
    Result<std::vector<SweepTrial>> trials(const std::string& sweep);
    /// Adds the stage, or replaces it.
    Result<void> put(const SweepTrial& trial);
    /// Replaces what was known of these folds.
    Result<void> putFolds(const FoldResult& result);
    /// Of the folds that a run is one of; nothing if it is none, or not all of them have ended.
    Result<std::optional<FoldResult>> foldsOf(const std::string& run);

private:
    Result<std::optional<SweepInfo>> find(const std::string& experimentFile,
                                          const std::string& identity);
    Result<std::int64_t> greatestNumber(const std::string& runsFolder);

    Database* m_database;
};

} // namespace cannery::storage
