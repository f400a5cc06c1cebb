// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/sources/data_source.h"
#include "core/spec/data.pb.h"
#include "storage/tabular/table_chunk.h"

#include <fmt/core.h>
#include <google/protobuf/text_format.h>

#include <QtGlobal>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cannery::tests {

using Texts = std::vector<std::vector<std::string>>;

/// A source by its message's text.
inline spec::DataSource recordSource(const std::string& text)
{
    spec::DataSource source;
    if (!google::protobuf::TextFormat::ParseFromString(text, &source)) {
        qFatal("the test's source is wrong");
    }
    return source;
}

/// Every cell of every row as text, "-" where it is missing.
inline Texts recordCells(const storage::TableChunk& chunk)
{
    Texts rows(chunk.rows);
    for (const storage::TableColumn& column : chunk.columns) {
        for (std::size_t row = 0; row < chunk.rows; ++row) {
            std::string text = "-";
            if (column.isValid(row)) {
                std::visit(
                    [&](const auto& values) {
                        if constexpr (std::is_same_v<std::decay_t<decltype(values)>,
                                                     StringColumn>) {
                            text = std::string(values[row]);
                        } else {
                            text = fmt::format("{}", values[row]);
                        }
                    },
                    column.values);
            }
            rows[row].push_back(text);
        }
    }
    return rows;
}

/// All rows of a source.
struct RecordRows
{
    Texts rows;
    data::ReadReport report;
    std::optional<std::string> fingerprint;
};

inline Result<RecordRows> readRecords(const data::DataSource& source,
                                      data::ChunkRequest request = {})
{
    if (request.columns.empty()) {
        for (const std::string& name : source.schema().names()) {
            request.columns.push_back({.column = name});
        }
    }
    CANNERY_TRY_ASSIGN(const std::unique_ptr<data::ChunkStream> stream, source.read(request));
    RecordRows table;
    while (true) {
        CANNERY_TRY_ASSIGN(std::optional<storage::TableChunk> chunk, stream->next());
        if (!chunk) {
            table.report = stream->report();
            table.fingerprint = stream->fingerprint();
            return table;
        }
        const Texts rows = recordCells(std::move(*chunk));
        table.rows.insert(table.rows.end(), rows.begin(), rows.end());
    }
}

} // namespace cannery::tests
