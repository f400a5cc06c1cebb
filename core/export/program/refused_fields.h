// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace cannery::exporting {

/// What keeps an experiment from being a program of tf.estimator: fields and why. Collected, so
/// that a person sees all of them at once.
class RefusedFields
{
public:
    /// `path`: of the field, from the experiment. `reason`: a sentence without its full stop.
    void add(std::string_view path, std::string_view reason);
    bool empty() const { return m_reasons.empty(); }
    /// Error "program.no_counterpart", bound to the first field.
    Result<void> result() const;

private:
    std::vector<std::string> m_paths;
    std::vector<std::string> m_reasons;
};

} // namespace cannery::exporting
