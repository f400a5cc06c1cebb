// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/pipeline/feature_batch.h"

#include <fmt/core.h>

#include <cstddef>
#include <string>
#include <variant>

namespace cannery::tests {

/// "1.5 -" of a dense feature, "-" for an element that is missing; "[a b]" of a list.
inline std::string shown(const data::FeatureValues& values)
{
    std::string text;
    std::visit(
        [&](const auto& list) {
            for (std::size_t i = 0; i < list.size(); ++i) {
                const bool isThere = values.sparse || values.valid.empty() || values.valid[i] != 0;
                text +=
                    (i == 0 ? "" : " ") + (isThere ? fmt::format("{}", list[i]) : std::string("-"));
            }
        },
        values.elements);
    return values.sparse ? "[" + text + "]" : text;
}

} // namespace cannery::tests
