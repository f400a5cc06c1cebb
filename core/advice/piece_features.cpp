// SPDX-License-Identifier: Apache-2.0
#include "core/advice/piece_features.h"

#include "core/advice/cell_values.h"
#include "core/advice/starting_experiment.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace cannery::advice {

namespace {

constexpr std::size_t kMostPieceColumns = 32;
/// While counting; of more, those that come later are not counted.
constexpr std::size_t kMostDifferent = 200'000;
constexpr std::size_t kMostPieceWords = 1000;
/// A piece in fewer cells says more about the cells than about others.
constexpr std::uint64_t kFewestPieceCells = 2;
constexpr std::uint64_t kFewestTexts = 3;
constexpr std::size_t kLargestPieceIndicator = 32;
constexpr std::int64_t kPieceDimension = 8;

class PieceCounter
{
public:
    explicit PieceCounter(PieceFacts facts) : m_facts(std::move(facts)) {}

    void add(std::string_view cell)
    {
        ++m_facts.cells;
        m_ofCell.clear();
        for (const std::string_view piece : piecesOf(cell, m_facts.separator)) {
            // A piece counts once in a cell.
            if (!m_ofCell.insert(piece).second) {
                continue;
            }
            const auto known = m_counts.find(piece);
            if (known != m_counts.end()) {
                ++known->second;
            } else if (m_counts.size() < kMostDifferent) {
                m_counts.emplace(piece, 1);
            }
        }
    }

    PieceFacts finish()
    {
        const std::uint64_t fewest = m_facts.areWords ? kFewestTexts : kFewestPieceCells;
        m_facts.different = m_counts.size();
        for (const auto& [piece, count] : m_counts) {
            if (count >= fewest) {
                m_facts.pieces.push_back({piece, count});
            }
        }
        // Stable, and from a sorted map: the order is always the same.
        std::ranges::stable_sort(m_facts.pieces, std::greater(), &data::ValueCount::count);
        if (m_facts.pieces.size() > kMostPieceWords) {
            m_facts.pieces.resize(kMostPieceWords);
        }
        return std::move(m_facts);
    }

private:
    PieceFacts m_facts;
    std::map<std::string, std::uint64_t, std::less<>> m_counts;
    std::set<std::string_view> m_ofCell;
};

std::optional<PieceFacts> startOf(const data::ColumnSchema& schema,
                                  const data::ColumnStatistics& column)
{
    using Kind = data::ColumnKind;
    const bool isText = schema.kind == Kind::Category || schema.kind == Kind::Identifier ||
                        schema.kind == Kind::FreeText;
    // Lists have their pieces already.
    if (!isText || schema.listOf || schema.dtype != DType::String) {
        return std::nullopt;
    }
    if (std::optional<std::string> separator = findSeparator(column)) {
        return PieceFacts{.column = schema.name, .separator = *std::move(separator)};
    }
    if (schema.kind != Kind::Category && hasRecurringWords(column)) {
        return PieceFacts{.column = schema.name, .separator = " ", .areWords = true};
    }
    return std::nullopt;
}

} // namespace

Result<std::vector<PieceFacts>> surveyPieces(const data::DataSource& source,
                                             const data::TableStatistics& statistics,
                                             const std::string& label)
{
    std::vector<PieceFacts> all;
    std::vector<PieceCounter> counters;
    data::ChunkRequest request;
    for (const data::ColumnStatistics& column : statistics.columns) {
        const data::ColumnSchema* schema = source.schema().find(column.name);
        // The label is never a feature.
        if (schema == nullptr || column.name == label || counters.size() == kMostPieceColumns) {
            continue;
        }
        if (std::optional<PieceFacts> facts = startOf(*schema, column)) {
            counters.emplace_back(*std::move(facts));
            request.columns.push_back({.column = column.name});
        }
    }
    if (counters.empty()) {
        return all;
    }
    CANNERY_TRY_ASSIGN(const std::unique_ptr<data::ChunkStream> stream, source.read(request));
    while (true) {
        CANNERY_TRY_ASSIGN(const std::optional<storage::TableChunk> chunk, stream->next());
        if (!chunk) {
            break;
        }
        for (std::size_t i = 0; i < counters.size(); ++i) {
            const storage::TableColumn& cells = chunk->columns[i];
            for (std::size_t row = 0; row < chunk->rows; ++row) {
                if (cells.isValid(row)) {
                    counters[i].add(cells.strings()[row]);
                }
            }
        }
    }
    for (PieceCounter& counter : counters) {
        PieceFacts facts = counter.finish();
        if (!facts.pieces.empty()) {
            all.push_back(std::move(facts));
        }
    }
    return all;
}

const PieceFacts* findPieces(const std::vector<PieceFacts>& pieces, const std::string& column)
{
    const auto found = std::ranges::find(pieces, column, &PieceFacts::column);
    return found == pieces.end() ? nullptr : &*found;
}

void addPieces(const PieceFacts& pieces, const std::string& name, StartingExperiment& result)
{
    spec::Feature& feature = *result.experiment.mutable_data()->add_feature();
    feature.set_name(name);
    feature.mutable_split()->set_column(pieces.column);
    feature.mutable_split()->set_separator(pieces.separator);
    feature.mutable_split()->set_dtype(spec::DataType::string);
    spec::FeatureColumn& words = *result.experiment.add_feature_column();
    words.set_name(name);
    auto& vocabulary = *words.mutable_categorical_column_with_vocabulary_list();
    vocabulary.set_key(name);
    for (const data::ValueCount& piece : pieces.pieces) {
        vocabulary.add_vocabulary_list(piece.value);
    }
    result.columns.plain.push_back(name);
    // Few pieces are indicators, many share an embedding.
    const bool isShort = pieces.pieces.size() <= kLargestPieceIndicator;
    spec::FeatureColumn& dense = *result.experiment.add_feature_column();
    dense.set_name(name + (isShort ? "_indicator" : "_embedding"));
    if (isShort) {
        dense.mutable_indicator_column()->set_categorical_column(name);
    } else {
        dense.mutable_embedding_column()->set_categorical_column(name);
        dense.mutable_embedding_column()->set_dimension(kPieceDimension);
    }
    result.columns.deep.push_back(dense.name());
    result.taken.push_back(
        {pieces.column,
         pieces.areWords
             ? fmt::format("texts: split into words, {} of which occur in at least {} rows",
                           pieces.pieces.size(), kFewestTexts)
             : fmt::format("several values in a cell, split at \"{}\": {} of them recur",
                           pieces.separator, pieces.pieces.size())});
}

} // namespace cannery::advice
