// SPDX-License-Identifier: Apache-2.0
#include "core/features/feature_graph.h"

#include "core/base/check.h"
#include "core/features/category_cells.h"
#include "core/features/emit_errors.h"
#include "core/features/feature_column.h"
#include "core/features/raw_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cannery::features {

using storage::GraphDefBuilder;
using storage::HostTensor;
using storage::NodeRef;

namespace {

NodeRef cast(GraphDefBuilder& graph, const NodeRef& node, DType from, DType to)
{
    return from == to ? node : graph.add("Cast", "Cast", {node}, {{"SrcT", from}, {"DstT", to}});
}

/// [batch, elements] of a dense tensor with rows of any shape.
NodeRef asRows(GraphDefBuilder& graph, const RawTensor& raw, const NodeRef& dense, DType dtype)
{
    // A sparse feature has its shape already.
    if (raw.feature.sparse || raw.feature.shape.rank() == 1) {
        return dense;
    }
    const std::vector<std::int64_t> shape{-1, raw.feature.shape.elementCount()};
    return graph.add("Reshape", "Reshape", {dense, graph.constant("shape", shape)},
                     {{"T", dtype}, {"Tshape", DType::Int64}});
}

/// How TensorFlow marks "no category" in dense features.
NodeRef noCategory(GraphDefBuilder& graph, DType dtype)
{
    return dtype == DType::String ? graph.constant("no_category", "")
                                  : graph.constant("no_category", kNoCategory);
}

/// Where integers are the mark of a missing number.
NodeRef isNoNumber(GraphDefBuilder& graph, const NodeRef& rows, DType dtype)
{
    // int32 has another least number than int64.
    const NodeRef mark = dtype == DType::Int32
                             ? graph.constant("no_number", std::numeric_limits<std::int32_t>::min())
                             : graph.constant("no_number", kNoNumber);
    return graph.add("Equal", "is_no_number", {rows, mark}, {{"T", dtype}});
}

/// The category that an empty cell of the table means, if any.
Result<std::optional<NodeRef>> defaultCategory(GraphDefBuilder& graph, const RawFeature& feature,
                                               DType dtype)
{
    // SparseFillEmptyRows puts in one value.
    if (feature.sparse && feature.defaults.size() > 1) {
        return fail(ErrorCode::Unimplemented, kCannotEmit, feature.name,
                    "an empty cell means several values at once");
    }
    const std::optional<std::string> text = feature.onlyDefault();
    if (!text || text->empty()) {
        return std::nullopt;
    }
    if (dtype == DType::String) {
        return graph.constant("default_value", text->c_str());
    }
    const std::optional<std::int64_t> number = wholeNumberFromText(*text);
    if (!number) {
        return fail(ErrorCode::InvalidArgument, kCannotEmit, feature.name,
                    "its default_value '" + *text + "' is not an integer");
    }
    return graph.constant("default_value", *number);
}

/// Replaces empty texts of a dense feature by the table's default.
NodeRef withDefaultTexts(GraphDefBuilder& graph, const RawFeature& feature, const NodeRef& rows)
{
    std::vector<std::string> texts;
    for (const auto& text : feature.defaults) {
        texts.push_back(text.value_or(""));
    }
    if (std::all_of(texts.begin(), texts.end(), [](const auto& text) { return text.empty(); })) {
        return rows;
    }
    const NodeRef isEmpty = graph.add("Equal", "Equal", {rows, noCategory(graph, DType::String)},
                                      {{"T", DType::String}});
    return graph.add("SelectV2", "SelectV2",
                     {isEmpty, graph.constant("default_values", texts), rows},
                     {{"T", DType::String}});
}

/// Replaces texts that mean a missing cell by the empty text.
NodeRef withoutMissingTokens(GraphDefBuilder& graph, const RawFeature& feature,
                             const NodeRef& texts)
{
    // One comparison for each token; there are few.
    NodeRef result = texts;
    for (const std::string& token : feature.missingTokens) {
        const NodeRef isToken =
            graph.add("Equal", "Equal", {result, graph.constant("missing_token", token.c_str())},
                      {{"T", DType::String}});
        result =
            graph.add("SelectV2", "SelectV2", {isToken, noCategory(graph, DType::String), result},
                      {{"T", DType::String}});
    }
    return result;
}

/// What stands for a missing number in each element of a row.
HostTensor numbersOfMissing(const RawFeature& feature, const std::vector<double>& ofColumn)
{
    // NaN where there is no default: then the number stays missing.
    std::vector<float> numbers(static_cast<std::size_t>(feature.shape.elementCount()),
                               std::numeric_limits<float>::quiet_NaN());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const auto& text = i < feature.defaults.size() ? feature.defaults[i] : std::nullopt;
        const std::optional<double> own = text ? numberFromText(*text) : std::nullopt;
        // The table's default comes before the column's, as it does when cells are read.
        if (own || i < ofColumn.size()) {
            numbers[i] = static_cast<float>(own ? *own : ofColumn[i]);
        }
    }
    return HostTensor::of(std::move(numbers));
}

/// A category or cross key, texts or int64s, before anything is dropped.
struct Categories
{
    std::optional<NodeRef> dense; ///< [batch, elements]
    std::optional<SparseNodes> cells;
    DType dtype = DType::String;
};

Categories categoriesOf(GraphDefBuilder& graph, const RawTensor& raw)
{
    Categories result;
    result.dtype = raw.dtype == DType::String ? DType::String : DType::Int64;
    const bool isPlainText = result.dtype == DType::String && !raw.feature.sparse;
    if (raw.dense) {
        const NodeRef given = asRows(graph, raw, *raw.dense, raw.dtype);
        NodeRef rows = cast(graph, given, raw.dtype, result.dtype);
        // A missing integer has a mark of its own, which becomes the mark of categories.
        if (raw.mayLackNumbers && isInteger(raw.dtype)) {
            rows = graph.add("SelectV2", "categories",
                             {isNoNumber(graph, given, raw.dtype),
                              graph.constant("no_category", kNoCategory), rows},
                             {{"T", DType::Int64}});
        }
        // Tokens first: a cell that is a token is empty, and an empty cell may have a default.
        if (isPlainText) {
            rows = withoutMissingTokens(graph, raw.feature, rows);
            rows = withDefaultTexts(graph, raw.feature, rows);
        }
        result.dense = rows;
        return result;
    }
    CANNERY_CHECK(raw.cells.has_value());
    result.cells = raw.cells;
    result.cells->values = cast(graph, raw.cells->values, raw.dtype, result.dtype);
    if (isPlainText) {
        result.cells->values = withoutMissingTokens(graph, raw.feature, result.cells->values);
    }
    return result;
}

} // namespace

void FeatureGraph::addRaw(RawTensor raw)
{
    std::string name = raw.feature.name;
    m_raw.insert_or_assign(std::move(name), std::move(raw));
}

const RawTensor& FeatureGraph::raw(const std::string& feature) const
{
    const auto found = m_raw.find(feature);
    CANNERY_CHECK(found != m_raw.end());
    return found->second;
}

Result<NodeRef> FeatureGraph::number(const std::string& feature,
                                     const std::vector<double>& defaults)
{
    const RawTensor& source = raw(feature);
    if (!source.dense || source.feature.sparse) {
        return fail(ErrorCode::InvalidArgument, kCannotEmit, feature,
                    "it is a list of values, but a numeric column reads it");
    }
    const NodeRef rows = asRows(*m_graph, source, *source.dense, source.dtype);
    const NodeRef numbers = cast(*m_graph, rows, source.dtype, DType::Float32);
    // Nothing replaces a number that cannot be missing, so no nodes are added for it.
    if (!source.mayLackNumbers) {
        return numbers;
    }
    const HostTensor missing = numbersOfMissing(source.feature, defaults);
    const auto values = missing.values<float>();
    const bool areMarked = isInteger(source.dtype);
    // A missing float is NaN already; nothing would be replaced.
    if (!areMarked && std::ranges::all_of(values, [](float v) { return std::isnan(v); })) {
        return numbers;
    }
    // Only NaN is unequal to itself.
    const NodeRef isMissing =
        areMarked ? isNoNumber(*m_graph, rows, source.dtype)
                  : m_graph->add("NotEqual", "missing", {rows, rows}, {{"T", source.dtype}});
    return m_graph->add("SelectV2", "filled",
                        {isMissing, m_graph->constant("default_numbers", missing), numbers},
                        {{"T", DType::Float32}});
}

Result<SparseNodes> FeatureGraph::listOfNumbers(const std::string& feature)
{
    const RawTensor& source = raw(feature);
    if (source.cells) {
        SparseNodes cells = *source.cells;
        cells.values = cast(*m_graph, cells.values, source.dtype, DType::Float32);
        return cells;
    }
    CANNERY_CHECK(source.dense.has_value());
    const NodeRef rows = asRows(*m_graph, source, *source.dense, source.dtype);
    // In a list, a missing integer is the padding of a shorter row.
    if (isInteger(source.dtype)) {
        SparseNodes cells =
            cellsUnequal(*m_graph, rows, noCategory(*m_graph, source.dtype), source.dtype);
        cells.values = cast(*m_graph, cells.values, source.dtype, DType::Float32);
        return cells;
    }
    return cellsOfNumbers(*m_graph, cast(*m_graph, rows, source.dtype, DType::Float32));
}

Result<SparseNodes> FeatureGraph::makeCategory(const RawTensor& raw)
{
    GraphDefBuilder& graph = *m_graph;
    const Categories source = categoriesOf(graph, raw);
    const DType dtype = source.dtype;
    if (source.dense) {
        const SparseNodes cells =
            cellsUnequal(graph, *source.dense, noCategory(graph, dtype), dtype);
        if (!raw.feature.sparse) {
            return cells;
        }
        CANNERY_TRY_ASSIGN(const auto value, defaultCategory(graph, raw.feature, dtype));
        return value ? withRowsFilled(graph, cells, *value, dtype) : cells;
    }
    CANNERY_TRY_ASSIGN(const auto value, defaultCategory(graph, raw.feature, dtype));
    SparseNodes cells = *source.cells;
    // An empty text is an empty cell, which may have a default; -1 may be an actual value of a
    // cell.
    if (!raw.feature.sparse && dtype == DType::String) {
        cells = withoutValue(graph, cells, noCategory(graph, dtype), dtype);
    }
    if (value) {
        cells = withRowsFilled(graph, cells, *value, dtype);
    }
    if (!raw.feature.sparse && dtype == DType::Int64) {
        cells = withoutValue(graph, cells, noCategory(graph, dtype), dtype);
    }
    return cells;
}

Result<SparseNodes> FeatureGraph::makeCrossKey(const RawTensor& raw)
{
    if (raw.feature.sparse) {
        return category(raw.feature.name);
    }
    GraphDefBuilder& graph = *m_graph;
    const Categories source = categoriesOf(graph, raw);
    if (source.dense) {
        return cellsOfDense(graph, *source.dense, source.dtype);
    }
    CANNERY_TRY_ASSIGN(const auto value, defaultCategory(graph, raw.feature, source.dtype));
    SparseNodes cells = *source.cells;
    if (value && source.dtype == DType::String) {
        cells = withoutValue(graph, cells, noCategory(graph, source.dtype), source.dtype);
    }
    // A cross needs a value in each row: a row without one is crossed as "no category".
    return withRowsFilled(graph, cells, value ? *value : noCategory(graph, source.dtype),
                          source.dtype);
}

Result<SparseNodes> FeatureGraph::category(const std::string& feature)
{
    // The nodes of a feature are made once, for all columns that read it.
    if (const auto found = m_categories.find(feature); found != m_categories.end()) {
        return found->second;
    }
    const auto exactly = m_graph->enterExactly("features");
    const auto scope = m_graph->enterScope(scopeName(feature) + "_category");
    CANNERY_TRY_ASSIGN(const SparseNodes cells, makeCategory(raw(feature)));
    m_categories.emplace(feature, cells);
    return cells;
}

Result<FeatureGraph::CrossKey> FeatureGraph::crossKey(const std::string& feature)
{
    if (const auto found = m_crossKeys.find(feature); found != m_crossKeys.end()) {
        return found->second;
    }
    const auto exactly = m_graph->enterExactly("features");
    const auto scope = m_graph->enterScope(scopeName(feature) + "_cross_key");
    const RawTensor& source = raw(feature);
    CrossKey key;
    CANNERY_TRY_ASSIGN(key.cells, makeCrossKey(source));
    key.isText = source.dtype == DType::String;
    key.isSparse = source.feature.sparse;
    m_crossKeys.emplace(feature, key);
    return key;
}

Result<NodeRef> FeatureGraph::weights(const std::string& feature, const std::string& idFeature,
                                      const SparseNodes& ids)
{
    const RawTensor& source = raw(feature);
    const RawTensor& idSource = raw(idFeature);
    GraphDefBuilder& graph = *m_graph;
    if (!source.dense) {
        CANNERY_CHECK(source.cells.has_value());
        const NodeRef values = cast(graph, source.cells->values, source.dtype, DType::Float32);
        // Weights of a list whose ids have been dropped would otherwise be counted to other ids.
        // Both lists come from the client as they are, so weights and ids stand side by side.
        if (idSource.feature.sparse && !idSource.dense) {
            return values;
        }
        const NodeRef dense = graph.add(
            "SparseToDense", "SparseToDense",
            {source.cells->indices, source.cells->shape, values, graph.constant("none", 0.0F)},
            {{"T", DType::Float32}, {"Tindices", DType::Int64}});
        // Ids may have been dropped, so each one left fetches its own weight by its place.
        return graph.add("GatherNd", "weights", {dense, ids.indices},
                         {{"Tparams", DType::Float32}, {"Tindices", DType::Int64}});
    }
    const NodeRef dense = cast(graph, asRows(graph, source, *source.dense, source.dtype),
                               source.dtype, DType::Float32);
    return graph.add("GatherNd", "weights", {dense, ids.indices},
                     {{"Tparams", DType::Float32}, {"Tindices", DType::Int64}});
}

Result<storage::EmittedValue> FeatureGraph::column(const FeatureColumn& column)
{
    if (const auto found = m_columns.find(&column); found != m_columns.end()) {
        return found->second;
    }
    const auto exactly = m_graph->enterExactly("features");
    const auto scope = m_graph->enterScope(scopeName(column.info().tensorflowName));
    CANNERY_TRY_ASSIGN(storage::EmittedValue value, column.emit(*this));
    m_columns.emplace(&column, value);
    return value;
}

std::string scopeName(std::string_view name)
{
    std::string result;
    for (const char c : name) {
        const bool isAllowed = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                               (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
        result += isAllowed ? c : '_';
    }
    const bool startsWell = !result.empty() && result.front() != '_' && result.front() != '-';
    return startsWell ? result : "f" + result;
}

} // namespace cannery::features
