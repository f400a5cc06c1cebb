// SPDX-License-Identifier: Apache-2.0
#include "core/spec/tensorflow_names.h"

#include "core/base/catalog.h"
#include "core/spec/column_kinds.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace cannery::spec {

namespace {

constexpr ErrorKind kCycle{"spec.column_cycle",
                           "The feature column '{0}' depends on itself: {1}. Break the cycle."};
constexpr ErrorKind kTooManyLevels{
    "spec.column_depth",
    "The feature column '{0}' depends on more than {1} levels of other columns: use fewer."};
constexpr ErrorKind kTooMany{
    "spec.column_parts", "The feature column '{0}' consists of more than {1} columns: use fewer."};
constexpr ErrorKind kNoKind{"spec.no_column_kind",
                            "The feature_column '{0}' does not say which kind of column it is."};

/// Maximum nesting of columns, and maximum number of columns visited: crosses of crosses of one
/// column double with every level.
constexpr std::size_t kMostLevels = 100;
constexpr int kMostParts = 10'000;

/// Walks from column to column and detects cycles.
class Walker
{
public:
    explicit Walker(const ColumnIndex& columns) : m_columns(columns) {}

    Result<std::vector<std::string>> names(const std::string& handle);
    Result<void> leaves(const std::string& handle, std::vector<ColumnSource>& out);
    Result<void> features(const std::string& handle, std::vector<std::string>& out);

private:
    Result<const FeatureColumn*> enter(const std::string& handle);
    void leave() { m_way.pop_back(); }
    Result<std::vector<std::string>> namesOf(const FeatureColumn& column);
    Result<std::vector<std::string>> filled(const FeatureColumn& column, std::string_view rule);
    Result<std::vector<std::string>> joined(const FeatureColumn& column, std::string_view link);
    Result<std::string> nameOf(const ColumnSource& source);

    const ColumnIndex& m_columns;
    std::vector<std::string> m_way;
    int m_parts = 0;
};

Result<const FeatureColumn*> Walker::enter(const std::string& handle)
{
    const FeatureColumn* column = m_columns.find(handle);
    if (column == nullptr) {
        std::vector<std::string> known;
        for (const FeatureColumn& other : m_columns.experiment().feature_column()) {
            known.push_back(other.name());
        }
        return fail(ErrorCode::NotFound, kDanglingColumn, handle, suggestion(handle, known));
    }
    const bool again = std::find(m_way.begin(), m_way.end(), handle) != m_way.end();
    // Even if it is there already, so that the error shows the whole circle.
    m_way.push_back(handle);
    if (m_way.size() > kMostLevels) {
        return fail(ErrorCode::InvalidArgument, kTooManyLevels, m_way.front(), kMostLevels);
    }
    if (++m_parts > kMostParts) {
        return fail(ErrorCode::InvalidArgument, kTooMany, m_way.front(), kMostParts);
    }
    if (again) {
        return fail(ErrorCode::InvalidArgument, kCycle, handle,
                    fmt::format("{}", fmt::join(m_way, " -> ")));
    }
    return column;
}

Result<std::vector<std::string>> Walker::names(const std::string& handle)
{
    CANNERY_TRY_ASSIGN(const FeatureColumn* column, enter(handle));
    auto result = namesOf(*column);
    leave();
    return result;
}

Result<std::string> Walker::nameOf(const ColumnSource& source)
{
    if (!source.isColumn) {
        return source.name;
    }
    CANNERY_TRY_ASSIGN(std::vector<std::string> inner, names(source.name));
    return std::move(inner.front());
}

/// "{categorical_column}_indicator": one name per element of the field in braces.
Result<std::vector<std::string>> Walker::filled(const FeatureColumn& column, std::string_view rule)
{
    const std::size_t open = rule.find('{');
    if (open == std::string_view::npos) {
        return std::vector<std::string>{std::string(rule)};
    }
    const std::size_t close = rule.find('}', open);
    const std::string_view field = rule.substr(open + 1, close - open - 1);
    std::vector<std::string> fields;
    for (const ColumnSource& source : sourcesIn(column, field)) {
        CANNERY_TRY_ASSIGN(std::string name, nameOf(source));
        fields.push_back(std::move(name));
    }
    if (open == 0 && close + 1 == rule.size()) {
        return fields;
    }
    // Every combination, if a rule has several fields with several elements.
    CANNERY_TRY_ASSIGN(const std::vector<std::string> ends, filled(column, rule.substr(close + 1)));
    std::vector<std::string> names;
    for (const std::string& name : fields) {
        for (const std::string& end : ends) {
            names.push_back(std::string(rule.substr(0, open)) + name + end);
        }
    }
    return names;
}

/// The sorted names of a cross's leaves.
Result<std::vector<std::string>> Walker::joined(const FeatureColumn& column, std::string_view link)
{
    std::vector<ColumnSource> found;
    // Its own name is on the way already, and would be taken for a circle.
    leave(); // `leaves` enters it again
    const auto walked = leaves(column.name(), found);
    m_way.push_back(column.name());
    if (!walked) {
        return tl::make_unexpected(walked.error());
    }
    std::vector<std::string> parts;
    for (const ColumnSource& leaf : found) {
        CANNERY_TRY_ASSIGN(std::string part, nameOf(leaf));
        parts.push_back(std::move(part));
    }
    // TensorFlow's crossed_column sorts the names of its keys.
    std::sort(parts.begin(), parts.end());
    return std::vector<std::string>{fmt::format("{}", fmt::join(parts, link))};
}

Result<std::vector<std::string>> Walker::namesOf(const FeatureColumn& column)
{
    const ColumnKind& kind = columnKind(column);
    if (kind.has_joined_by()) {
        return joined(column, kind.joined_by());
    }
    std::vector<std::string> names;
    if (kind.has_tensorflow_name()) {
        CANNERY_TRY_ASSIGN(names, filled(column, kind.tensorflow_name()));
    }
    if (names.empty()) {
        return fail(ErrorCode::InvalidArgument, kNoKind, column.name());
    }
    return names;
}

Result<void> Walker::leaves(const std::string& handle, std::vector<ColumnSource>& out)
{
    CANNERY_TRY_ASSIGN(const FeatureColumn* column, enter(handle));
    for (ColumnSource& source : sourcesOf(*column)) {
        const FeatureColumn* inner = source.isColumn ? m_columns.find(source.name) : nullptr;
        // Crosses of crosses are flattened; other columns that are crossed stay leaves.
        if (inner != nullptr && inner->kind_case() == column->kind_case()) {
            CANNERY_TRY(leaves(source.name, out));
        } else {
            out.push_back(std::move(source));
        }
    }
    leave();
    return {};
}

Result<void> Walker::features(const std::string& handle, std::vector<std::string>& out)
{
    CANNERY_TRY_ASSIGN(const FeatureColumn* column, enter(handle));
    for (const ColumnSource& source : sourcesOf(*column)) {
        if (source.isColumn) {
            CANNERY_TRY(features(source.name, out));
        } else if (std::find(out.begin(), out.end(), source.name) == out.end()) {
            out.push_back(source.name);
        }
    }
    leave();
    return {};
}

} // namespace

ColumnIndex::ColumnIndex(const Experiment& experiment) : m_experiment(&experiment)
{
    m_columns.reserve(static_cast<std::size_t>(experiment.feature_column_size()));
    for (const FeatureColumn& column : experiment.feature_column()) {
        m_columns.emplace(column.name(), Entry{&column, std::nullopt});
    }
}

const FeatureColumn* ColumnIndex::find(std::string_view name) const
{
    const auto found = m_columns.find(name);
    return found == m_columns.end() ? nullptr : found->second.column;
}

Result<std::vector<std::string>> tensorflowNames(const ColumnIndex& columns,
                                                 std::string_view columnName)
{
    const auto found = columns.m_columns.find(columnName);
    if (found != columns.m_columns.end() && found->second.tensorflowNames) {
        // Names are derived once for each column; wide experiments ask for them in every check.
        return *found->second.tensorflowNames;
    }
    auto names = Walker(columns).names(std::string(columnName));
    // A circle is not remembered, as every use of it is to be reported.
    // Only names that could be derived: then `found` is a column.
    if (names) {
        found->second.tensorflowNames = *names;
    }
    return names;
}

Result<std::string> tensorflowName(const ColumnIndex& columns, std::string_view columnName)
{
    CANNERY_TRY_ASSIGN(const std::vector<std::string> names, tensorflowNames(columns, columnName));
    return names.front();
}

std::string scopeSafe(std::string_view name)
{
    std::string safe(name);
    for (char& character : safe) {
        // As TensorFlow's _sanitize_column_name_for_variable_scope().
        const bool keep = std::isalnum(static_cast<unsigned char>(character)) != 0 ||
                          character == '_' || character == '.' || character == '-';
        if (!keep) {
            character = '_';
        }
    }
    return safe;
}

Result<std::vector<ColumnSource>> crossLeaves(const ColumnIndex& columns,
                                              std::string_view columnName)
{
    std::vector<ColumnSource> leaves;
    CANNERY_TRY(Walker(columns).leaves(std::string(columnName), leaves));
    return leaves;
}

Result<std::vector<std::string>> rawFeatures(const ColumnIndex& columns,
                                             std::string_view columnName)
{
    std::vector<std::string> features;
    CANNERY_TRY(Walker(columns).features(std::string(columnName), features));
    return features;
}

} // namespace cannery::spec
