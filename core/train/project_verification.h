// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace cannery::train {

/// A file, or the files of one checkpoint or SavedModel, that is not as it was written.
struct DamagedPart
{
    std::string path; ///< below the project's folder
    Error error;
};

/// What was read of the store, of the annotations, of one run or of one export.
struct VerifiedPart
{
    std::string name; ///< "cannery.db", "annotations", "runs/run-001", "exports/titanic/1700000000"
    std::int64_t files = 0;
    std::uint64_t bytes = 0;
    /// Of these files: so many have no checksum (logs, graphs), they were read to their end.
    std::int64_t withoutChecksum = 0;
    std::vector<DamagedPart> damaged;
};

struct VerificationRequest
{
    std::string project;
    /// Called before each part with the share that is done, 0 … 1, and its name. May be empty.
    std::function<void(double, const std::string&)> progress;
};

/// Reads every byte of a project's store, annotations, runs, checkpoints and exports and holds it
/// against its checksums. Writes nothing. A run that is being trained is read as it stands; what
/// goes while it is read is no damage. "verify.no_project" when the folder holds nothing of these.
Result<std::vector<VerifiedPart>> verifyProject(const VerificationRequest& request);

} // namespace cannery::train
