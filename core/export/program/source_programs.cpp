// SPDX-License-Identifier: Apache-2.0
#include "core/export/program/source_programs.h"

#include "core/export/program/csv_program.h"
#include "core/export/program/npz_program.h"
#include "core/export/program/record_program.h"
#include "core/export/program/sqlite_program.h"

#include <algorithm>
#include <iterator>

namespace cannery::exporting {

namespace {

std::string plainNumberReader(const google::protobuf::Message& /*source*/)
{
    return "float";
}

std::string noDefinition(const google::protobuf::Message& /*source*/)
{
    return "";
}

constexpr SourceProgram kSources[] = {
    {"CsvSource", "csv glob gzip", csvReadFunction, csvReadCall, csvNumberReader,
     csvNumberReaderDefinition},
    {"TfRecordSource", "collections glob", recordReadFunction, recordReadCall, plainNumberReader,
     noDefinition, refuseRecordFields},
    {"SqliteSource", "contextlib pathlib sqlite3", sqliteReadFunction, sqliteReadCall,
     plainNumberReader, noDefinition},
    {"NpzSource", "glob", npzReadFunction, npzReadCall, plainNumberReader, noDefinition},
};

} // namespace

const SourceProgram* sourceProgram(const google::protobuf::Message& source)
{
    const auto* row =
        std::find_if(std::begin(kSources), std::end(kSources), [&](const SourceProgram& each) {
            return each.message == source.GetDescriptor()->name();
        });
    return row == std::end(kSources) ? nullptr : row;
}

} // namespace cannery::exporting
