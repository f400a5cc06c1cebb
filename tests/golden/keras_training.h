// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace cannery::tests {

/// Trains the model of a folder `training/<case>` as Keras's fit() did, from its initial weights
/// and with its rows in order, and compares the loss of every step, an evaluation, predictions and
/// what is left: a sentence for each difference. Errors: what we lack for the case.
Result<std::vector<std::string>> compareKerasTraining(const std::filesystem::path& folder,
                                                      int threads);

} // namespace cannery::tests
