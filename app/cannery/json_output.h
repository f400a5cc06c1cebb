// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"

#include <string>

namespace cannery::app {

/// `{"error":{"id","sentence","path","notes","arguments"}}`, one line: what a command with --json
/// prints on stdout when it fails.
std::string errorJson(const Error& error);

/// `{"progress":0.4,"message":"…"}`, one line; a share below 0 is not known.
std::string progressJson(double share, const std::string& message);

} // namespace cannery::app
