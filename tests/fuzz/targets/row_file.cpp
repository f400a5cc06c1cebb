// SPDX-License-Identifier: Apache-2.0
#include "core/features/row_file.h"
#include "core/features/encoded_row_block.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/fuzz/fuzz_targets.h"
#include "tests/fuzz/small_rows.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace cannery::tests {

using namespace cannery::features;

namespace {

void requireOffsets(const std::vector<std::int64_t>& offsets, std::int64_t rows)
{
    FUZZ_REQUIRE(static_cast<std::int64_t>(offsets.size()) == rows + 1);
    FUZZ_REQUIRE(std::ranges::is_sorted(offsets) && offsets.front() == 0);
}

/// What a model relies on without checking it again.
void requireSound(const EncodedRows& rows, const InputLayout& layout)
{
    for (const InputSlot& slot : layout.slots) {
        const auto block = static_cast<std::size_t>(slot.block);
        if (slot.kind == SlotKind::Dense) {
            FUZZ_REQUIRE(static_cast<std::int64_t>(rows.dense[block].values.size()) ==
                         rows.rowCount * slot.width);
            continue;
        }
        if (slot.kind == SlotKind::Sequence) {
            const SequenceBlock& steps = rows.sequences[block];
            requireOffsets(steps.rowOffsets, rows.rowCount);
            FUZZ_REQUIRE(static_cast<std::int64_t>(steps.values.size()) ==
                         steps.rowOffsets.back() * slot.width);
            continue;
        }
        const IdBlock& ids = rows.ids[block];
        requireOffsets(ids.rowOffsets, rows.rowCount);
        FUZZ_REQUIRE(ids.rowOffsets.back() == static_cast<std::int64_t>(ids.ids.size()));
        FUZZ_REQUIRE(ids.weights.size() == (slot.weighted ? ids.ids.size() : 0));
        FUZZ_REQUIRE(std::ranges::all_of(ids.ids, [&](int id) { return id < slot.width; }));
    }
    for (const int slot : kSmallSequences) {
        FUZZ_REQUIRE(stepOffsetsOf(layout, slot, rows) ==
                     stepOffsetsOf(layout, kSmallSequences.front(), rows));
    }
}

} // namespace

/// A file of encoded rows, or one of its blocks without the checksum that protects it: the first
/// byte selects.
void fuzzRowFile(std::string_view bytes)
{
    static FuzzFile file;
    const InputLayout layout = smallLayout();
    EncodedRows rows;
    if (takeByte(bytes) % 2 == 0) {
        RowFileBlock block;
        if (block.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) &&
            fromBlock(block, layout, kSmallSequences, rows)) {
            requireSound(rows, layout);
            EncodedRows again;
            FUZZ_REQUIRE(fromBlock(toBlock(rows), layout, kSmallSequences, again));
            FUZZ_REQUIRE(toBlock(again).SerializeAsString() == toBlock(rows).SerializeAsString());
        }
        return;
    }
    Result<RowFileReader> reader = RowFileReader::open(file.with(bytes));
    while (reader && reader->next(layout, kSmallSequences, rows)) {
        requireSound(rows, layout);
    }
    const Result<void> verified = verifyRowFile(file.with(bytes));
    FUZZ_REQUIRE(verified || !verified.error().id.empty());
}

} // namespace cannery::tests
