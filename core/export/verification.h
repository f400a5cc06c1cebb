// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/pipeline/feature_batch.h"
#include "core/features/feature_emitter.h"
#include "core/heads/prediction.h"
#include "core/metrics/metric.h"

#include <cstdint>
#include <set>
#include <span>
#include <string>

namespace cannery::exporting {

/// The agreement between a written SavedModel and the model it was made from.
struct Verification
{
    std::int64_t rows = 0;  ///< compared; a row that a client could not send is left out
    std::int64_t equal = 0; ///< number of those that are equal
    /// Largest difference of a number, relative if the number is above 1.
    double maxDifference = 0;
};

struct VerificationRequest
{
    const data::FeatureBatch& rows; ///< raw features: all inputs of the receiver
    /// The model's predictions for these rows, as returned by heads.
    std::span<const heads::Prediction> expected;
    features::Receiver receiver = features::Receiver::Parsing;
    bool areEdges = false;              ///< rows that putEdges() has changed: another sentence
    std::set<std::string> numbers = {}; ///< features::numberFeatures() of the model
};

/// Loads the folder again and runs the rows through its own graph, variables and vocabularies (see
/// GraphRunner), as a client of a server would: serialized tf.Examples, or one tensor per feature;
/// once as the graph was written, and once with the arithmetic that TensorFlow's optimizer makes of
/// it. "export.disagrees" (or "export.disagrees_at_boundaries") names the first prediction that
/// differs by more than 1e-5 of its size, or of the sizes of the terms that it is the sum of (see
/// Rounding); anything that cannot be loaded or run is an error too.
Result<Verification> verifySavedModel(const std::string& folder,
                                      const VerificationRequest& request);

struct EvaluationCheck
{
    const data::FeatureBatch& rows; ///< with labels, and all features of training
    /// Loss and metrics of the model over these rows as one batch, among others.
    std::span<const metrics::MetricValue> expected;
    std::set<std::string> numbers = {}; ///< features::numberFeatures() of the model
};

/// The same for the graph tagged "eval": loss and metrics. Returns how many were compared: none if
/// the rows cannot be sent. "export.evaluation_disagrees" names the first that differs.
Result<std::int64_t> verifyEvaluation(const std::string& folder, const EvaluationCheck& check);

} // namespace cannery::exporting
