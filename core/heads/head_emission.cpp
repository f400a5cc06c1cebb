// SPDX-License-Identifier: Apache-2.0
#include "core/heads/head_emission.h"

#include "core/base/fingerprint.h"

#include <fmt/format.h>

#include <algorithm>

namespace cannery::heads {

using storage::GraphDefBuilder;
using storage::HostTensor;
using storage::NodeRef;

namespace {

/// The table is named after its contents, so that the same model gives the same bytes, and two
/// models loaded into one session share a table only if it is the same.
std::string tableName(const std::vector<std::string>& vocabulary)
{
    std::string joined;
    for (const std::string& word : vocabulary) {
        // With its length, so that no two lists join to the same text.
        joined += std::to_string(word.size()) + ":" + word;
    }
    return fmt::format("class_string_lookup_{:016x}", fingerprint64(joined));
}

NodeRef emitTable(GraphDefBuilder& graph, const std::vector<std::string>& vocabulary)
{
    const auto scope = graph.enterScope("class_string_lookup");
    std::vector<std::int64_t> ids(vocabulary.size());
    for (std::size_t id = 0; id < ids.size(); ++id) {
        ids[id] = static_cast<std::int64_t>(id);
    }
    const NodeRef words = graph.constant("Const", vocabulary);
    const NodeRef keys = graph.constant("Cast", ids);
    const NodeRef table = graph.add("HashTableV2", "hash_table", {},
                                    {{"key_dtype", DType::Int64},
                                     {"value_dtype", DType::String},
                                     {"shared_name", tableName(vocabulary)}});
    graph.addTableInitializer(graph.add("LookupTableImportV2", "table_init/LookupTableImportV2",
                                        {table, keys, words},
                                        {{"Tin", DType::Int64}, {"Tout", DType::String}}));
    // The loader fills the table before the first request.
    return table;
}

/// [rows of `like`, 1], to tile one row with.
NodeRef emitMultiples(GraphDefBuilder& graph, const NodeRef& like)
{
    using Ints = std::vector<std::int32_t>;
    const NodeRef shape = graph.add("Shape", "Shape", {like}, {{"T", DType::Float32}});
    const NodeRef rows =
        graph.add("StridedSlice", "strided_slice",
                  {shape, graph.constant("strided_slice/stack", Ints{0}),
                   graph.constant("strided_slice/stack_1", Ints{1}),
                   graph.constant("strided_slice/stack_2", Ints{1})},
                  {{"T", DType::Int32}, {"Index", DType::Int32}, {"shrink_axis_mask", 1}});
    const NodeRef one = graph.constant("Tile/multiples/1", std::int32_t{1});
    return graph.add("Pack", "Tile/multiples", {rows, one}, {{"T", DType::Int32}, {"N", 2}});
}

NodeRef emitTile(GraphDefBuilder& graph, const NodeRef& row, const NodeRef& like, DType dtype)
{
    return graph.add("Tile", "Tile", {row, emitMultiples(graph, like)}, {{"T", dtype}});
}

} // namespace

NodeRef emitClassIds(GraphDefBuilder& graph, const NodeRef& logits)
{
    const NodeRef axis = graph.constant("class_ids/dimension", std::int32_t{-1});
    const NodeRef ids = graph.add("ArgMax", "class_ids", {logits, axis}, {{"T", DType::Float32}});
    return graph.add("ExpandDims", "ExpandDims",
                     {ids, graph.constant("ExpandDims/dim", std::int32_t{-1})},
                     // ArgMax drops the dimension; TensorFlow's head has class_ids of [batch, 1].
                     {{"T", DType::Int64}});
}

NodeRef emitClassStrings(GraphDefBuilder& graph, const NodeRef& classIds,
                         const std::vector<std::string>& vocabulary)
{
    if (vocabulary.empty()) {
        return graph.add("AsString", "str_classes", {classIds}, {{"T", DType::Int64}});
    }
    const NodeRef table = emitTable(graph, vocabulary);
    // TensorFlow's word for an id outside of the vocabulary.
    const NodeRef unknown =
        graph.constant("class_string_lookup/Const_1", HostTensor::scalarString("UNK"));
    return graph.add("LookupTableFindV2", "hash_table_Lookup/LookupTableFindV2",
                     {table, classIds, unknown}, {{"Tin", DType::Int64}, {"Tout", DType::String}});
}

NodeRef emitAllClassIds(GraphDefBuilder& graph, const NodeRef& like, std::int64_t classes)
{
    std::vector<std::int32_t> ids;
    for (std::int64_t id = 0; id < classes; ++id) {
        ids.push_back(static_cast<std::int32_t>(id));
    }
    return emitTile(graph, graph.constant("range", ids, {1, classes}), like, DType::Int32);
}

NodeRef emitAllClasses(GraphDefBuilder& graph, const NodeRef& like, std::int64_t classes,
                       const std::vector<std::string>& names)
{
    return emitTile(graph, graph.constant("Const", names, {1, classes}), like, DType::String);
}

SignatureOutput signatureOutput(std::string key, NodeRef tensor, DType dtype, std::int64_t width)
{
    return {
        .key = std::move(key), .tensor = std::move(tensor), .dtype = dtype, .shape = {-1, width}};
}

SignatureOutput constantOutput(std::string key, NodeRef tensor, DType dtype, std::int64_t width)
{
    SignatureOutput output = signatureOutput(std::move(key), std::move(tensor), dtype, width);
    output.isConstant = true;
    return output;
}

void addClassification(std::vector<Signature>& signatures, const NodeRef& scores,
                       const NodeRef& classes, std::int64_t width)
{
    // TensorFlow serves a classification under both names.
    for (const char* name : {"serving_default", "classification"}) {
        signatures.push_back(
            {.name = name,
             .kind = SignatureKind::Classification,
             .outputs = {constantOutput("classes", classes, DType::String, width),
                         signatureOutput("scores", scores, DType::Float32, width)}});
    }
}

Signature regressionSignature(std::string name, const NodeRef& value, std::int64_t width)
{
    return {.name = std::move(name),
            .kind = SignatureKind::Regression,
            .outputs = {signatureOutput("outputs", value, DType::Float32, width)}};
}

Signature predictSignature(std::vector<SignatureOutput> outputs)
{
    // As TensorFlow sorts the outputs of a dictionary.
    std::sort(outputs.begin(), outputs.end(),
              [](const SignatureOutput& a, const SignatureOutput& b) { return a.key < b.key; });
    return {.name = "predict", .kind = SignatureKind::Predict, .outputs = std::move(outputs)};
}

} // namespace cannery::heads
