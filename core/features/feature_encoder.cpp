// SPDX-License-Identifier: Apache-2.0
#include "core/features/feature_encoder.h"

#include "core/base/memory_guard.h"
#include "core/features/column_builder.h"
#include "core/features/example_id_reader.h"
#include "core/features/feature_column.h"
#include "core/features/feature_column_catalog.h"
#include "core/features/label_encoder.h"
#include "core/features/raw_rows.h"
#include "core/features/step_counts.h"
#include "core/features/weight_encoder.h"
#include "core/spec/canned_head.h"
#include "core/spec/estimator_columns.h"
#include "core/spec/example_id.h"
#include "core/spec/experiment.pb.h"
#include "core/spec/tensorflow_names.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace cannery::features {

namespace {

constexpr ErrorKind kRepeatedName{
    "features.repeated_name",
    "Feature columns '{}' and '{}' are both called '{}' in TensorFlow; an estimator cannot have "
    "both. Remove one of them."};
constexpr ErrorKind kIdTooLarge{
    "features.id_range",
    "{}: {} in feature column '{}' is not below its {} buckets. Raise num_buckets, or give a "
    "default_value for such numbers."};
constexpr ErrorKind kNoValidId{
    "features.no_valid_id",
    "{}: feature column '{}' has {}, and an embedding of it has use_safe_embedding_lookup: false, "
    "which needs a category in every row. Remove use_safe_embedding_lookup: such a row then gets "
    "a vector of zeros."};
constexpr ErrorKind kStepCounts{
    "features.step_counts",
    "{}: the sequence '{}' has {} steps, but '{}' has {}. All sequences of a row need the same "
    "number: correct the row, or leave one of them out of sequence_feature_columns."};

/// A column with a slot, and how its ids are looked up.
struct UsedColumn
{
    ColumnPointer column;
    bool isLookedUp = false;
    bool needsIds = false; ///< some embedding's lookup neither prunes nor fills
};

bool slotComesBefore(const UsedColumn& a, const UsedColumn& b)
{
    const ColumnInfo& first = a.column->info();
    const ColumnInfo& second = b.column->info();
    return std::tie(first.tensorflowName, first.name) <
           std::tie(second.tensorflowName, second.name);
}

/// How a model reads what the column wraps; nothing for a column with its own slot.
Result<std::optional<ColumnLookup>> lookupOf(const ColumnBuilder& builder,
                                             const std::string& handle)
{
    const spec::FeatureColumn& column = *builder.specs().find(handle);
    const FeatureColumnRow* row = findFeatureColumnRow(column.kind_case());
    if (row->lookup == nullptr) {
        return std::nullopt;
    }
    CANNERY_TRY_ASSIGN(ColumnLookup lookup, row->lookup(column, builder.specs()));
    return lookup;
}

/// Adds the columns of one part of an estimator.
Result<void> addPart(const std::vector<std::string>& handles, ColumnBuilder& builder,
                     std::unordered_map<std::string, UsedColumn>& used)
{
    std::unordered_map<std::string, std::string> handleOfName;
    for (const std::string& handle : handles) {
        CANNERY_TRY_ASSIGN(const std::vector<std::string> names,
                           spec::tensorflowNames(builder.specs(), handle));
        for (const std::string& name : names) {
            // Within one part only: the linear and the deep part may read the same column.
            const auto [place, isNew] = handleOfName.emplace(name, handle);
            if (!isNew) {
                return fail(ErrorCode::InvalidArgument, kRepeatedName, place->second, handle, name);
            }
        }
        CANNERY_TRY_ASSIGN(const std::vector<ColumnPointer> slots, builder.slotsOf(handle));
        CANNERY_TRY_ASSIGN(const auto lookup, lookupOf(builder, handle));
        const EmbeddingTable* table = lookup && lookup->table ? &*lookup->table : nullptr;
        for (const ColumnPointer& slot : slots) {
            // A column that both parts read has one slot, and must satisfy both.
            UsedColumn& entry = used[slot->info().name];
            entry.column = slot;
            // Counting ids is all that an indicator does with them.
            entry.isLookedUp = entry.isLookedUp || !lookup || table != nullptr;
            // TensorFlow's steps without a category have vectors of zeros whatever is set.
            entry.needsIds = entry.needsIds || (table != nullptr && !slot->info().isSequence &&
                                                !table->lookup.use_safe_embedding_lookup());
        }
    }
    return {};
}

/// Raw features in order of first use.
class KeyList
{
public:
    void add(const FeatureColumn& column)
    {
        std::vector<RawUse> uses;
        column.addUses(uses);
        for (const RawUse& use : uses) {
            add(use.feature);
        }
    }

    void add(const std::string& feature)
    {
        if (m_seen.insert(feature).second) {
            keys.push_back(feature);
        }
    }

    std::vector<std::string> keys;

private:
    std::unordered_set<std::string> m_seen;
};

} // namespace

struct FeatureEncoder::State
{
    spec::Experiment experiment;
    InputLayout layout;
    std::vector<ColumnPointer> columns;
    std::vector<std::uint8_t> isLookedUp; ///< one per column
    std::vector<std::uint8_t> needsIds;   ///< one per column
    WeightEncoder weights;
    LabelEncoder labels;
    std::string exampleId; ///< the raw feature, or empty
    std::vector<std::string> inputKeys;
    std::vector<std::string> featureKeys;
    /// By SlotKind.
    std::array<std::int32_t, 3> slotCounts{};
    std::vector<int> sequences; ///< slots with a value per step

    /// The sequence whose steps are labelled.
    const std::string& stepsName() const
    {
        return layout.slots[static_cast<std::size_t>(layout.labelledSteps)].column;
    }
    std::size_t slotCount(SlotKind kind) const
    {
        return static_cast<std::size_t>(slotCounts[static_cast<std::size_t>(kind)]);
    }

    void addSlot(const UsedColumn& used)
    {
        const ColumnInfo& info = used.column->info();
        const std::int32_t block = slotCounts[static_cast<std::size_t>(info.kind)]++;
        if (info.isSequence) {
            // Checked over all sequences in expectSameSteps().
            sequences.push_back(static_cast<int>(layout.slots.size()));
        }
        layout.slots.push_back(
            {info.kind, info.name, info.tensorflowName, info.width, info.weighted, block});
        columns.push_back(used.column);
        isLookedUp.push_back(used.isLookedUp ? 1 : 0);
        needsIds.push_back(used.needsIds ? 1 : 0);
    }

    Result<void> encodeInputs(const RawRows& rows, EncodeScratch& scratch, EncodedRows& out) const;
    Result<void> encodeSlot(std::size_t index, const RawRows& rows, EncodeScratch& scratch,
                            EncodedRows& out) const;
    Result<void> narrow(std::size_t index, const RawRows& rows, const IdRows& ids,
                        IdBlock& out) const;
    Result<void> encodeIds(std::size_t index, const RawRows& rows, EncodeScratch& scratch,
                           IdBlock& out) const;
    Result<void> expectIds(std::size_t index, const RawRows& rows, const IdBlock& ids) const;
    Result<void> expectSameSteps(const RawRows& rows, const EncodedRows& out) const;
    Result<void> encodeLabels(const RawRows& rows, Labels labels, EncodedRows& out) const;
};

Result<FeatureEncoder> FeatureEncoder::create(const spec::Experiment& resolved,
                                              const std::filesystem::path& experimentFolder)
{
    return guardMemory("the feature columns", [&]() -> Result<FeatureEncoder> {
        auto state = std::make_shared<State>();
        state->experiment = resolved;
        ColumnBuilder builder(state->experiment, experimentFolder);
        const spec::EstimatorColumns handles = spec::columnsOf(resolved.estimator());
        std::unordered_map<std::string, UsedColumn> used;
        CANNERY_TRY(addPart(handles.linear, builder, used));
        CANNERY_TRY(addPart(handles.dnn, builder, used));
        std::vector<UsedColumn> sorted;
        // The map has no order that could be relied on, and slots are the layout of encoded rows.
        // TensorFlow sorts columns by name, too.
        for (auto& entry : used) {
            sorted.push_back(std::move(entry.second));
        }
        std::sort(sorted.begin(), sorted.end(), slotComesBefore);
        KeyList keys;
        for (const UsedColumn& column : sorted) {
            state->addSlot(column);
            keys.add(*column.column);
        }
        // Before weights and ids are added: a client that wants a prediction does not send these.
        state->inputKeys = keys.keys;
        const spec::Head head = spec::headOf(resolved.estimator());
        CANNERY_TRY_ASSIGN(state->labels, LabelEncoder::create(head));
        if (spec::predictsEveryStep(resolved.estimator()) && !state->sequences.empty()) {
            state->layout.labelledSteps = state->sequences.front();
        }
        CANNERY_TRY_ASSIGN(state->weights,
                           WeightEncoder::create(head, state->layout.labelledSteps >= 0, builder));
        state->layout.labelWidth = state->labels.width();
        state->layout.weightWidth = state->weights.width();
        for (const ColumnPointer& weight : state->weights.columns()) {
            keys.add(*weight);
        }
        if (const auto id = spec::exampleIdOf(resolved.estimator())) {
            state->exampleId = id->feature;
            state->layout.hasExampleIds = true;
            keys.add(id->feature);
        }
        state->featureKeys = std::move(keys.keys);
        return FeatureEncoder(std::move(state));
    });
}

Result<void> FeatureEncoder::State::narrow(std::size_t index, const RawRows& rows,
                                           const IdRows& ids, IdBlock& out) const
{
    out.rowOffsets = ids.rowOffsets;
    out.weights = ids.weights;
    out.ids.resize(ids.ids.size());
    const std::int64_t buckets = layout.slots[index].width;
    for (std::size_t i = 0; i < ids.ids.size(); ++i) {
        const std::int64_t id = ids.ids[i];
        // Ids below 0 stand for no category, whatever their value, so a smaller one is only
        // clamped.
        if (id < buckets) {
            out.ids[i] = static_cast<std::int32_t>(
                std::max<std::int64_t>(id, std::numeric_limits<std::int32_t>::min()));
        } else if (isLookedUp[index] == 0) {
            // Only counted: TensorFlow's one_hot drops it.
            out.ids[i] = -1;
        } else {
            // The row is searched for only now that there is an error.
            const auto row = std::upper_bound(ids.rowOffsets.begin(), ids.rowOffsets.end(),
                                              static_cast<std::int64_t>(i)) -
                             ids.rowOffsets.begin() - 1;
            return fail(ErrorCode::OutOfRange, kIdTooLarge, rows.place(row), id,
                        layout.slots[index].column, buckets);
        }
    }
    return {};
}

/// Error: "features.no_valid_id" if a row has no id, or one below 0.
Result<void> FeatureEncoder::State::expectIds(std::size_t index, const RawRows& rows,
                                              const IdBlock& ids) const
{
    for (std::int64_t row = 0; row < rows.count(); ++row) {
        const auto first = ids.ids.begin() + ids.rowOffsets[static_cast<std::size_t>(row)];
        const auto last = ids.ids.begin() + ids.rowOffsets[static_cast<std::size_t>(row) + 1];
        const bool isEmpty = first == last;
        if (isEmpty || std::any_of(first, last, [](std::int32_t id) { return id < 0; })) {
            return fail(ErrorCode::InvalidArgument, kNoValidId, rows.place(row),
                        layout.slots[index].column,
                        isEmpty ? "no category" : "a value that is not one of its categories");
        }
    }
    return {};
}

Result<void> FeatureEncoder::State::encodeIds(std::size_t index, const RawRows& rows,
                                              EncodeScratch& scratch, IdBlock& out) const
{
    // Hashed ids and the like cannot be too large, so the detour over 64 bits is saved.
    if (columns[index]->idsAreBelowWidth()) {
        return columns[index]->encodeSlot(rows, scratch, out);
    }
    CANNERY_TRY(columns[index]->encodeIds(rows, scratch, scratch.ids));
    return narrow(index, rows, scratch.ids, out);
}

Result<void> FeatureEncoder::State::encodeSlot(std::size_t index, const RawRows& rows,
                                               EncodeScratch& scratch, EncodedRows& out) const
{
    const InputSlot& slot = layout.slots[index];
    const auto block = static_cast<std::size_t>(slot.block);
    if (slot.kind == SlotKind::Dense) {
        return columns[index]->encodeDense(rows, out.dense[block]);
    }
    if (slot.kind == SlotKind::Sequence) {
        return columns[index]->encodeSteps(rows, out.sequences[block]);
    }
    CANNERY_TRY(encodeIds(index, rows, scratch, out.ids[block]));
    return needsIds[index] != 0 ? expectIds(index, rows, out.ids[block]) : Result<void>{};
}

Result<void> FeatureEncoder::State::encodeInputs(const RawRows& rows, EncodeScratch& scratch,
                                                 EncodedRows& out) const
{
    out.rowCount = rows.count();
    out.dense.resize(slotCount(SlotKind::Dense));
    out.ids.resize(slotCount(SlotKind::Ids));
    out.sequences.resize(slotCount(SlotKind::Sequence));
    for (std::size_t i = 0; i < columns.size(); ++i) {
        CANNERY_TRY(encodeSlot(i, rows, scratch, out));
    }
    return expectSameSteps(rows, out);
}

/// Error: "features.step_counts".
Result<void> FeatureEncoder::State::expectSameSteps(const RawRows& rows,
                                                    const EncodedRows& out) const
{
    const std::optional<UnequalSteps> unequal = findUnequalSteps(layout, sequences, out);
    if (!unequal) {
        return {};
    }
    const auto columnOf = [&](int slot) {
        return layout.slots[static_cast<std::size_t>(slot)].column;
    };
    const auto stepsOf = [&](int slot) {
        const std::int64_t* row = &stepOffsetsOf(layout, slot, out)[unequal->row];
        return row[1] - row[0];
    };
    const int first = sequences.front();
    return fail(ErrorCode::InvalidArgument, kStepCounts,
                rows.place(static_cast<std::int64_t>(unequal->row)), columnOf(first),
                stepsOf(first), columnOf(unequal->slot), stepsOf(unequal->slot));
}

Result<void> FeatureEncoder::State::encodeLabels(const RawRows& rows, Labels wanted,
                                                 EncodedRows& out) const
{
    // Cleared in any case: `out` may hold the labels of other rows.
    out.labels.clear();
    out.weights.clear();
    out.labelOffsets.clear();
    out.exampleIds.clear();
    if (wanted == Labels::None || (wanted == Labels::Optional && rows.batch().labels.empty())) {
        return {};
    }
    if (layout.labelledSteps >= 0) {
        // The labels of steps have as many values as the first sequence has steps.
        out.labelOffsets = stepOffsetsOf(layout, layout.labelledSteps, out);
        CANNERY_TRY(labels.encodeSteps(rows, {stepsName(), out.labelOffsets}, out.labels));
        CANNERY_TRY(weights.encodeSteps(rows, stepsName(), out));
    } else {
        CANNERY_TRY(labels.encode(rows, out.labels));
        CANNERY_TRY(weights.encode(rows, out.weights));
    }
    return layout.hasExampleIds ? readExampleIds(rows, exampleId, out.exampleIds) : Result<void>{};
}

Result<void> FeatureEncoder::encode(const data::FeatureBatch& batch, Labels labels,
                                    std::span<const std::string> files, EncodedRows& out) const
{
    return encode(batch, {0, batch.rowCount}, labels, files, out);
}

Result<void> FeatureEncoder::encode(const data::FeatureBatch& batch, RowSpan some, Labels labels,
                                    std::span<const std::string> files, EncodedRows& out) const
{
    const RawRows rows(batch, files, some.first, some.count);
    EncodeScratch scratch;
    CANNERY_TRY(m_state->encodeInputs(rows, scratch, out));
    return m_state->encodeLabels(rows, labels, out);
}

Result<void> FeatureEncoder::encodeInputs(const data::FeatureBatch& batch, std::int64_t first,
                                          std::int64_t count, std::span<const std::string> files,
                                          EncodeScratch& scratch, EncodedRows& out) const
{
    CANNERY_TRY(m_state->encodeInputs(RawRows(batch, files, first, count), scratch, out));
    out.labels.clear();
    out.weights.clear();
    out.labelOffsets.clear();
    out.exampleIds.clear();
    return {};
}

Result<EncodedRows> FeatureEncoder::encode(const data::FeatureBatch& batch, Labels labels,
                                           std::span<const std::string> files) const
{
    EncodedRows out;
    CANNERY_TRY(encode(batch, labels, files, out));
    return out;
}

std::vector<std::int64_t> FeatureEncoder::unlabelledRows(const data::FeatureBatch& batch) const
{
    return m_state->layout.labelledSteps >= 0 ? std::vector<std::int64_t>()
                                              : m_state->labels.missing(RawRows(batch));
}

void FeatureEncoder::spellLabels(data::FeatureBatch& batch) const
{
    m_state->labels.spell(batch);
}

const InputLayout& FeatureEncoder::layout() const
{
    return m_state->layout;
}

const std::vector<std::string>& FeatureEncoder::inputKeys() const
{
    return m_state->inputKeys;
}

const std::vector<std::string>& FeatureEncoder::featureKeys() const
{
    return m_state->featureKeys;
}

const std::vector<ColumnPointer>& FeatureEncoder::columns() const
{
    return m_state->columns;
}

const std::vector<ColumnPointer>& FeatureEncoder::weightColumns() const
{
    return m_state->weights.columns();
}

SlotUse FeatureEncoder::useOf(std::size_t slot) const
{
    return {m_state->isLookedUp[slot] != 0, m_state->needsIds[slot] != 0};
}

const spec::Experiment& FeatureEncoder::experiment() const
{
    return m_state->experiment;
}

} // namespace cannery::features
