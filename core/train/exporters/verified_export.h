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
    std::int64_t rows = 20; ///< the number of first training rows that are predicted both ways
    /// Called with the written folder before it is verified; lets tests inject failures.
    std::function<void(const std::string&)> written;
};

struct VerifiedExport
{
    std::string path;
    exporting::Verification verification;
    /// Of rows with numbers next to boundaries of buckets and splits of trees: none if it has none.
    exporting::Verification edges;
    /// How many numbers of the evaluation graph were compared: its loss and metrics.
    std::int64_t verifiedMetrics = 0;
};

/// exportCheckpoint() into a temporary folder, then its predictions compared with the model's (see
/// exporting::verifySavedModel()), then one rename: a SavedModel that exists has been verified, and
/// after an error nothing of it exists. If the receiver leaves out features that the model reads,
/// or the rows cannot be read any more, nothing is compared: 0 rows.
Result<VerifiedExport> exportVerified(OpenedModel& model, const ModelExportRequest& request,
                                      const VerifiedExportOptions& options = {});

} // namespace cannery::train
