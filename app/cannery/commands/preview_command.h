// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/command.h"
#include "app/cannery/tables/table_reading.h"

namespace cannery::app {

/// `cannery preview FILE --rows N`: shows the first rows as the model sees them, tensor by tensor.
class PreviewCommand final : public Command
{
public:
    void declare(OptionSet& options) override;
    ExitCode run(Console& console) override;

private:
    ExitCode lookAtTable(Console& console) const;
    ExitCode remarkOnTable(Console& console) const;
    ExitCode listWords(Console& console) const;
    ExitCode showComponents(Console& console) const;
    std::int64_t rowsWanted() const;

    std::string m_file;
    std::vector<std::string> m_overrides;
    TableReading m_reading;
    std::optional<std::int64_t> m_rows;
    std::optional<std::string> m_progress;
    std::optional<std::string> m_words;
    std::optional<std::string> m_wordsFile;
    bool m_remarks = false;
    bool m_firstRows = false;
    bool m_buckets = false;
    bool m_components = false;
    bool m_json = false;
};

} // namespace cannery::app
