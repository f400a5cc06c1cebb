// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace cannery::exporting {

/// What stands for a message of the schema in TensorFlow: its class or function, whose arguments
/// are the message's fields.
struct CallableRow
{
    std::string_view message; ///< "NumericColumn"
    std::string_view callable;
    std::string_view tensorflow = "2.15"; ///< the last version that has it
    bool isSeveral = false;               ///< makes a list of columns, and in a graph only
    bool isObject = false; ///< an optimizer that is handed over itself, not made by a function
};

enum class FieldRule
{
    Skip,   ///< changes no number that a model computes, or is written elsewhere
    Always, ///< required in TensorFlow, also where the schema has a default
    Rename,
    Refuse, ///< unless it has its default
};

struct FieldRow
{
    std::string_view field; ///< "RunConfig.threads"
    FieldRule rule;
    std::string_view text = {}; ///< Rename: TensorFlow's argument. Refuse: the reason
};

/// nullptr if nothing in TensorFlow stands for the message.
const CallableRow* callableOf(std::string_view message);
std::span<const FieldRow> fieldRules();
/// nullptr for an argument like any other: the field's name, left out at its default.
const FieldRow* ruleOf(std::string_view field);

} // namespace cannery::exporting
