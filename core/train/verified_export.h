// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/export/verification.h"
#include "core/train/exporters/exporter.h"
#include "core/train/opened_model.h"

#include <cstdint>
#include <functional>
#include <string>

namespace cannery::train {

struct VerifiedExportOptions
{
    std::int64_t rows = 20; ///< so many of the first training rows are predicted both ways
    /// Called with the written folder before it is verified; for tests of what may go wrong.
    std::function<void(const std::string&)> written;
};

struct VerifiedExport
{
    std::string path;
    exporting::Verification verification;
};

/// exportCheckpoint() into a folder aside, then its predictions compared with the model's (see
/// exporting::verifySavedModel()), then one rename: a SavedModel that is there is one that works,
/// and after any error nothing of it is there. Where the receiver leaves out features that the
/// model reads, or the rows cannot be read any more, nothing is compared: 0 rows.
Result<VerifiedExport> exportVerified(OpenedModel& model, const ModelExportRequest& request,
                                      const VerifiedExportOptions& options = {});

} // namespace cannery::train
