#include "core/features/crossed_column.h"

#include "core/base/fingerprint.h"
#include "core/features/category_cells.h"
#include "core/features/feature_graph.h"
#include "core/features/hash_bucket_column.h"
#include "core/spec/feature_columns.pb.h"
#include "core/spec/tensorflow_names.h"

namespace cannery::features {

namespace {

constexpr ErrorKind kInput{"features.cross_input",
                           "Crossed column '{}' cannot take column '{}', which is {}."};

/// What TensorFlow starts hashing with when the key is not given, or 0.
constexpr std::uint64_t kDefaultHashKey = 0xDECAFCAFFE;

std::int64_t crossedValue(std::string_view text)
{
    return static_cast<std::int64_t>(fingerprint64(text));
}

std::int64_t crossedValue(std::int64_t number)
{
    return number;
}

/// Every cell of a raw feature, none left out.
template <typename Elements>
void readCells(const data::FeatureValues& values, const Elements& elements, std::int64_t rowCount,
               IdRows& out)
{
    out.start(rowCount);
    out.ids.reserve(elements.size());
    const RowCells rowCells(values);
    for (std::int64_t row = 0; row < rowCount; ++row) {
        const CellRange cells = rowCells.of(row);
        for (std::int64_t element = cells.begin; element < cells.end; ++element) {
            const auto cell = elements[static_cast<std::size_t>(element)];
            if constexpr (std::is_same_v<Elements, StringColumn>) {
                out.ids.push_back(crossedValue(cell));
            } else {
                out.ids.push_back(isInvalid(values, element) ? kNoCategory : crossedValue(cell));
            }
        }
        out.endRow();
    }
}

void readRaw(const data::FeatureValues& values, std::int64_t rowCount, IdRows& out)
{
    if (const auto* texts = std::get_if<StringColumn>(&values.elements)) {
        readCells(values, *texts, rowCount, out);
    } else {
        readCells(values, std::get<std::vector<std::int64_t>>(values.elements), rowCount, out);
    }
}

/// Walks through the product of some rows of values and hashes each combination. Beginnings of
/// combinations are hashed once for all that share them.
class RowProduct
{
public:
    RowProduct(const std::vector<IdRows>& inputs, std::uint64_t hashKey, std::uint64_t buckets)
        : m_inputs(inputs), m_places(inputs.size()), m_hashes(inputs.size() + 1), m_buckets(buckets)
    {
        m_hashes[0] = hashKey;
    }

    void append(std::size_t row, std::vector<std::int64_t>& ids)
    {
        for (std::size_t i = 0; i < m_inputs.size(); ++i) {
            m_places[i] = m_inputs[i].rowOffsets[row];
            if (m_places[i] == m_inputs[i].rowOffsets[row + 1]) {
                return;
            }
        }
        std::size_t changed = 0;
        do {
            for (std::size_t i = changed; i < m_inputs.size(); ++i) {
                const auto value = m_inputs[i].ids[static_cast<std::size_t>(m_places[i])];
                m_hashes[i + 1] = fingerprintCat64(m_hashes[i], static_cast<std::uint64_t>(value));
            }
            ids.push_back(static_cast<std::int64_t>(m_hashes.back() % m_buckets));
        } while (advance(row, changed));
    }

private:
    /// To the next combination; `changed` is the first input that differs. False behind the last.
    bool advance(std::size_t row, std::size_t& changed)
    {
        for (std::size_t i = m_inputs.size(); i-- > 0;) {
            if (++m_places[i] < m_inputs[i].rowOffsets[row + 1]) {
                changed = i;
                return true;
            }
            m_places[i] = m_inputs[i].rowOffsets[row];
        }
        return false;
    }

    const std::vector<IdRows>& m_inputs;
    std::vector<std::int64_t> m_places;
    std::vector<std::uint64_t> m_hashes;
    std::uint64_t m_buckets;
};

Result<CrossedColumn::Input> inputOf(const spec::CrossLeaf& leaf, const std::string& name,
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
    if (input.column->info().weighted) {
        return fail(ErrorCode::InvalidArgument, kInput, name, leaf.name,
                    "weighted: cross the column without its weights");
    }
    if (dynamic_cast<const HashBucketColumn*>(input.column.get()) != nullptr) {
        return fail(ErrorCode::InvalidArgument, kInput, name, leaf.name,
                    "hashed already, so that more values would collide: cross the raw feature");
    }
    return input;
}

} // namespace

Result<ColumnPointer> CrossedColumn::create(const spec::FeatureColumn& spec, ColumnBuilder& builder)
{
    const spec::CrossedColumn& column = spec.crossed_column();
    CANNERY_TRY_ASSIGN(const std::vector<spec::CrossLeaf> leaves,
                       spec::crossLeaves(builder.experiment(), spec.name()));
    std::vector<Input> inputs;
    for (const spec::CrossLeaf& leaf : leaves) {
        CANNERY_TRY_ASSIGN(Input input, inputOf(leaf, spec.name(), builder));
        inputs.push_back(std::move(input));
    }
    CANNERY_TRY_ASSIGN(ColumnInfo info,
                       builder.info(spec.name(), SlotKind::Ids, column.hash_bucket_size()));
    return std::make_shared<const CrossedColumn>(std::move(info), std::move(inputs),
                                                 column.hash_key() == 0 ? kDefaultHashKey
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

Result<std::vector<IdRows>> CrossedColumn::readInputs(const RawRows& rows) const
{
    std::vector<IdRows> sparse;
    std::vector<IdRows> dense;
    for (const Input& input : m_inputs) {
        IdRows values;
        if (input.column != nullptr) {
            CANNERY_TRY(input.column->encodeIds(rows, values));
            sparse.push_back(std::move(values));
            continue;
        }
        CANNERY_TRY_ASSIGN(const data::FeatureValues* feature, rows.find(input.feature));
        CANNERY_TRY(checkCategoryType(*feature, DType::Invalid, info().name));
        readRaw(*feature, rows.count(), values);
        (feature->sparse ? sparse : dense).push_back(std::move(values));
    }
    for (IdRows& values : dense) {
        sparse.push_back(std::move(values));
    }
    return sparse;
}

Result<void> CrossedColumn::encodeIds(const RawRows& rows, IdRows& out) const
{
    CANNERY_TRY_ASSIGN(const std::vector<IdRows> inputs, readInputs(rows));
    RowProduct product(inputs, m_hashKey, static_cast<std::uint64_t>(info().width));
    out.start(rows.count());
    for (std::int64_t row = 0; row < rows.count(); ++row) {
        const std::size_t before = out.ids.size();
        product.append(static_cast<std::size_t>(row), out.ids);
        if (out.recordCells) {
            for (std::size_t i = before; i < out.ids.size(); ++i) {
                out.cells.push_back(static_cast<std::int32_t>(i - before));
            }
        }
        out.endRow();
    }
    return {};
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
    // Everything goes in as sparse, in the order of training, so that its order is the op's.
    const storage::NodeRef cross =
        graph.graph().add("SparseCross", "SparseCross", nodes,
                          {{"N", static_cast<std::int64_t>(count)},
                           {"hashed_output", true},
                           {"num_buckets", info().width},
                           {"hash_key", static_cast<std::int64_t>(m_hashKey)},
                           {"sparse_types", types},
                           {"dense_types", std::vector<DType>{}},
                           {"out_type", DType::Int64},
                           {"internal_type", isText ? DType::String : DType::Int64}});
    return SparseNodes{cross, cross.at(1), cross.at(2)}.value();
}

} // namespace cannery::features
