// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/roles.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace cannery::cluster {
namespace {

constexpr ErrorKind kBadRoles{
    "cluster.bad_roles",
    "The roles \"{}\" cannot be read at \"{}\". Write each type once, with its number of tasks: "
    "chief:1,worker:7,ps:2,evaluator:1."};
constexpr ErrorKind kBadRoleCount{"cluster.bad_role_count",
                                  "The roles \"{}\" have {} tasks of type chief and {} of type "
                                  "worker. There must be one chief at "
                                  "most, and a chief or a worker, so that someone trains."};

struct Role
{
    TaskType type = TaskType::Worker;
    int count = 0;
};

/// "worker:7".
std::optional<Role> roleOf(std::string_view text)
{
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) {
        return std::nullopt;
    }
    const std::optional<TaskType> type = taskTypeOf(text.substr(0, colon));
    const std::string_view digits = text.substr(colon + 1);
    int count = 0;
    const auto [stop, failure] =
        std::from_chars(digits.data(), digits.data() + digits.size(), count);
    const bool isWhole = failure == std::errc() && stop == digits.data() + digits.size();
    if (!type || !isWhole || count < 0 || count > kMostTasks) {
        return std::nullopt;
    }
    return Role{*type, count};
}

} // namespace

Result<std::vector<Task>> parseRoles(std::string_view roles)
{
    std::vector<Task> tasks;
    std::set<TaskType> types;
    std::string_view rest = roles;
    for (bool isMore = true; isMore;) {
        const std::string_view text = rest.substr(0, rest.find(','));
        isMore = text.size() < rest.size();
        rest.remove_prefix(text.size() + (isMore ? 1 : 0));
        const std::optional<Role> role = roleOf(text);
        // A type that comes twice is a mistake, not a sum.
        const bool isNew = role && types.insert(role->type).second;
        if (!isNew || tasks.size() + static_cast<std::size_t>(role->count) > kMostTasks) {
            return fail(ErrorCode::InvalidArgument, kBadRoles, roles, text);
        }
        // Addresses are filled in by the launcher.
        for (int index = 0; index < role->count; ++index) {
            tasks.push_back({role->type, index, {}});
        }
    }
    const auto count = [&](TaskType type) {
        return std::count_if(tasks.begin(), tasks.end(),
                             [&](const Task& task) { return task.type == type; });
    };
    const auto chiefs = count(TaskType::Chief);
    const auto workers = count(TaskType::Worker);
    // Parameter servers and evaluators alone train nothing.
    if (chiefs > 1 || chiefs + workers == 0) {
        return fail(ErrorCode::InvalidArgument, kBadRoleCount, roles, chiefs, workers);
    }
    return tasks;
}

} // namespace cannery::cluster
