// SPDX-License-Identifier: Apache-2.0
#include "core/export/program/refused_fields.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>

namespace cannery::exporting {

namespace {

constexpr ErrorKind kNoCounterpart{"program.no_counterpart",
                                   "tf.estimator cannot express this experiment: {}."};

} // namespace

void RefusedFields::add(std::string_view path, std::string_view reason)
{
    if (std::find(m_paths.begin(), m_paths.end(), path) == m_paths.end()) {
        m_paths.emplace_back(path);
        m_reasons.emplace_back(reason);
    }
}

Result<void> RefusedFields::result() const
{
    if (empty()) {
        return {};
    }
    std::string all;
    for (std::size_t i = 0; i < m_paths.size(); ++i) {
        all += fmt::format("{}{}: {}", all.empty() ? "" : "; ", m_paths[i], m_reasons[i]);
    }
    return tl::make_unexpected(
        error(ErrorCode::Unimplemented, kNoCounterpart, all).at(m_paths.front()));
}

} // namespace cannery::exporting
