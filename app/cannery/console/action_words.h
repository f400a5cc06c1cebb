// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/catalog.h"
#include "core/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace cannery::app {

/// The error sentences of a command that has actions. Arguments: of `unknownAction` the action and
/// a suggestion, of `usage` the row's usage.
struct ActionWords
{
    ErrorKind unknownAction;
    ErrorKind usage;
};

/// Takes the first word as the action (if there are any words) and keeps the rest. `arguments` has
/// the members action and words; a row has key, usage, fewestWords and mostWords. Returns the row
/// of the action. Errors: an unknown action, a wrong number of words.
template <typename Rows, typename Arguments>
Result<const typename Rows::value_type*> chooseAction(const Rows& rows, const ActionWords& says,
                                                      const std::vector<std::string>& words,
                                                      Arguments& arguments)
{
    if (!words.empty()) {
        arguments.action = words.front();
        arguments.words.assign(words.begin() + 1, words.end());
    }
    const auto* row = findRow(rows, std::string_view(arguments.action));
    if (row == nullptr) {
        std::vector<std::string> names;
        for (const auto& known : rows) {
            names.emplace_back(known.key);
        }
        return fail(ErrorCode::InvalidArgument, says.unknownAction, arguments.action,
                    suggestion(arguments.action, names));
    }
    if (arguments.words.size() < row->fewestWords || arguments.words.size() > row->mostWords) {
        return fail(ErrorCode::InvalidArgument, says.usage, row->usage);
    }
    return row;
}

} // namespace cannery::app
