// SPDX-License-Identifier: Apache-2.0
#include "core/base/check.h"

#include <fmt/core.h>

#include <cstdio>
#include <cstdlib>

namespace cannery {

namespace {
FatalErrorHandler s_fatalErrorHandler = nullptr;
} // namespace

void setFatalErrorHandler(FatalErrorHandler handler)
{
    s_fatalErrorHandler = handler;
}

void detail::checkFailed(const char* condition, const char* file, int line)
{
    const std::string sentence =
        fmt::format("Cannery has a bug: the check '{}' failed at {}:{}.", condition, file, line);
    // Not through fmt, which throws if standard error cannot be written.
    std::fputs((sentence + "\n").c_str(), stderr);
    if (s_fatalErrorHandler != nullptr) {
        s_fatalErrorHandler(sentence);
    }
    std::abort();
}

} // namespace cannery
