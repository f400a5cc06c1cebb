// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/tables/reading_remarks.h"

#include "core/base/counted.h"
#include "core/base/printable.h"
#include "core/data/data_errors.h"
#include "core/survey/table_settings.h"

#include <fmt/core.h>

namespace cannery::app {

Result<std::vector<std::string>> readingRemarks(const data::DataSource& source,
                                                const spec::DataSource& message, bool isGuessed)
{
    if (source.schema().sawAllRows && source.schema().rowsSeen == 0) {
        return fail(ErrorCode::InvalidArgument, data::kNoRows, source.files().front());
    }
    std::vector<std::string> remarks = source.schema().warnings;
    for (const data::SourceSetting& setting : source.settings()) {
        if (isGuessed && setting.field == "encoding" && !setting.isDetected &&
            setting.value != spec::TextEncoding::Name_Name(spec::TextEncoding::utf8)) {
            remarks.push_back(fmt::format("Read with encoding: {} (it is not UTF-8, and its "
                                          "letters are as Windows writes them)",
                                          setting.value));
        }
    }
    if (survey::readsText(message)) {
        // Notes below a column of numbers, filled up with delimiters, are found by reading it.
        data::ChunkRequest request{.maxRefused = 0};
        const data::ColumnSchema& first = source.schema().columns.front();
        if (first.dtype != DType::String && !first.listOf) {
            request.columns.push_back({.column = first.name});
        }
        CANNERY_TRY_ASSIGN(const std::unique_ptr<data::ChunkStream> stream, source.read(request));
        for (bool isOver = false; !isOver;) {
            CANNERY_TRY_ASSIGN(const std::optional<storage::TableChunk> chunk, stream->next());
            isOver = !chunk;
        }
        const data::ReadReport report = stream->report();
        remarks.insert(remarks.end(), report.warnings.begin(), report.warnings.end());
    }
    for (std::string& remark : remarks) {
        remark = printable(remark);
    }
    return remarks;
}

std::vector<std::string> leftOutRemarks(const data::ReadReport& report)
{
    if (report.badRowCount == 0) {
        return {};
    }
    return {printable(fmt::format("Left out {} that cannot be read, the first: {}",
                                  counted(static_cast<std::int64_t>(report.badRowCount), "row"),
                                  report.badRows.front()))};
}

} // namespace cannery::app
