// SPDX-License-Identifier: Apache-2.0
#include "core/features/vocabulary_column.h"

#include "core/base/fingerprint.h"
#include "core/features/category_cells.h"
#include "core/features/feature_graph.h"
#include "core/features/hash_bucket_column.h"

#include <numeric>
#include <string>

namespace cannery::features {

namespace {

constexpr ErrorKind kDefaultAndBuckets{
    "features.vocabulary_two_defaults",
    "Feature column '{}' has num_oov_buckets {} and default_value {}; an unknown word can have "
    "only one of them."};
constexpr ErrorKind kDefaultRange{"features.vocabulary_default",
                                  "The default_value {} of feature column '{}' is not below its {} "
                                  "buckets; -1 drops unknown words."};

using storage::NodeRef;

storage::HostTensor keysOf(const TextVocabulary& words)
{
    std::vector<std::string> texts;
    texts.reserve(static_cast<std::size_t>(words.size()));
    for (std::int64_t i = 0; i < words.size(); ++i) {
        texts.emplace_back(words.word(i));
    }
    return storage::HostTensor::ofStrings(std::move(texts));
}

storage::HostTensor keysOf(const IntegerVocabulary& words)
{
    return storage::HostTensor::of(words.numbers());
}

/// A table from words to their indices, filled when the model is loaded.
NodeRef emitTable(storage::GraphDefBuilder& graph, const VocabularyRule& rule, DType keyType)
{
    const auto scope = graph.enterScope("lookup");
    const NodeRef table = graph.add(
        "HashTableV2", "hash_table", {},
        {{"key_dtype", keyType},
         {"value_dtype", DType::Int64},
         // By scope, so that two tables of one graph are different resources.
         {"shared_name", "hash_table_" + (graph.scope().empty() ? "root" : graph.scope())}});
    if (!rule.file.empty()) {
        // -2: the key is the whole line; -1: the value is the line number.
        graph.addTableInitializer(
            graph.add("InitializeTableFromTextFileV2", "table_init",
                      {table, graph.asset("asset_path", rule.file)},
                      {{"key_index", -2}, {"value_index", -1}, {"vocab_size", rule.size()}}));
        return table;
    }
    std::vector<std::int64_t> indices(static_cast<std::size_t>(rule.size()));
    std::iota(indices.begin(), indices.end(), std::int64_t{0});
    const auto keys = std::visit([](const auto& words) { return keysOf(words); }, rule.words);
    graph.addTableInitializer(
        graph.add("InitializeTableV2", "table_init",
                  {table, graph.constant("keys", keys), graph.constant("values", indices)},
                  {{"Tkey", keyType}, {"Tval", DType::Int64}}));
    return table;
}

NodeRef emitBucketsOfUnknown(storage::GraphDefBuilder& graph, const NodeRef& table,
                             const NodeRef& keys, const NodeRef& found, const NodeRef& none,
                             const VocabularyRule& rule, DType keyType)
{
    const storage::Attrs ids{{"T", DType::Int64}};
    // Hashed as its own column would hash it, then placed behind the vocabulary.
    const NodeRef hash = emitHashBucket(graph, keys, keyType, rule.oovBuckets);
    const NodeRef size = graph.add("LookupTableSizeV2", "size", {table});
    const NodeRef bucket = graph.add("AddV2", "oov_bucket", {hash, size}, ids);
    const NodeRef known = graph.add("NotEqual", "known", {found, none}, ids);
    return graph.add("SelectV2", "ids", {known, found, bucket}, ids);
}

} // namespace

Result<void> VocabularyColumn::check(const VocabularyRule& rule, const std::string& column)
{
    if (rule.oovBuckets > 0 && rule.defaultValue != -1) {
        return fail(ErrorCode::InvalidArgument, kDefaultAndBuckets, column, rule.oovBuckets,
                    rule.defaultValue);
    }
    if (rule.defaultValue >= rule.size() + rule.oovBuckets) {
        return fail(ErrorCode::InvalidArgument, kDefaultRange, rule.defaultValue, column,
                    rule.size() + rule.oovBuckets);
    }
    return {};
}

void VocabularyColumn::addUses(std::vector<RawUse>& uses) const
{
    uses.push_back(
        {.feature = m_rule.feature, .role = RawRole::Category, .dtype = dtype(), .defaults = {}});
}

std::int64_t VocabularyColumn::unknown(std::string_view word) const
{
    return m_rule.oovBuckets > 0 ? m_rule.size() + hashBucket(word, m_rule.oovBuckets)
                                 : m_rule.defaultValue;
}

std::int64_t VocabularyColumn::unknown(std::int64_t number) const
{
    return m_rule.oovBuckets > 0 ? m_rule.size() + hashBucket(number, m_rule.oovBuckets)
                                 : m_rule.defaultValue;
}

template <typename Ids>
Result<void> VocabularyColumn::encode(const RawRows& rows, Ids& out) const
{
    CANNERY_TRY_ASSIGN(const data::FeatureValues* values, rows.find(m_rule.feature));
    CANNERY_TRY(checkCategoryType(*values, dtype(), info().name));
    if (isText()) {
        const auto& words = std::get<TextVocabulary>(m_rule.words);
        const auto& cells = std::get<StringColumn>(values->elements);
        // The cells are contiguous.
        // find(word, end) may then read whole words of memory up to the end of the last cell.
        const std::string_view last = cells.empty() ? std::string_view() : cells[cells.size() - 1];
        const char* end = last.data() + last.size();
        const auto idOf = [&](std::string_view cell) {
            const std::int64_t id = words.find(cell, end);
            return id >= 0 ? id : unknown(cell);
        };
        readCategoriesOf(*values, cells, rows, idOf, out);
    } else {
        const auto& words = std::get<IntegerVocabulary>(m_rule.words);
        const auto idOf = [&](std::int64_t cell) {
            const std::int64_t id = words.find(cell);
            return id >= 0 ? id : unknown(cell);
        };
        readCategoriesOf(*values, std::get<std::vector<std::int64_t>>(values->elements), rows, idOf,
                         out);
    }
    return {};
}

Result<void> VocabularyColumn::encodeIds(const RawRows& rows, EncodeScratch&, IdRows& out) const
{
    return encode(rows, out);
}

Result<void> VocabularyColumn::encodeSlot(const RawRows& rows, EncodeScratch&, IdBlock& out) const
{
    return encode(rows, out);
}

std::string VocabularyColumn::idText(std::int64_t id) const
{
    if (id < 0 || id >= m_rule.size()) {
        return {}; // of a bucket of unknown words
    }
    return isText() ? std::string(std::get<TextVocabulary>(m_rule.words).word(id))
                    : std::to_string(std::get<IntegerVocabulary>(m_rule.words)
                                         .numbers()[static_cast<std::size_t>(id)]);
}

Result<storage::EmittedValue> VocabularyColumn::emit(FeatureGraph& graph) const
{
    CANNERY_TRY_ASSIGN(SparseNodes cells, graph.category(m_rule.feature));
    storage::GraphDefBuilder& nodes = graph.graph();
    const NodeRef table = emitTable(nodes, m_rule, dtype());
    const NodeRef none = nodes.constant("default_value", m_rule.defaultValue);
    const NodeRef found = nodes.add("LookupTableFindV2", "find", {table, cells.values, none},
                                    {{"Tin", dtype()}, {"Tout", DType::Int64}});
    const NodeRef keys = cells.values;
    cells.values = m_rule.oovBuckets > 0
                       ? emitBucketsOfUnknown(nodes, table, keys, found, none, m_rule, dtype())
                       : found;
    return cells.value();
}

} // namespace cannery::features
