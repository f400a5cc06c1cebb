#pragma once

#include <string>

namespace cannery::train {

/// "cannery 0.1.0 x86-64-v3": the version and the instruction set that promised bits hold for.
std::string engineName();

/// Threads that the experiment's `run_config.threads` means: 0 is every core this process may use.
int threadCount(long long configured);

} // namespace cannery::train
