// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
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

/// A JSON array of `{"name","method","inputs":[{"name","dtype","shape"}],"outputs":[…]}`; a
/// dimension of -1 is the batch.
std::string signaturesJson(const std::map<std::string, storage::Signature>& signatures);

/// One line per signature: "predict: examples string [?] → probabilities float32 [?, 2], …".
std::vector<std::string>
signatureLines(const std::map<std::string, storage::Signature>& signatures);

} // namespace cannery::app
