// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/command.h"
#include "app/cannery/tables/table_reading.h"
#include "core/base/result.h"
#include "core/data/sources/data_source.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>

namespace cannery::app {

/// `cannery convert IN OUT`: writes a table of any kind as CSV, or as TFRecord with a schema.pbtxt.
class ConvertCommand final : public Command
{
public:
    void declare(OptionSet& options) override;
    ExitCode run(Console& console) override;

private:
    Result<std::unique_ptr<data::DataSource>> openInput() const;
    /// `stop`: set once the conversion is to end, without a file.
    Result<void> convert(Console& console, const std::atomic<bool>& stop) const;

    std::string m_input;
    std::string m_output;
    std::optional<std::string> m_schema;
    TableReading m_reading;
    bool m_skipBadRows = false;
    bool m_json = false;
};

} // namespace cannery::app
