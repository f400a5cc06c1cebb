// SPDX-License-Identifier: Apache-2.0
#include "core/survey/remark_list.h"

#include "core/base/json_text.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

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
    const std::size_t shown = columns.size() <= kMostNamed + 1 ? columns.size() : kMostNamed;
    std::string text;
    for (std::size_t i = 0; i < shown; ++i) {
        const bool isLast = i + 1 == columns.size();
        text += (i == 0 ? "" : isLast ? " and " : ", ") + fmt::format("'{}'", columns[i]);
    }
    return shown == columns.size() ? text
                                   : text + fmt::format(" and {} more", columns.size() - shown);
}

std::string remarksJson(const std::vector<TableRemark>& remarks)
{
    using Json = nlohmann::ordered_json;
    Json list = Json::array();
    for (const TableRemark& remark : remarks) {
        Json actions = Json::array();
        for (const RemarkAction& action : remark.actions) {
            Json edits = Json::array();
            for (const RemarkEdit& edit : action.edits) {
                edits.push_back({{"path", edit.path}, {"text", edit.text}});
            }
            actions.push_back({{"kind", action.kind}, {"edits", std::move(edits)}});
        }
        list.push_back({{"id", remark.error.id},
                        {"level", remark.isNote ? "note" : "decision"},
                        {"columns", remark.columns},
                        {"sentence", remark.error.sentence},
                        {"actions", std::move(actions)}});
    }
    return jsonText(list);
}

} // namespace cannery::survey
