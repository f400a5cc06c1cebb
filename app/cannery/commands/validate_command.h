// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/command.h"
#include "app/cannery/tables/table_reading.h"
#include "app/cannery/tables/validation_report.h"
#include "core/base/result.h"

#include <optional>
#include <string>

namespace cannery::app {

/// `cannery validate FILE`: statistics of a table, what they contradict in a schema.pbtxt, and how
/// far training and evaluation are apart.
class ValidateCommand final : public Command
{
public:
    void declare(OptionSet& options) override;
    ExitCode run(Console& console) override;

private:
    Result<ValidationReport> validate() const;

    std::string m_file;
    std::optional<std::string> m_schema;
    std::optional<std::string> m_environment;
    std::optional<std::string> m_eval;
    TableReading m_reading;
    bool m_json = false;
};

} // namespace cannery::app
