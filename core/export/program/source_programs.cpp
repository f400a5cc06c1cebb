// SPDX-License-Identifier: Apache-2.0
#include "core/export/program/source_programs.h"

#include "core/export/program/csv_program.h"

#include <algorithm>
#include <iterator>

namespace cannery::exporting {

namespace {

constexpr SourceProgram kSources[] = {
    {"CsvSource", csvReadFunction, csvReadCall, csvNumberReader, csvNumberReaderDefinition},
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
