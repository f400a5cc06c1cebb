#pragma once

#include "app/cannery/command.h"

namespace cannery::app {

/// `cannery new FILE.csv --label L`: a good experiment to begin with for a table.
class NewCommand final : public Command
{
public:
    void declare(OptionSet& options) override;
    ExitCode run(Console& console) override;

private:
    std::string m_table;
    std::optional<std::string> m_label;
    std::optional<std::string> m_estimator;
    std::optional<std::string> m_output;
    bool m_json = false;
};

} // namespace cannery::app
