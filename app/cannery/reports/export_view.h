// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/reports/export.pb.h"
#include "storage/tf/graphs/saved_model.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cannery::app {

/// A written SavedModel, as commands report it.
struct ExportedModel
{
    std::string path;
    std::uint64_t bytes = 0;                              ///< of all its files
    std::map<std::string, storage::Signature> signatures; ///< of all its graphs
};

Result<ExportedModel> lookAtExport(const std::string& folder);

/// The same for programs; the model that it was made of and its check are added by the command.
reports::Export exportReport(const ExportedModel& model);

/// One line per signature: "predict: examples string [?] → probabilities float32 [?, 2], …".
std::vector<std::string>
signatureLines(const std::map<std::string, storage::Signature>& signatures);

} // namespace cannery::app
