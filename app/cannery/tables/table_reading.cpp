// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/tables/table_reading.h"

#include "core/survey/table_settings.h"

#include <fmt/core.h>

namespace cannery::app {

namespace {

constexpr ErrorKind kOnlyForLines{"command.usage.only_for_lines",
                                  "{} is not a text file: leave out --header and --skip-rows."};
constexpr ErrorKind kBadSkip{"command.usage.bad_skip_rows",
                             "--skip-rows must be from 0 to {}, not {}."};
constexpr std::int64_t kMostSkipped = 1'000'000;

} // namespace

void TableReading::declare(OptionSet& options)
{
    options.choice("--header", {"yes", "no"}, m_header,
                   "whether the table's first line has its columns' names (default: detected)");
    options.option("--skip-rows", "N", m_skipRows,
                   "lines above the table's header that are not part of it (default: detected)");
    m_choice.declare(options);
}

Result<void> TableReading::apply(spec::DataSource& source, const std::string& file) const
{
    CANNERY_TRY(m_choice.apply(source, file));
    return applyHeader(source, file);
}

Result<void> TableReading::applyOrFind(spec::DataSource& source, const std::string& file,
                                       const std::string& column) const
{
    CANNERY_TRY(m_choice.applyOrFind(source, file, column));
    return applyHeader(source, file);
}

Result<void> TableReading::applyHeader(spec::DataSource& source, const std::string& file) const
{
    if ((m_header || m_skipRows) && !survey::readsText(source)) {
        return fail(ErrorCode::InvalidArgument, kOnlyForLines, file);
    }
    if (m_skipRows && (*m_skipRows < 0 || *m_skipRows > kMostSkipped)) {
        return fail(ErrorCode::InvalidArgument, kBadSkip, kMostSkipped, *m_skipRows);
    }
    if (m_header) {
        survey::setField(source, "header", *m_header == "yes" ? "true" : "false");
    }
    if (m_skipRows) {
        survey::setField(source, "skip_rows", fmt::format("{}", *m_skipRows));
    }
    return {};
}

} // namespace cannery::app
