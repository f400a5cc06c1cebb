// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/command.h"
#include "app/cannery/tables/table_reading.h"
#include "core/advice/sentinel_tokens.h"
#include "core/data/sources/data_source.h"
#include "core/reports/new.pb.h"
#include "core/spec/experiment.pb.h"

#include <filesystem>

namespace cannery::app {

/// `cannery new FILE.csv --label L`: creates a good starting experiment for a table.
class NewCommand final : public Command
{
public:
    void declare(OptionSet& options) override;
    ExitCode run(Console& console) override;

private:
    struct Findings;
    struct Table;

    std::filesystem::path outputFile() const;
    spec::DataSource tableSource() const;
    Result<Table> openTable() const;
    static Result<void> followSuggested(Table& table);
    Result<void> leaveOutTotal(Table& table) const;
    void setSources(const Table& opened, advice::StartingExperiment& starting) const;
    Result<Findings> findOut(Console& console) const;
    bool isClustering() const;
    Result<void> chooseLabel(const Table& opened, Findings& findings) const;
    Result<void> readWhole(const Table& opened, Findings& findings) const;
    Result<std::vector<advice::ColumnSentinel>> takeSentinels(Table& opened,
                                                              Findings& findings) const;
    Result<void> chooseModel(Findings& findings, Console& console) const;
    reports::NewExperiment report(const Findings& findings) const;

    std::string m_table;
    std::optional<std::string> m_label;
    std::optional<std::string> m_estimator;
    std::optional<std::string> m_output;
    std::optional<std::string> m_delimiter;
    std::optional<std::string> m_encoding;
    std::optional<std::string> m_decimalMark;
    std::vector<std::string> m_numbers;
    std::optional<std::string> m_dateOrder;
    TableReading m_reading;
    std::vector<std::string> m_leaveOut;
    std::optional<std::string> m_progress;
    bool m_bestScore = false;
    bool m_noTries = false;
    bool m_skipBadRows = false;
    bool m_dryRun = false;
    bool m_json = false;
};

} // namespace cannery::app
