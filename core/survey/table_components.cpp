// SPDX-License-Identifier: Apache-2.0
#include "core/survey/table_components.h"

#include "core/base/counted.h"
#include "core/base/string_column.h"
#include "core/base/text_table.h"
#include "core/data/dataset.h"
#include "core/features/column_builder.h"
#include "core/features/raw_rows.h"
#include "core/spec/canned_head.h"
#include "core/spec/column_kinds.h"
#include "core/spec/experiment.pb.h"
#include "core/spec/head_kinds.h"
#include "core/spec/normalized_columns.h"
#include "core/survey/label_groups.h"
#include "core/survey/spread_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace cannery::survey {

namespace {

constexpr ErrorKind kNoNumbers{
    "data.no_numbers_to_compare",
    "The table has no numeric column with different values to find components of; `data.column` "
    "can give a column a numeric dtype."};

/// The work grows with the square of the columns, and memory with all numbers.
constexpr std::size_t kMostColumns = 400;
constexpr std::size_t kMostNumbers = 4'000'000;
constexpr std::size_t kMostRows = 100'000;
constexpr std::size_t kMostPoints = 2'000;
constexpr std::size_t kMostComponents = 10;
constexpr std::size_t kAxes = 3; ///< of points, and printed

/// A column while its rows are read.
struct Source
{
    std::string feature;
    std::size_t element = 0; ///< of a feature with several
    std::optional<double> whenMissing;
    TableComponents::Column column;
};

/// What a missing number means to the columns that read it: their default value.
std::map<std::string, std::vector<double>> defaultsIn(spec::Experiment experiment,
                                                      const std::filesystem::path& folder)
{
    for (spec::FeatureColumn& column : *experiment.mutable_feature_column()) {
        if (spec::Normalizer* normalizer = spec::mutableNormalizer(column)) {
            normalizer->Clear(); // its numbers are not known yet
        }
    }
    features::ColumnBuilder builder(experiment, folder);
    std::map<std::string, std::vector<double>> defaults;
    for (const spec::FeatureColumn& column : experiment.feature_column()) {
        const bool isNumber = spec::gives(column, spec::ColumnKind::NUMBERS);
        const Result<features::ColumnPointer> made =
            isNumber ? builder.column(column.name()) : Result<features::ColumnPointer>();
        std::vector<features::RawUse> uses;
        if (made && *made != nullptr) {
            (*made)->addUses(uses);
        }
        for (const features::RawUse& use : uses) {
            if (!use.defaults.empty()) {
                defaults.emplace(use.feature, use.defaults);
            }
        }
    }
    return defaults;
}

/// Why a feature takes no part; empty if it does.
std::string hindranceOf(const data::FeatureInfo& feature, const spec::Experiment& experiment,
                        const data::Dataset& dataset)
{
    const auto& keys = experiment.data().key_column();
    if (feature.name == spec::weightFeatureOf(spec::headOf(experiment.estimator()))) {
        return "weighs the rows";
    }
    if (std::find(keys.begin(), keys.end(), feature.name) != keys.end()) {
        return "names the rows";
    }
    const data::ColumnSchema* schema =
        feature.columns.size() == 1 ? dataset.schema().find(feature.columns.front()) : nullptr;
    // A column whose type the experiment sets was not examined.
    if (schema != nullptr && !schema->kindReason.empty() &&
        schema->kind != data::ColumnKind::Number && schema->kind != data::ColumnKind::Constant) {
        return fmt::format("{}: {}", data::name(schema->kind), schema->kindReason);
    }
    if (feature.sparse) {
        return "a list of values";
    }
    return feature.dtype == DType::String ? "texts" : "";
}

std::vector<Source> sourcesOf(const spec::Experiment& experiment,
                              const std::filesystem::path& folder, const data::Dataset& dataset,
                              std::vector<TableComponents::Other>& others)
{
    const std::map<std::string, std::vector<double>> defaults = defaultsIn(experiment, folder);
    std::vector<Source> sources;
    for (const data::FeatureInfo& feature : dataset.features()) {
        if (feature.isLabel) {
            continue;
        }
        if (std::string why = hindranceOf(feature, experiment, dataset); !why.empty()) {
            others.push_back({.name = feature.name, .why = std::move(why)});
            continue;
        }
        const auto known = defaults.find(feature.name);
        const auto elements = static_cast<std::size_t>(feature.shape.elementCount());
        // Each element of a list is a column.
        for (std::size_t i = 0; i < elements; ++i) {
            Source source{.feature = feature.name, .element = i};
            source.column.name =
                elements == 1 ? feature.name : fmt::format("{}[{}]", feature.name, i);
            if (known != defaults.end() && known->second.size() == elements) {
                source.whenMissing = known->second[i];
            }
            sources.push_back(std::move(source));
        }
    }
    return sources;
}

double numberAt(const data::FeatureValues& values, std::size_t element)
{
    const double number = std::visit(
        [&](const auto& elements) {
            if constexpr (std::is_same_v<std::decay_t<decltype(elements)>, StringColumn>) {
                return std::numeric_limits<double>::quiet_NaN();
            } else {
                return static_cast<double>(elements[element]);
            }
        },
        values.elements);
    // A number that is not finite would spoil all components.
    const bool isNumber =
        !features::isInvalid(values, static_cast<std::int64_t>(element)) && std::isfinite(number);
    return isNumber ? number : std::numeric_limits<double>::quiet_NaN();
}

/// Some rows of a table: numbers [rows, sources], NaN where missing, and their labels.
class Rows
{
public:
    explicit Rows(std::size_t width)
        : m_width(width), m_spread(std::min(kMostRows, kMostNumbers / width))
    {}

    void add(const data::FeatureBatch& batch, const std::vector<Source>& sources,
             const std::map<std::string, std::size_t>& places)
    {
        for (std::size_t row = 0; row < static_cast<std::size_t>(batch.rowCount); ++row) {
            // Rows are taken evenly over the whole table, as its order may mean something.
            if (!m_spread.takesNext()) {
                continue;
            }
            for (const Source& source : sources) {
                const data::FeatureValues& values = batch.features[places.at(source.feature)];
                const auto width = static_cast<std::size_t>(values.shape.elementCount());
                numbers.push_back(numberAt(values, row * width + source.element));
            }
            labels.push_back(labelOf(batch, static_cast<std::int64_t>(row)));
            if (m_spread.mustThinOut()) {
                thinOut();
            }
        }
    }

    std::uint64_t seen() const { return m_spread.seen(); }

    std::vector<double> numbers;
    std::vector<std::string> labels;

private:
    static std::string labelOf(const data::FeatureBatch& batch, std::int64_t row)
    {
        // Only a single label can be shown as a group.
        if (batch.labels.empty() || batch.labels.front().sparse ||
            batch.labels.front().shape.elementCount() != 1 ||
            features::isInvalid(batch.labels.front(), row)) {
            return {};
        }
        return features::elementText(batch.labels.front(), row);
    }

    void thinOut()
    {
        std::size_t kept = 0;
        // Every second row stays, in place. From here on m_spread takes rows half as often.
        for (std::size_t row = 0; row < labels.size(); row += 2, ++kept) {
            std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(row * m_width), m_width,
                        numbers.begin() + static_cast<std::ptrdiff_t>(kept * m_width));
            std::swap(labels[kept], labels[row]);
        }
        numbers.resize(kept * m_width);
        labels.resize(kept);
    }

    std::size_t m_width;
    SpreadRows m_spread;
};

/// Mean and deviation of the finite numbers; the latter is 0 if it is not finite.
void measure(const std::vector<double>& numbers, std::size_t at, std::size_t width,
             TableComponents::Column& column)
{
    double count = 0;
    double squares = 0;
    column.missing = 0;
    for (std::size_t i = at; i < numbers.size(); i += width) {
        if (std::isnan(numbers[i])) {
            ++column.missing;
            continue;
        }
        // Welford's method.
        count += 1;
        const double shift = numbers[i] - column.mean;
        column.mean += shift / count;
        squares += shift * (numbers[i] - column.mean);
    }
    const double deviation = count > 0 ? std::sqrt(squares / count) : 0.0;
    column.deviation = std::isfinite(deviation) ? deviation : 0.0;
}

/// Leaves only columns that differ between rows.
std::vector<double> scaled(const std::vector<double>& numbers, const std::vector<Source>& sources,
                           TableComponents& out)
{
    std::vector<std::size_t> used;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        TableComponents::Column column = sources[i].column;
        measure(numbers, i, sources.size(), column);
        // A column that is the same in all rows has no scale.
        if (!(column.deviation > 0)) {
            out.constant.push_back(std::move(column.name));
        } else {
            out.columns.push_back(std::move(column));
            used.push_back(i);
        }
    }
    std::vector<double> all;
    all.reserve(numbers.size() / std::max<std::size_t>(1, sources.size()) * used.size());
    for (std::size_t row = 0; row < numbers.size(); row += sources.size()) {
        for (std::size_t i = 0; i < used.size(); ++i) {
            // As the model reads it, by a column's default; without one by the mean, which adds no
            // variance.
            const double own = numbers[row + used[i]];
            const double value =
                std::isnan(own) ? sources[used[i]].whenMissing.value_or(out.columns[i].mean) : own;
            all.push_back((value - out.columns[i].mean) / out.columns[i].deviation);
        }
    }
    return all;
}

/// Correlations of the columns with the components.
void addLoadings(const std::vector<double>& rows, TableComponents& out)
{
    const std::size_t width = out.columns.size();
    for (std::size_t i = 0; i < width; ++i) {
        TableComponents::Column asRead; // missing cells may have made other moments
        measure(rows, i, width, asRead);
        for (std::size_t c = 0; c < out.components.variances.size(); ++c) {
            // The correlation of a column with a component: axis * sqrt(variance) / deviation of
            // the column.
            out.columns[i].loadings.push_back(out.components.axes[c * width + i] *
                                              std::sqrt(out.components.variances[c]) /
                                              asRead.deviation);
        }
    }
}

void addPoints(const std::vector<double>& rows, const std::vector<std::string>& labels,
               TableComponents& out)
{
    const std::size_t width = out.columns.size();
    const LabelGroups groups =
        out.label.empty() ? LabelGroups{.names = {}, .ofRow = {}} : labelGroups(labels);
    out.groups = groups.names;
    // No more axes than there are components.
    const std::size_t axes = std::min(kAxes, out.components.variances.size());
    const std::size_t points = std::min(kMostPoints, labels.size());
    for (std::size_t point = 0; point < points; ++point) {
        // Evenly over the rows, by integers, so that the same points are drawn each time.
        const std::size_t row = point * labels.size() / points;
        const std::vector<double> all =
            kernels::projected(out.components, std::span(rows).subspan(row * width, width));
        out.points.insert(out.points.end(), all.begin(),
                          all.begin() + static_cast<std::ptrdiff_t>(axes));
        if (!groups.ofRow.empty()) {
            out.groupOfPoint.push_back(groups.ofRow[row]);
        }
    }
}

std::string labelName(const data::Dataset& dataset)
{
    const auto& all = dataset.features();
    const auto label = std::find_if(all.begin(), all.end(),
                                    [](const data::FeatureInfo& info) { return info.isLabel; });
    return label == all.end() ? std::string() : label->name;
}

Result<Rows> readRows(const data::Dataset& dataset, const std::vector<Source>& sources,
                      const LentThreads& threads)
{
    data::FeatureRequest request{.features = {}, .labels = data::LabelNeed::Optional};
    request.threads = threads;
    for (const Source& source : sources) {
        // A feature with several elements has a source for each, and is read once.
        if (source.element == 0) {
            request.features.push_back(source.feature);
        }
    }
    CANNERY_TRY_ASSIGN(const std::unique_ptr<data::FeatureStream> stream, dataset.read(request));
    Rows rows(sources.size());
    std::map<std::string, std::size_t> places;
    while (true) {
        CANNERY_TRY_ASSIGN(const std::optional<data::FeatureBatch> batch, stream->next());
        if (!batch) {
            return rows;
        }
        for (std::size_t i = 0; i < batch->features.size(); ++i) {
            places[batch->features[i].name] = i;
        }
        rows.add(*batch, sources, places);
    }
}

/// In words: numeric columns that take no part.
std::string leftOut(const TableComponents& components)
{
    std::string parts;
    if (!components.constant.empty()) {
        parts = fmt::format("{} with one value only", components.constant.size());
    }
    if (!components.beyond.empty()) {
        parts += fmt::format("{}{} after the first {}", parts.empty() ? "" : ", ",
                             components.beyond.size(), kMostColumns);
    }
    return parts.empty() ? parts : fmt::format(" (left out: {})", parts);
}

} // namespace

double shareOf(const kernels::PrincipalComponents& components, std::size_t component)
{
    return components.variances[component] / components.totalVariance;
}

Result<TableComponents> componentsOf(const spec::Experiment& experiment,
                                     const std::filesystem::path& folder,
                                     const data::Dataset& trainData, const LentThreads& threads)
{
    TableComponents out;
    std::vector<Source> sources = sourcesOf(experiment, folder, trainData, out.others);
    // The columns left out are named, so that nobody takes the rest for the whole table.
    for (std::size_t i = kMostColumns; i < sources.size(); ++i) {
        out.beyond.push_back(sources[i].column.name);
    }
    sources.resize(std::min(sources.size(), kMostColumns));
    if (sources.empty()) {
        return fail(ErrorCode::InvalidArgument, kNoNumbers);
    }
    CANNERY_TRY_ASSIGN(const Rows rows, readRows(trainData, sources, threads));
    out.rows = rows.seen();
    out.usedRows = rows.labels.size();
    out.label = trainData.hasLabels() ? labelName(trainData) : std::string();
    const std::vector<double> numbers = scaled(rows.numbers, sources, out);
    out.components = kernels::principalComponents(numbers, out.columns.size(), kMostComponents);
    if (out.components.variances.empty()) {
        return fail(ErrorCode::InvalidArgument, kNoNumbers);
    }
    addLoadings(numbers, out);
    addPoints(numbers, rows.labels, out);
    return out;
}

reports::ReportList<reports::Component>
componentList(const kernels::PrincipalComponents& components)
{
    reports::ReportList<reports::Component> list;
    for (std::size_t i = 0; i < components.variances.size(); ++i) {
        reports::Component& row = *list.Add();
        row.set_variance(components.variances[i]);
        row.set_share(shareOf(components, i));
    }
    return list;
}

reports::TableComponents componentsReport(const TableComponents& components)
{
    reports::TableComponents report;
    report.set_rows(components.rows);
    report.set_used_rows(components.usedRows);
    for (const TableComponents::Column& column : components.columns) {
        reports::ComparedColumn& row = *report.add_columns();
        row.set_name(column.name);
        row.set_mean(column.mean);
        row.set_sd(column.deviation);
        row.set_missing(column.missing);
        row.mutable_loadings()->Assign(column.loadings.begin(), column.loadings.end());
    }
    report.mutable_constant()->Assign(components.constant.begin(), components.constant.end());
    report.mutable_beyond()->Assign(components.beyond.begin(), components.beyond.end());
    for (const TableComponents::Other& other : components.others) {
        reports::OtherColumn& row = *report.add_others();
        row.set_name(other.name);
        row.set_why(other.why);
    }
    *report.mutable_components() = componentList(components.components);
    report.set_label(components.label);
    report.mutable_groups()->Assign(components.groups.begin(), components.groups.end());
    const std::size_t axes = std::min(kAxes, components.components.variances.size());
    for (std::size_t i = 0; i * axes < components.points.size(); ++i) {
        reports::TablePoint& point = *report.add_points();
        const auto begin = components.points.begin() + static_cast<std::ptrdiff_t>(i * axes);
        point.mutable_at()->Assign(begin, begin + static_cast<std::ptrdiff_t>(axes));
        if (!components.groupOfPoint.empty()) {
            point.set_group(components.groupOfPoint[i]);
        }
    }
    return report;
}

std::vector<std::string> componentsLines(const TableComponents& components)
{
    const auto rows = static_cast<std::int64_t>(components.usedRows);
    std::vector<std::string> lines{
        fmt::format("{} of {}{}:",
                    counted(static_cast<std::int64_t>(components.columns.size()), "numeric column"),
                    components.usedRows == components.rows
                        ? counted(rows, "row")
                        : fmt::format("{} of {} rows, evenly spaced", rows, components.rows),
                    leftOut(components))};
    std::vector<std::vector<std::string>> shares;
    double sum = 0;
    for (std::size_t i = 0; i < components.components.variances.size(); ++i) {
        const double share = shareOf(components.components, i);
        sum += share;
        shares.push_back(
            {std::to_string(i + 1), fmt::format("{:.4g}", components.components.variances[i]),
             fmt::format("{:.1f} %", 100 * share), fmt::format("{:.1f} %", 100 * sum)});
    }
    const std::vector<std::string> first =
        alignedTable({"component", "variance", "share", "so far"}, shares);
    lines.insert(lines.end(), first.begin(), first.end());
    std::vector<std::vector<std::string>> loadings;
    const std::size_t axes = std::min(kAxes, components.components.variances.size());
    std::vector<std::string> header{"correlation of"};
    for (std::size_t i = 0; i < axes; ++i) {
        header.push_back(fmt::format("with {}", i + 1));
    }
    for (const TableComponents::Column& column : components.columns) {
        std::vector<std::string>& row = loadings.emplace_back();
        row.push_back(column.name);
        for (std::size_t i = 0; i < axes; ++i) {
            row.push_back(fmt::format("{:.2f}", column.loadings[i]));
        }
    }
    const std::vector<std::string> second = alignedTable(header, loadings);
    lines.insert(lines.end(), second.begin(), second.end());
    return lines;
}

} // namespace cannery::survey
