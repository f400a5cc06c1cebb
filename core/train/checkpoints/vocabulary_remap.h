// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/plan/model.h"
#include "core/spec/training.pb.h"
#include "storage/tf/tensor.h"

#include <cstdint>
#include <string>

namespace cannery::train {

/// Fills a variable, one axis of which enumerates the words of a vocabulary (and then the buckets
/// of unknown words), from a tensor made with another vocabulary: entries of the same word are
/// moved, everything else comes from the backup initializer. Errors: "train.warm_start_vocabulary",
/// "train.warm_start_words".
Result<void> remapVocabulary(const spec::WarmStartVocabulary& info, const std::string& folder,
                             const storage::HostTensor& old, const plan::StateTensor& variable,
                             std::uint64_t seed);

} // namespace cannery::train
