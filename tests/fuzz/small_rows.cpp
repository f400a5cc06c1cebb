// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/small_rows.h"

#include "core/features/row_file.h"
#include "storage/io/files.h"
#include "tests/fuzz/fuzz_support.h"

namespace cannery::tests {

using namespace cannery::features;

InputLayout smallLayout()
{
    InputLayout layout;
    layout.slots = {{SlotKind::Dense, "a", "a", 2, false, 0},
                    {SlotKind::Ids, "b", "b", 100, false, 0},
                    {SlotKind::Ids, "c", "c", 50, true, 1},
                    {SlotKind::Sequence, "d", "d", 2, false, 0}};
    layout.labelWidth = 1;
    layout.weightWidth = 1;
    return layout;
}

EncodedRows smallRows()
{
    EncodedRows rows;
    rows.rowCount = 3;
    rows.dense = {{.width = 2, .values = {1, 2, 3, 4, 5, 6}}};
    rows.ids = {{.rowOffsets = {0, 1, 2, 3}, .ids = {7, -1, 99}},
                {.rowOffsets = {0, 2, 2, 3}, .ids = {1, 2, 49}, .weights = {0.5F, 1, 2}}};
    rows.sequences = {{.width = 2, .rowOffsets = {0, 2, 2, 3}, .values = {1, 2, 3, 4, 5, 6}}};
    rows.labels = {0, 1, 0};
    rows.weights = {1, 1, 2};
    return rows;
}

std::string smallRowFile()
{
    const FuzzFolder folder;
    const std::string path = folder.path() + "/rows";
    RowFileHeader header;
    header.set_data("data");
    header.set_encoding("encoding");
    header.set_train_rows(3);
    header.set_eval_rows(3);
    header.set_has_eval(true);
    auto file = RowFileWriter::create(path, header, storage::realFileSystem());
    FUZZ_REQUIRE(file && file->append(smallRows()) && file->append(smallRows()) && file->commit());
    return storage::readWholeFile(path).value();
}

} // namespace cannery::tests
