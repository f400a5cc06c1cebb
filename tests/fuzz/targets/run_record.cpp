// SPDX-License-Identifier: Apache-2.0
#include "core/data/pipeline/pipeline.h"
#include "storage/runs/run_json.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/fuzz/fuzz_targets.h"

namespace cannery::tests {

using namespace cannery::storage;

namespace {

/// What was parsed is written, and read again with the same result.
template <typename Record>
void readAndWrite(const std::string& text, Result<Record> (*read)(const std::string&))
{
    const Result<Record> record = read(text);
    if (!record) {
        FUZZ_REQUIRE(!record.error().sentence.empty());
        return;
    }
    const std::string written = toJson(*record);
    const Result<Record> again = read(written);
    FUZZ_REQUIRE(again && toJson(*again) == written);
}

void readPosition(std::string_view text)
{
    const data::PipelineOptions options{.rows = 40, .shuffle = true, .seed = 42};
    const auto position = data::positionFromText(text, options);
    if (position) {
        const std::string written = data::toText(options, *position);
        const auto again = data::positionFromText(written, options);
        FUZZ_REQUIRE(again && *again == *position);
    }
}

} // namespace

/// The files of a run's folder; the first byte selects one.
void fuzzRunRecord(std::string_view bytes)
{
    constexpr unsigned kKinds = 6;
    const unsigned kind = takeByte(bytes) % kKinds;
    const std::string text(bytes);
    switch (kind) {
    case 0:
        return readAndWrite<RunInfo>(text, runInfoFromJson);
    case 1:
        return readAndWrite<RunStatus>(text, runStatusFromJson);
    case 2:
        return readAndWrite<RunEvaluation>(text, runEvaluationFromJson);
    case 3:
        return readAndWrite<std::vector<RunCheckpoint>>(text, runCheckpointsFromJson);
    case 4:
        return readAndWrite<RunExport>(text, runExportFromJson);
    default:
        return readPosition(text);
    }
}

} // namespace cannery::tests
