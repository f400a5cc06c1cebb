// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"

#include <string>

namespace cannery {

/// `{"error":{"id","sentence","path","notes","arguments"}}` on one line: what a failing command
/// prints on stdout with --json.
std::string errorJson(const Error& error);

/// The object in it: `{"id",…}`.
std::string errorObjectJson(const Error& error);

/// `{"progress":0.4,"message":"…"}` on one line; a negative share is unknown.
std::string progressJson(double share, const std::string& message);

} // namespace cannery
