// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <optional>
#include <utility>

namespace cannery::plan {

/// The first error of an accelerator, after which nothing is known of what is there: whatever uses
/// it has failed from then on.
class DeviceFailure
{
public:
    bool hasHappened() const { return m_error.has_value(); }
    /// The error, if there was one.
    Result<void> check() const
    {
        return m_error ? Result<void>(tl::make_unexpected(*m_error)) : Result<void>();
    }
    /// Gives back the outcome.
    Result<void> keep(Result<void> outcome)
    {
        if (!outcome) {
            m_error = outcome.error();
        }
        return outcome;
    }

private:
    std::optional<Error> m_error;
};

} // namespace cannery::plan
