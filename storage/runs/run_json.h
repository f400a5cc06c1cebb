// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/runs/run_record.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::storage {

/// The records of a run as JSON texts: one line for evaluations and exports, indented for separate
/// files. Each contains the CRC32C of its other members. Reading gives "run.damaged" for anything
/// that is not such a text, or was changed; an older one without a checksum is accepted.
std::string toJson(const RunInfo& info);
std::string toJson(const RunStatus& status);
std::string toJson(const RunEvaluation& evaluation);
std::string toJson(std::span<const RunCheckpoint> checkpoints);
std::string toJson(const RunExport& entry);
std::string toJson(const RunAnnotations& annotations);

Result<RunInfo> runInfoFromJson(const std::string& text);
Result<RunStatus> runStatusFromJson(const std::string& text);
Result<RunEvaluation> runEvaluationFromJson(const std::string& text);
Result<std::vector<RunCheckpoint>> runCheckpointsFromJson(const std::string& text);
Result<RunExport> runExportFromJson(const std::string& text);
Result<RunAnnotations> runAnnotationsFromJson(const std::string& text);

/// Whether a text is a single complete JSON object, with any content.
bool isCompleteJson(std::string_view text);

} // namespace cannery::storage
