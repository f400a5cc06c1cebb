// SPDX-License-Identifier: Apache-2.0
#include "core/survey/remark_list.h"

#include <fmt/core.h>

#include <algorithm>

namespace cannery::survey {

namespace {

constexpr std::size_t kMostNamed = 3;

} // namespace

void RemarkList::note(const ErrorKind& kind, const std::string& column, const std::string& figures,
                      std::vector<RemarkAction> actions)
{
    Group& group = m_groups[kind.id];
    group.columns.push_back(column);
    // Figures are shown if there is a single column only.
    group.figures = figures;
    group.actions = std::move(actions);
}

void RemarkList::close(const ErrorKind& kind)
{
    const auto found = m_groups.find(kind.id);
    if (found == m_groups.end()) {
        return;
    }
    Group& group = found->second;
    const bool isOne = group.columns.size() == 1;
    if (!isOne) {
        // Edits are for a single column.
        std::erase_if(group.actions,
                      [](const RemarkAction& action) { return !action.edits.empty(); });
        group.figures = fmt::format("{} columns", group.columns.size());
    }
    m_remarks.push_back(
        {.error = error(ErrorCode::InvalidArgument, kind, namedColumns(group.columns),
                        group.figures, isOne ? "it" : "them"),
         .columns = std::move(group.columns),
         .actions = std::move(group.actions)});
    m_groups.erase(found);
}

std::string namedColumns(const std::vector<std::string>& columns)
{
    // One more name takes no more room than "and 1 more".
    const std::size_t shown = columns.size() <= kMostNamed + 1 ? columns.size() : kMostNamed;
    std::string text;
    for (std::size_t i = 0; i < shown; ++i) {
        const bool isLast = i + 1 == columns.size();
        text += (i == 0 ? "" : isLast ? " and " : ", ") + fmt::format("'{}'", columns[i]);
    }
    return shown == columns.size() ? text
                                   : text + fmt::format(" and {} more", columns.size() - shown);
}

reports::Remarks remarksReport(const std::vector<TableRemark>& remarks)
{
    reports::Remarks report;
    for (const TableRemark& remark : remarks) {
        reports::Remark& row = *report.add_remarks();
        row.set_id(remark.error.id);
        row.set_level(remark.isNote ? "note" : "decision");
        row.mutable_columns()->Assign(remark.columns.begin(), remark.columns.end());
        row.set_sentence(remark.error.sentence);
        for (const RemarkAction& action : remark.actions) {
            reports::RemarkAction& made = *row.add_actions();
            made.set_kind(action.kind);
            for (const RemarkEdit& edit : action.edits) {
                reports::RemarkEdit& field = *made.add_edits();
                field.set_path(edit.path);
                field.set_text(edit.text);
            }
        }
    }
    return report;
}

} // namespace cannery::survey
