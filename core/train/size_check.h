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
    /// Valid, but for numbers that may lie above the range of their field; resolved or not.
    const spec::Experiment& experiment;
    std::string folder; ///< what its relative paths are relative to
    /// Where checkpoints go, or a folder above it; empty: `folder`.
    std::string modelDir = {};
};

/// Lowers the model without allocating it and adds up what training takes: memory for weights,
/// slots, gradients and a batch against plan::memoryLimit(), and two checkpoints, the old one and
/// the new one, against the free disk. Reads vocabulary files, but no data. Nothing when it fits.
///
/// "spec.too_large" and "spec.checkpoint_too_large" are bound to the field that weighs most, and
/// name what is needed, what there is and the largest number that would fit. Besides: what feature
/// columns cannot be made of ("features.…"), bound to their fields.
std::optional<Error> findSizeProblem(const SizeRequest& request);

/// Whether a field is a number that the memory of a model grows with.
bool isSizeField(const google::protobuf::FieldDescriptor& field);

} // namespace cannery::train
