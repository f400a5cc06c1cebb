// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/feature_batch.h"
#include "core/features/feature_emitter.h"
#include "core/heads/prediction.h"

#include <cstdint>
#include <span>
#include <string>

namespace cannery::exporting {

/// How far a written SavedModel and the model it was made of agree.
struct Verification
{
    std::int64_t rows = 0;  ///< compared; a row that a client could not send is left out
    std::int64_t equal = 0; ///< of these
    /// Largest difference of a number, relative to it where it is above 1.
    double maxDifference = 0;
};

struct VerificationRequest
{
    const data::FeatureBatch& rows; ///< raw features: all that the receiver takes
    /// What the model says of these rows, as heads give it.
    std::span<const heads::Prediction> expected;
    features::Receiver receiver = features::Receiver::Parsing;
};

/// Loads the folder again and runs the rows through its own graph, variables and vocabularies (see
/// GraphRunner), as a client of a server would: serialized tf.Examples, or a tensor a feature.
/// "export.disagrees" names the first prediction that differs by more than 1e-5; everything that
/// cannot be loaded or run is an error too.
Result<Verification> verifySavedModel(const std::string& folder,
                                      const VerificationRequest& request);

} // namespace cannery::exporting
