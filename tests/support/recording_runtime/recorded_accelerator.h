// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "kernels/accelerator/accelerator.h"
#include "tests/support/recording_runtime/recording_runtime.h"

#include <memory>

namespace cannery::tests {

/// The accelerator of CUDA over a recording runtime. The journal outlives it.
Result<std::unique_ptr<kernels::Accelerator>> recordedAccelerator(RuntimeJournal& journal,
                                                                  const RecordingOptions& options);

} // namespace cannery::tests
