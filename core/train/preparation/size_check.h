// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/spec/experiment.pb.h"

#include <optional>
#include <string>

namespace google::protobuf {
class FieldDescriptor;
} // namespace google::protobuf

namespace cannery::train {

struct SizeRequest
{
    /// Valid, except that numbers may be above the range of their field; resolved or not.
    const spec::Experiment& experiment;
    std::string folder; ///< base of its relative paths
    /// Where checkpoints are written, or a folder above it; `folder` if empty.
    std::string modelDir = {};
};

/// Lowers the model without allocating it and adds up what training takes: memory for weights,
/// slots, gradients and a batch, compared with plan::memoryLimit(), and two checkpoints, the old
/// one and the new one, compared with the free disk space. Reads vocabulary files, but no data.
/// Nothing if it fits.
///
/// "spec.too_large" and "spec.checkpoint_too_large" are bound to the field with the largest effect,
/// and name what is needed, what is available and the largest number that would fit. In addition:
/// errors of feature columns ("features.…"), bound to their fields.
std::optional<Error> findSizeProblem(const SizeRequest& request);

/// Whether a field is a number that a model's memory grows with.
bool isSizeField(const google::protobuf::FieldDescriptor& field);

} // namespace cannery::train
