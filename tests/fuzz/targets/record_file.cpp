// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/record_file.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/fuzz/fuzz_targets.h"

namespace cannery::tests {

using namespace cannery::storage;

/// A TFRecord file, plain or compressed, as its first bytes say and as each compression.
void fuzzRecordFile(std::string_view bytes)
{
    static FuzzFile file;
    const std::string& path = file.with(bytes);
    const auto readAll = [](Result<RecordReader> reader) {
        std::uint64_t records = 0;
        while (reader) {
            const auto record = reader->next();
            if (!record || !*record) {
                break;
            }
            ++records;
        }
        FUZZ_REQUIRE(!reader || reader->recordCount() == records);
    };
    readAll(RecordReader::open(path));
    for (const Compression compression :
         {Compression::None, Compression::Gzip, Compression::Zlib}) {
        readAll(RecordReader::open(path, compression));
    }
}

} // namespace cannery::tests
