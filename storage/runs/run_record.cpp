// SPDX-License-Identifier: Apache-2.0
#include "storage/runs/run_record.h"

#include <array>
#include <utility>

namespace cannery::storage {
namespace {

constexpr std::array<std::pair<RunState, std::string_view>, 9> kStates{{
    {RunState::Queued, "Queued"},
    {RunState::Preparing, "Preparing"},
    {RunState::Running, "Running"},
    {RunState::Paused, "Paused"},
    {RunState::Finishing, "Finishing"},
    {RunState::Finished, "Finished"},
    {RunState::Stopped, "Stopped"},
    {RunState::Failed, "Failed"},
    {RunState::Interrupted, "Interrupted"},
}};

} // namespace

std::string_view name(RunState state)
{
    for (const auto& [value, text] : kStates) {
        if (value == state) {
            return text;
        }
    }
    return "";
}

std::optional<RunState> runStateFromName(std::string_view name)
{
    for (const auto& [value, text] : kStates) {
        if (text == name) {
            return value;
        }
    }
    return std::nullopt;
}

bool needsOwner(RunState state)
{
    return state == RunState::Preparing || state == RunState::Running ||
           state == RunState::Paused || state == RunState::Finishing;
}

std::string describe(const SliceGroup& group)
{
    if (group.merged > 0) {
        return std::to_string(group.merged) + " small groups";
    }
    std::string text;
    for (const std::optional<std::string>& value : group.values) {
        text += (text.empty() ? "" : ", ") + value.value_or(std::string(kMissingValue));
    }
    return text;
}

} // namespace cannery::storage
