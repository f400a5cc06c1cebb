// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace cannery::train {

/// "cannery 0.1.0 x86-64-v4": the version and the instruction level in use (kernels::cpuLevel()),
/// for which bits are reproducible; with the model of a GPU that trains, "cannery 0.1.0 x86-64-v4
/// on NVIDIA H100 80GB HBM3".
std::string engineName(const std::string& gpu = {});

} // namespace cannery::train
