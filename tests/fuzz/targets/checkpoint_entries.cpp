// SPDX-License-Identifier: Apache-2.0
#include "storage/io/crc32c.h"
#include "storage/tf/checkpoints/table_writer.h"
#include "storage/tf/schema/tensor_bundle.pb.h"
#include "tests/fuzz/checkpoint_reading.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/fuzz/fuzz_targets.h"

#include <map>

namespace cannery::tests {

using namespace cannery::storage;

namespace {

/// The entry with a correct checksum, if it is one of numbers within the data.
std::string withChecksum(std::string_view value, std::string_view data)
{
    tensorflow::BundleEntryProto entry;
    if (!entry.ParseFromArray(value.data(), static_cast<int>(value.size()))) {
        return std::string(value);
    }
    const auto size = static_cast<std::uint64_t>(entry.size());
    const auto offset = static_cast<std::uint64_t>(entry.offset());
    if (entry.size() >= 0 && entry.offset() >= 0 && offset <= data.size() &&
        size <= data.size() - offset) {
        entry.set_crc32c(maskCrc(crc32c(data.substr(offset, size))));
    }
    return entry.SerializeAsString();
}

} // namespace

/// A checkpoint whose index is a valid table with valid checksums: a first part for the data file,
/// then keys and values.
void fuzzCheckpointEntries(std::string_view bytes)
{
    static const FuzzFolder folder;
    const std::string_view data = takePart(bytes);
    std::map<std::string, std::string> entries{{"", "\x08\x01"}};
    while (!bytes.empty()) {
        const std::string key(takePart(bytes));
        const std::string_view value = takePart(bytes);
        entries[key] = key.empty() ? std::string(value) : withChecksum(value, data);
    }
    std::vector<TableRow> rows;
    for (const auto& [key, value] : entries) {
        rows.push_back({key, value});
    }
    folder.write("a.index", writeTable(rows));
    folder.write("a.data-00000-of-00001", data);
    readWholeCheckpoint(folder.path() + "/a");
}

} // namespace cannery::tests
