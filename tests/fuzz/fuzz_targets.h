// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

/// Each reads arbitrary bytes with the reader it is named after. It returns for any input; a
/// violated guarantee, a leak or an invalid memory access aborts the process.
namespace cannery::tests {

void fuzzCheckpointEntries(std::string_view bytes);
void fuzzCheckpointFiles(std::string_view bytes);
void fuzzCheckpointState(std::string_view bytes);
void fuzzControlMessage(std::string_view bytes);
void fuzzCsv(std::string_view bytes);
void fuzzDataFile(std::string_view bytes);
void fuzzEventFile(std::string_view bytes);
void fuzzEventMessage(std::string_view bytes);
void fuzzExample(std::string_view bytes);
void fuzzExperimentText(std::string_view bytes);
void fuzzGraphDef(std::string_view bytes);
void fuzzGraphDefText(std::string_view bytes);
void fuzzImage(std::string_view bytes);
void fuzzInflate(std::string_view bytes);
void fuzzMetadataSchema(std::string_view bytes);
void fuzzNumber(std::string_view bytes);
void fuzzRecordFile(std::string_view bytes);
void fuzzRowFile(std::string_view bytes);
void fuzzRunRecord(std::string_view bytes);
void fuzzSavedModel(std::string_view bytes);
void fuzzSavedModelText(std::string_view bytes);
void fuzzSpecOverride(std::string_view bytes);
void fuzzTable(std::string_view bytes);

} // namespace cannery::tests
