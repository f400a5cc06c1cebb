// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace cannery::cluster {

/// Environment variables by name: what launchers pass to their processes.
using Environment = std::map<std::string, std::string, std::less<>>;

/// The variables of this process. Not while another thread changes them.
Environment environmentOfProcess();

/// The value of a variable; empty if it is not set.
std::string_view valueOf(const Environment& environment, std::string_view variable);

} // namespace cannery::cluster
