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

/// The sweeps of a project, stored in its run store: what belongs to which, and what is done. The
/// results are in the records of the runs.
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

private:
    Result<std::optional<SweepInfo>> find(const std::string& experimentFile,
                                          const std::string& identity);
    Result<std::int64_t> greatestNumber(const std::string& runsFolder);

    Database* m_database;
};

} // namespace cannery::storage
