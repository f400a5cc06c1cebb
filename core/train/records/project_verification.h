// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace cannery::train {

/// A file, or the files of one checkpoint or SavedModel, that differs from what was written.
struct DamagedPart
{
    std::string path; ///< relative to the project's folder
    Error error;
};

/// Results for the store, the annotations, one run, one file of encoded rows or one export.
struct VerifiedPart
{
    std::string name; ///< "cannery.db", "annotations", "runs/run-001", "rows.cache",
                      ///< "exports/titanic/1700000000"
    std::int64_t files = 0;
    std::uint64_t bytes = 0;
    /// Number of these files without a checksum (logs, graphs), which were read to their end.
    std::int64_t withoutChecksum = 0;
    std::vector<DamagedPart> damaged;
};

struct VerificationRequest
{
    std::string project;
    /// Called before each part with the completed fraction, 0 … 1, and the part's name. May be
    /// empty.
    std::function<void(double, const std::string&)> progress;
};

/// Reads every byte of a project's store, annotations, runs, checkpoints, files of encoded rows and
/// exports and verifies their checksums. Writes nothing. A run in training is read in its current
/// state; files that disappear meanwhile are not damage. "verify.no_project" if the folder holds
/// none of these.
Result<std::vector<VerifiedPart>> verifyProject(const VerificationRequest& request);

} // namespace cannery::train
