// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace cannery::train {

/// "cannery 0.1.0 x86-64-v4": the version and the level of instructions in use
/// (kernels::cpuLevel()), which promised bits hold for.
std::string engineName();

/// Threads that the experiment's `run_config.threads` means: 0 is every core this process may use.
int threadCount(long long configured);

} // namespace cannery::train
