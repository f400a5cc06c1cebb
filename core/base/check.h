// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace cannery {

/// Called once with the sentence of a failed CANNERY_CHECK, before the process aborts.
using FatalErrorHandler = void (*)(std::string_view sentence);

/// Installs the handler with which the engine records the failure of its run. Not thread-safe; call
/// it from main().
void setFatalErrorHandler(FatalErrorHandler handler);

namespace detail {
[[noreturn]] void checkFailed(const char* condition, const char* file, int line);
} // namespace detail

} // namespace cannery

/// For our own bugs only, never for bad input: reports it and aborts the process.
#define CANNERY_CHECK(condition)                                                                   \
    do {                                                                                           \
        if (!(condition)) [[unlikely]] {                                                           \
            ::cannery::detail::checkFailed(#condition, __FILE__, __LINE__);                        \
        }                                                                                          \
    } while (false)
