// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/runs/run_filter.h"

#include "ui/models/runs/run_fields.h"
#include "ui/models/runs/run_filter_parser.h"

#include <algorithm>

namespace cannery::ui {

RunFilter RunFilter::parse(const QString& text)
{
    RunFilter filter;
    filter.m_text = text;
    if (text.trimmed().isEmpty()) {
        return filter;
    }
    filter.m_root = parseFilter(text, filter.m_error);
    return filter;
}

bool RunFilter::matches(const RunRow& run) const
{
    return !m_root || m_root->matches(run);
}

QString RunFilter::unknownField(const QList<RunRow>& runs) const
{
    if (!m_root) {
        return {};
    }
    QStringList fields;
    m_root->collectFields(fields);
    for (const QString& field : std::as_const(fields)) {
        const bool isKnown = std::any_of(runs.begin(), runs.end(), [&](const RunRow& run) {
            return !fieldTexts(run, field).isEmpty();
        });
        if (!isKnown) {
            return field;
        }
    }
    return {};
}

} // namespace cannery::ui
