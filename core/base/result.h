// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"

#include <tl/expected.hpp>

namespace cannery {

/// A value, or the Error that says why there is none. Returned by functions that can fail; our code
/// never throws.
template <typename T>
using Result = tl::expected<T, Error>;

} // namespace cannery

/// Evaluates a Result; on failure returns its Error from the enclosing function.
#define CANNERY_TRY(expression)                                                                    \
    do {                                                                                           \
        if (auto canneryTryResult = (expression); !canneryTryResult) {                             \
            return tl::make_unexpected(std::move(canneryTryResult).error());                       \
        }                                                                                          \
    } while (false)

/// Evaluates a Result; on failure returns its Error from the enclosing function, otherwise binds
/// the value: `CANNERY_TRY_ASSIGN(const Table table, readTable(path));`
#define CANNERY_TRY_ASSIGN(declaration, expression)                                                \
    CANNERY_TRY_ASSIGN_NAMED(declaration, expression, CANNERY_CONCATENATE(canneryTry, __LINE__))
#define CANNERY_CONCATENATE(a, b) CANNERY_CONCATENATE_EXPANDED(a, b)
#define CANNERY_CONCATENATE_EXPANDED(a, b) a##b
#define CANNERY_TRY_ASSIGN_NAMED(declaration, expression, name)                                    \
    auto name = (expression);                                                                      \
    if (!name) {                                                                                   \
        return tl::make_unexpected(std::move(name).error());                                       \
    }                                                                                              \
    declaration = std::move(*name)
