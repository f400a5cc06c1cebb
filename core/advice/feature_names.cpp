// SPDX-License-Identifier: Apache-2.0
#include "core/advice/feature_names.h"

#include "core/spec/checks/name_rules.h"
#include "core/spec/tensorflow_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace cannery::advice {

namespace {

/// What TensorFlow derives of a raw feature's name for the columns of a new experiment.
constexpr std::array<std::string_view, 4> kEndings{"", "_bucketized", "_indicator", "_embedding"};
/// Longer ones are cut; the endings must fit, too.
constexpr std::size_t kMostBytes = 200;

bool isPlain(const std::string& name)
{
    const bool isAscii =
        std::ranges::all_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    // TensorFlow's names are ASCII.
    return isAscii && name.size() <= kMostBytes && !spec::nameProblem(name);
}

/// Letters, digits and single underscores between them.
std::string shortened(const std::string& name)
{
    std::string text;
    for (const char c : spec::scopeSafe(name)) {
        if (c != '_' || (!text.empty() && text.back() != '_')) {
            text += c;
        }
    }
    text.resize(std::min(text.size(), kMostBytes));
    while (!text.empty() && text.back() == '_') {
        text.pop_back();
    }
    return text;
}

} // namespace

FeatureNames::FeatureNames(const std::vector<std::string>& columns)
{
    // Names that can be kept come first, so that no made one takes them.
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (isPlain(columns[i]) && isFree(columns[i])) {
            take(columns[i], columns[i]);
        } else {
            others.push_back(i);
        }
    }
    for (const std::size_t i : others) {
        take(columns[i], otherName(columns[i], i + 1));
    }
}

bool FeatureNames::isFree(const std::string& name) const
{
    return std::ranges::none_of(kEndings, [&](std::string_view ending) {
        // A feature's columns have these endings, and must be free as well.
        return m_taken.contains(spec::scopeSafe(name + std::string(ending)));
    });
}

void FeatureNames::take(const std::string& column, const std::string& name)
{
    m_features[column] = name;
    m_columnNames.insert(name);
    for (const std::string_view ending : kEndings) {
        m_taken.insert(spec::scopeSafe(name + std::string(ending)));
    }
}

/// Like the column's name if that has letters to show, else by its number.
std::string FeatureNames::otherName(const std::string& column, std::size_t number) const
{
    const std::string like = shortened(column);
    // A name without letters says nothing.
    const bool hasLetters = !like.empty() && std::isalpha(static_cast<unsigned char>(like[0])) != 0;
    const std::string base = hasLetters ? like : "column_" + std::to_string(number);
    std::string name = base;
    for (int i = 2; !isFree(name); ++i) {
        name = base + "_" + std::to_string(i);
    }
    return name;
}

const std::string& FeatureNames::featureOf(const std::string& column) const
{
    const auto found = m_features.find(column);
    return found == m_features.end() ? column : found->second;
}

std::string FeatureNames::columnName(const std::string& wanted)
{
    std::string name = wanted;
    for (int i = 2; !m_columnNames.insert(name).second; ++i) {
        name = wanted + "_" + std::to_string(i);
    }
    return name;
}

} // namespace cannery::advice
