// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/catalog.h"
#include "core/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace cannery::app {

/// How a command with actions speaks of its words; sentences with the action and the known ones,
/// and with the usage of the row.
struct ActionWords
{
    ErrorKind unknownAction;
    ErrorKind usage;
};

/// The first of a command's words is its action, unless there are none; the others go with it.
/// `arguments` has the members action and words, a row key, usage, fewestWords and mostWords.
/// The row that the action means: "command.usage" for an unknown action or a wrong number of words.
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
