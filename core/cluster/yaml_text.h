// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/json_text.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace cannery::cluster {

/// Whether YAML reads this text as the same text without quotes: a letter, then letters, digits and
/// `-./_`, and none of the words that YAML 1.1 reads as something else.
inline bool isPlainYaml(std::string_view text)
{
    constexpr std::array<std::string_view, 9> kWords{"true", "false", "yes",  "no", "on",
                                                     "off",  "null",  "none", "y"};
    constexpr std::string_view kMarks = "-./_";
    const auto isLetter = [](char character) {
        return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
    };
    std::string lower(text);
    for (char& character : lower) {
        character = character >= 'A' && character <= 'Z' ? static_cast<char>(character - 'A' + 'a')
                                                         : character;
    }
    return !text.empty() && isLetter(text.front()) && lower != "n" &&
           std::find(kWords.begin(), kWords.end(), lower) == kWords.end() &&
           std::all_of(text.begin(), text.end(), [&](char character) {
               return isLetter(character) || (character >= '0' && character <= '9') ||
                      kMarks.find(character) != std::string_view::npos;
           });
}

/// A value of the JSON library as YAML, indented by two, in the order of its keys. Texts that YAML
/// could take for something else are written as JSON, which YAML contains.
template <typename Json>
std::string yamlText(const Json& value, std::size_t indent = 0)
{
    const std::string margin(indent, ' ');
    std::string text;
    if (value.is_object() && !value.empty()) {
        for (const auto& [key, entry] : value.items()) {
            const bool isBlock = entry.is_structured() && !entry.empty();
            text += margin + (isPlainYaml(key) ? key : jsonText(Json(key))) + ":";
            text += isBlock ? "\n" + yamlText(entry, indent + 2) : " " + yamlText(entry) + "\n";
        }
        return text;
    }
    if (value.is_array() && !value.empty()) {
        for (const Json& entry : value) {
            std::string item = yamlText(entry, indent + 2);
            if (entry.is_structured() && !entry.empty()) {
                item.erase(0, indent + 2);
            } else {
                item += "\n";
            }
            text += margin + "- " + item;
        }
        return text;
    }
    const bool isPlain = value.is_string() && isPlainYaml(value.template get<std::string>());
    return isPlain ? value.template get<std::string>() : jsonText(value);
}

} // namespace cannery::cluster
