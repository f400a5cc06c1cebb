// SPDX-License-Identifier: Apache-2.0
#include "core/data/rows/row_reader.h"
#include "core/data/sources/data_source_catalog.h"
#include "core/spec/data.pb.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/fuzz/fuzz_targets.h"

#include <array>

namespace cannery::tests {

using namespace cannery::data;

namespace {

/// Every row as its source types it, and some of them again by their places.
void readRowsOf(const DataSource& source)
{
    ChunkRequest request{.keepLines = true, .keepOffsets = true};
    for (const std::string& name : source.schema().names()) {
        request.columns.push_back({.column = name});
    }
    (void)source.preview(3);
    const auto stream = source.read(request);
    FUZZ_REQUIRE(stream.has_value());
    const auto rows = source.rowReader();
    while (true) {
        const auto chunk = (*stream)->next();
        if (!chunk || !*chunk) {
            return;
        }
        const storage::TableChunk& some = **chunk;
        FUZZ_REQUIRE(some.rows > 0 && some.columns.size() == request.columns.size());
        FUZZ_REQUIRE(some.lines.size() == some.rows && some.offsets.size() == some.rows);
        for (const storage::TableColumn& column : some.columns) {
            FUZZ_REQUIRE(column.size() == some.rows);
            FUZZ_REQUIRE(column.validity.empty() || column.validity.size() == some.rows);
        }
        if (rows) {
            const auto again = (*rows)->read({some.file, some.offsets.front(), some.textEnd});
            FUZZ_REQUIRE(!again || again->size() <= some.rows);
        }
    }
}

} // namespace

/// A file of a kind that the first byte selects (TFRecord, SQLite, NumPy archive, JSON lines, ARFF,
/// LIBSVM or fixed width), or that its content says, read strictly and with bad rows left out.
void fuzzDataFile(std::string_view bytes)
{
    static FuzzFile file;
    const std::uint8_t kind = takeByte(bytes);
    const std::string& path = file.with(bytes);
    spec::DataSource message;
    switch (kind % 8) {
    case 0:
        message.mutable_tfrecord()->add_files(path);
        message.mutable_tfrecord()->set_corrupt(spec::BadRows::SKIP);
        break;
    case 1:
        message.mutable_sqlite()->set_file(path);
        break;
    case 2:
        message.mutable_npz()->add_files(path);
        break;
    case 4:
        message.mutable_json_lines()->add_files(path);
        break;
    case 5:
        message.mutable_arff()->add_files(path);
        break;
    case 6:
        message.mutable_libsvm()->add_files(path);
        break;
    case 7:
        message.mutable_fixed_width()->add_files(path);
        break;
    default:
        message = sourceOfFile(path);
        break;
    }
    for (const spec::BadRows::Policy policy : {spec::BadRows::FAIL, spec::BadRows::SKIP}) {
        const auto source = openDataSource(message, {.badRows = policy});
        if (source) {
            readRowsOf(**source);
        }
    }
}

} // namespace cannery::tests
