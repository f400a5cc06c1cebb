// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/command.h"
#include "app/cannery/tables/table_reading.h"
#include "core/data/table_browser.h"

namespace cannery::app {

/// `cannery browse FILE`: rows of a table, filtered and sorted. With --serve, the window's helper:
/// see BrowseSession.
class BrowseCommand final : public Command
{
public:
    void declare(OptionSet& options) override;
    ExitCode run(Console& console) override;

private:
    Result<void> checkNumbers() const;
    Result<data::RowsPage> page(data::TableBrowser& browser, int threads, Console& console) const;
    void print(const data::TableBrowser& browser, const data::RowsPage& page,
               Console& console) const;

    std::string m_file;
    std::vector<std::string> m_overrides;
    TableReading m_reading;
    std::optional<std::int64_t> m_first;
    std::optional<std::int64_t> m_rows;
    std::optional<std::string> m_filter;
    std::optional<std::string> m_sort;
    std::optional<std::string> m_progress;
    bool m_descending = false;
    bool m_json = false;
    bool m_serve = false;
};

} // namespace cannery::app
