// SPDX-License-Identifier: Apache-2.0
#include "core/features/crossed_column.h"

#include "core/base/fingerprint.h"
#include "core/features/category_cells.h"
#include "core/features/feature_graph.h"
#include "core/spec/crossed_columns.h"
#include "core/spec/tensorflow_names.h"

#include <algorithm>
#include <span>

namespace cannery::features {

namespace {

constexpr ErrorKind kInput{"features.cross_input",
                           "Crossed column '{}' cannot take column '{}', which is {}."};

std::int64_t crossedValue(std::string_view text)
{
    // TensorFlow hashes a text with Fingerprint64 and takes an integer as it is.
    return static_cast<std::int64_t>(fingerprint64(text));
}

std::int64_t crossedValue(std::int64_t number)
{
    return number;
}

/// Every cell of a raw feature, including empty ones.
template <typename Elements>
void readCells(const data::FeatureValues& values, const Elements& elements, const RawRows& rows,
               IdRows& out)
{
    const RowCells rowCells(values, rows);
    const CellRange all = rowCells.all();
    startIds(out, rows.count(), all.end - all.begin);
    std::int64_t* id = out.ids.data();
    for (std::int64_t element = all.begin; element < all.end; ++element) {
        const auto cell = elements[static_cast<std::size_t>(element)];
        if constexpr (std::is_same_v<Elements, StringColumn>) {
            *id++ = crossedValue(cell);
        } else {
            // An empty cell is crossed, too: a missing integer as -1, a missing text as the empty
            // one.
            *id++ = isInvalid(values, element) ? kNoCategory : crossedValue(cell);
        }
    }
    for (std::int64_t row = 0; row < rows.count(); ++row) {
        out.rowOffsets[static_cast<std::size_t>(row) + 1] = rowCells.of(row).end - all.begin;
    }
}

void readRaw(const data::FeatureValues& values, const RawRows& rows, IdRows& out)
{
    if (const auto* texts = std::get_if<StringColumn>(&values.elements)) {
        readCells(values, *texts, rows, out);
    } else {
        readCells(values, std::get<std::vector<std::int64_t>>(values.elements), rows, out);
    }
}

bool hasOneIdInEveryRow(const IdRows& input)
{
    const auto rows = static_cast<std::int64_t>(input.rowOffsets.size()) - 1;
    for (std::int64_t row = 0; row <= rows; ++row) {
        if (input.rowOffsets[static_cast<std::size_t>(row)] != row) {
            return false;
        }
    }
    return true;
}

/// The hashes of rows that have exactly one value in every input, input by input.
void hashSingles(std::span<const IdRows> inputs, std::uint64_t hashKey,
                 std::vector<std::uint64_t>& hashes)
{
    hashes.assign(inputs.front().ids.size(), hashKey);
    for (const IdRows& input : inputs) {
        for (std::size_t row = 0; row < hashes.size(); ++row) {
            hashes[row] = fingerprintCat64(hashes[row], static_cast<std::uint64_t>(input.ids[row]));
        }
    }
}

/// Iterates over the product of some rows of values and hashes each combination. Prefixes of
/// combinations are hashed once for all that share them.
class RowProduct
{
public:
    RowProduct(std::span<const IdRows> inputs, std::uint64_t hashKey, const BucketModulo& modulo,
               EncodeScratch& scratch)
        : m_inputs(inputs), m_places(scratch.places), m_hashes(scratch.hashes), m_modulo(modulo)
    {
        m_places.resize(inputs.size());
        m_hashes.resize(inputs.size() + 1);
        m_hashes[0] = hashKey;
    }

    /// Calls take(id) for every combination of the row.
    template <typename Take>
    void forEach(std::size_t row, const Take& take)
    {
        // An input without a value leaves nothing to combine, as in TensorFlow's SparseCross.
        for (std::size_t i = 0; i < m_inputs.size(); ++i) {
            m_places[i] = m_inputs[i].rowOffsets[row];
            if (m_places[i] == m_inputs[i].rowOffsets[row + 1]) {
                return;
            }
        }
        std::size_t changed = 0;
        // Only the hashes from the first changed input on are computed again.
        do {
            for (std::size_t i = changed; i < m_inputs.size(); ++i) {
                const auto value = m_inputs[i].ids[static_cast<std::size_t>(m_places[i])];
                m_hashes[i + 1] = fingerprintCat64(m_hashes[i], static_cast<std::uint64_t>(value));
            }
            take(static_cast<std::int64_t>(m_modulo(m_hashes.back())));
        } while (advance(row, changed));
    }

private:
    /// Advances to the next combination; `changed` is the first input that differs. False at the
    /// end.
    bool advance(std::size_t row, std::size_t& changed)
    {
        // As a counter: the last input varies fastest, which is the order of TensorFlow's ids.
        for (std::size_t i = m_inputs.size(); i-- > 0;) {
            if (++m_places[i] < m_inputs[i].rowOffsets[row + 1]) {
                changed = i;
                return true;
            }
            m_places[i] = m_inputs[i].rowOffsets[row];
        }
        return false;
    }

    std::span<const IdRows> m_inputs;
    std::vector<std::int64_t>& m_places;
    std::vector<std::uint64_t>& m_hashes;
    const BucketModulo& m_modulo;
};

Result<CrossedColumn::Input> inputOf(const spec::ColumnSource& leaf, const std::string& name,
                                     ColumnBuilder& builder)
{
    CrossedColumn::Input input;
    if (!leaf.isColumn) {
        input.feature = leaf.name;
        return input;
    }
    CANNERY_TRY_ASSIGN(input.column, builder.column(leaf.name));
    if (input.column->info().kind != SlotKind::Ids) {
        return fail(ErrorCode::InvalidArgument, kInput, name, leaf.name,
                    "numeric: bucketize it first");
    }
    const spec::FeatureColumn& column = *builder.specs().find(leaf.name);
    for (const auto& instead : spec::sourcesIn(column, spec::columnKind(column).crossed_by())) {
        // An embedding or indicator is crossed by what it wraps.
        return fail(ErrorCode::InvalidArgument, kInput, name, leaf.name,
                    fmt::format("a {}: cross the {} '{}' instead", spec::kindName(column),
                                instead.isColumn ? "column" : "feature", instead.name));
    }
    return input;
}

} // namespace

Result<ColumnPointer> CrossedColumn::create(const spec::FeatureColumn& spec, ColumnBuilder& builder)
{
    const spec::CrossedColumn& column = spec.crossed_column();
    CANNERY_TRY_ASSIGN(const std::vector<spec::ColumnSource> leaves,
                       spec::crossLeaves(builder.specs(), spec.name()));
    std::vector<Input> inputs;
    for (const spec::ColumnSource& leaf : leaves) {
        CANNERY_TRY_ASSIGN(Input input, inputOf(leaf, spec.name(), builder));
        inputs.push_back(std::move(input));
    }
    CANNERY_TRY_ASSIGN(ColumnInfo info,
                       builder.info(spec.name(), SlotKind::Ids, column.hash_bucket_size()));
    // TensorFlow replaces a hash_key of 0 or None by a constant of its own.
    return std::make_shared<const CrossedColumn>(std::move(info), std::move(inputs),
                                                 column.hash_key() == 0 ? spec::kCrossHashKey
                                                                        : column.hash_key());
}

void CrossedColumn::addUses(std::vector<RawUse>& uses) const
{
    for (const Input& input : m_inputs) {
        if (input.column != nullptr) {
            input.column->addUses(uses);
        } else {
            uses.push_back({.feature = input.feature, .role = RawRole::CrossKey, .defaults = {}});
        }
    }
}

void CrossedColumn::addEdges(std::vector<RawEdges>& edges) const
{
    for (const Input& input : m_inputs) {
        if (input.column != nullptr) {
            input.column->addEdges(edges);
        }
    }
}

Result<void> CrossedColumn::readInputs(const RawRows& rows, EncodeScratch& scratch) const
{
    // Kept from the last batch with their memory.
    if (scratch.crossed.size() < m_inputs.size()) {
        scratch.crossed.resize(m_inputs.size());
    }
    auto next = scratch.crossed.begin();
    // TensorFlow's SparseCross hashes its sparse inputs before the dense ones, whatever their
    // order.
    for (const bool sparse : {true, false}) {
        for (const Input& input : m_inputs) {
            if (input.column != nullptr) {
                if (sparse) {
                    CANNERY_TRY(input.column->encodeIds(rows, scratch, *next++));
                }
                continue;
            }
            CANNERY_TRY_ASSIGN(const data::FeatureValues* feature, rows.find(input.feature));
            CANNERY_TRY(checkCategoryType(*feature, DType::Invalid, info().name));
            if (feature->sparse == sparse) {
                readRaw(*feature, rows, *next++);
            }
        }
    }
    return {};
}

template <typename Ids>
Result<void> CrossedColumn::encode(const RawRows& rows, EncodeScratch& scratch, Ids& out) const
{
    CANNERY_TRY(readInputs(rows, scratch));
    const auto inputs = std::span<const IdRows>(scratch.crossed).first(m_inputs.size());
    startIds(out, rows.count(), rows.count());
    // One value in each input is the usual case: hashes are then computed input by input, in
    // vectors.
    if (!recordsCells(out) && std::all_of(inputs.begin(), inputs.end(), hasOneIdInEveryRow)) {
        hashSingles(inputs, m_hashKey, scratch.hashes);
        for (std::size_t row = 0; row < out.ids.size(); ++row) {
            putId(static_cast<std::int64_t>(m_modulo(scratch.hashes[row])), out.ids[row]);
            out.rowOffsets[row + 1] = static_cast<std::int64_t>(row) + 1;
        }
        return {};
    }
    out.ids.clear();
    RowProduct product(inputs, m_hashKey, m_modulo, scratch);
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows.count()); ++row) {
        const std::size_t before = out.ids.size();
        product.forEach(row, [&](std::int64_t id) {
            if (recordsCells(out)) {
                recordCell(out, static_cast<std::int64_t>(out.ids.size() - before));
            }
            putId(id, out.ids.emplace_back());
        });
        out.rowOffsets[row + 1] = static_cast<std::int64_t>(out.ids.size());
    }
    return {};
}

Result<void> CrossedColumn::encodeIds(const RawRows& rows, EncodeScratch& scratch,
                                      IdRows& out) const
{
    return encode(rows, scratch, out);
}

Result<void> CrossedColumn::encodeSlot(const RawRows& rows, EncodeScratch& scratch,
                                       IdBlock& out) const
{
    return encode(rows, scratch, out);
}

Result<std::vector<FeatureGraph::CrossKey>> CrossedColumn::emitInputs(FeatureGraph& graph) const
{
    std::vector<FeatureGraph::CrossKey> sparse;
    std::vector<FeatureGraph::CrossKey> dense;
    for (const Input& input : m_inputs) {
        if (input.column != nullptr) {
            CANNERY_TRY_ASSIGN(const storage::EmittedValue ids, graph.column(*input.column));
            sparse.push_back({{{ids.indices}, {ids.ids}, {ids.denseShape}}, false, true});
            continue;
        }
        CANNERY_TRY_ASSIGN(FeatureGraph::CrossKey key, graph.crossKey(input.feature));
        (key.isSparse ? sparse : dense).push_back(std::move(key));
    }
    sparse.insert(sparse.end(), dense.begin(), dense.end());
    return sparse;
}

Result<storage::EmittedValue> CrossedColumn::emit(FeatureGraph& graph) const
{
    CANNERY_TRY_ASSIGN(const std::vector<FeatureGraph::CrossKey> keys, emitInputs(graph));
    const auto count = keys.size();
    std::vector<storage::NodeRef> nodes(3 * count);
    std::vector<DType> types;
    bool isText = true;
    for (std::size_t i = 0; i < count; ++i) {
        nodes[i] = keys[i].cells.indices;
        nodes[count + i] = keys[i].cells.values;
        nodes[2 * count + i] = keys[i].cells.shape;
        types.push_back(keys[i].isText ? DType::String : DType::Int64);
        isText = isText && keys[i].isText;
    }
    // All inputs are passed as sparse, in the order of training, so that the op uses that order.
    const storage::NodeRef cross =
        graph.graph().add("SparseCross", "SparseCross", nodes,
                          {{"N", static_cast<std::int64_t>(count)},
                           {"hashed_output", true},
                           {"num_buckets", info().width},
                           {"hash_key", static_cast<std::int64_t>(m_hashKey)},
                           {"sparse_types", types},
                           {"dense_types", std::vector<DType>{}},
                           {"out_type", DType::Int64},
                           // The op hashes integers as texts if its internal type is string, so the
                           // type must be that of training.
                           {"internal_type", isText ? DType::String : DType::Int64}});
    return SparseNodes{cross, cross.at(1), cross.at(2)}.value();
}

} // namespace cannery::features
