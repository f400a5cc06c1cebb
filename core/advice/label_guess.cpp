// SPDX-License-Identifier: Apache-2.0
#include "core/advice/label_guess.h"

#include "core/base/folded_case.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace cannery::advice {

namespace {

constexpr std::uint64_t kMostClasses = 100;
constexpr std::uint64_t kFewClasses = 20;

/// Names that labels have anywhere, and names of what public data sets predict.
constexpr std::array<std::string_view, 9> kStrongNames{
    "label", "labels", "target", "class", "y", "outcome", "survived", "species", "ground_truth"};
constexpr std::array<std::string_view, 24> kLikelyNames{
    "churn",     "churned", "default", "defaulted", "response",  "result",
    "diagnosis", "quality", "rings",   "mpg",       "price",     "salary",
    "income",    "fraud",   "spam",    "converted", "purchased", "approved",
    "rating",    "score",   "digit",   "outcome",   "category",  "status"};
constexpr std::array<std::string_view, 6> kNameParts{"label",   "target",         "class",
                                                     "outcome", "income_bracket", "_value"};

struct LabelScore
{
    double points = 0;
    std::vector<std::string> reasons;

    void add(double added, const std::string& reason)
    {
        points += added;
        reasons.push_back(reason);
    }
};

std::string lowered(const std::string& name)
{
    std::string text = foldedCase(name);
    std::replace(text.begin(), text.end(), ' ', '_');
    std::replace(text.begin(), text.end(), '-', '_');
    return text;
}

template <typename Names>
bool holds(const Names& names, const std::string& name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool canBeLabel(const data::ColumnSchema& column)
{
    const bool learnable =
        column.kind == data::ColumnKind::Number || column.kind == data::ColumnKind::Category;
    const bool fewTexts = column.dtype != DType::String || column.distinct <= kMostClasses;
    // A label is known in every row, and is neither a list nor a free text.
    return learnable && fewTexts && !column.listOf && column.missing == 0 && column.distinct >= 2;
}

void addNameScore(const std::string& name, LabelScore& score)
{
    // The first that fits counts: a name is not scored twice.
    if (holds(kStrongNames, name)) {
        score.add(0.6, "named like a label");
    } else if (holds(kLikelyNames, name)) {
        score.add(0.5, "named like something often predicted");
    } else if (std::any_of(kNameParts.begin(), kNameParts.end(), [&](std::string_view part) {
                   return name.find(part) != std::string::npos;
               })) {
        score.add(0.4, "its name hints at a label");
    } else if (name.starts_with("is_") || name.starts_with("has_")) {
        score.add(0.15, "named like a yes or no");
    }
}

void addValueScore(const data::ColumnSchema& column, LabelScore& score)
{
    if (column.distinct == 2) {
        score.add(0.12, "two values");
    } else if (column.distinct <= kFewClasses &&
               (column.dtype == DType::String || isInteger(column.dtype))) {
        score.add(0.08, fmt::format("{} values", column.distinct));
    } else if (column.dtype != DType::String) {
        score.add(0.04, "a number");
    }
}

LabelScore labelScore(const data::TableSchema& schema, std::size_t index)
{
    LabelScore score;
    const data::ColumnSchema& column = schema.columns[index];
    addNameScore(lowered(column.name), score);
    addValueScore(column, score);
    // Most tables have their label at one end.
    if (index + 1 == schema.columns.size()) {
        score.add(0.3, "the last column");
    } else if (index == 0) {
        score.add(0.12, "the first column");
    }
    return score;
}

std::string sentenceOf(const LabelScore& score)
{
    std::string text;
    for (const std::string& reason : score.reasons) {
        text += (text.empty() ? "" : ", ") + reason;
    }
    return text;
}

} // namespace

LabelGuess guessLabel(const data::TableSchema& schema)
{
    LabelGuess guess;
    double best = 0;
    double second = 0;
    for (std::size_t i = 0; i < schema.columns.size(); ++i) {
        if (!canBeLabel(schema.columns[i])) {
            continue;
        }
        const LabelScore score = labelScore(schema, i);
        // The first of equal ones.
        if (guess.column.empty() || score.points > best) {
            second = best;
            best = score.points;
            guess.column = schema.columns[i].name;
            guess.reason = sentenceOf(score);
        } else {
            second = std::max(second, score.points);
        }
    }
    if (!guess.column.empty()) {
        // The lead over the next best column counts besides the score itself.
        guess.confidence = std::clamp(0.1 + 0.7 * best + 0.5 * (best - second), 0.05, 0.98);
    }
    return guess;
}

} // namespace cannery::advice
