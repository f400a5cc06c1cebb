// SPDX-License-Identifier: Apache-2.0
#include "core/data/sources/record_signature.h"

#include "storage/io/cached_files.h"
#include "storage/io/files.h"
#include "storage/tf/record_blocks.h"
#include "storage/tf/record_errors.h"

#include <cstdint>
#include <utility>

namespace cannery::data {

Result<bool> beginsAsRecords(const std::string& path)
{
    const storage::CachedFiles file({path});
    CANNERY_TRY_ASSIGN(storage::ByteSource bytes, file.open(0));
    Result<storage::RecordBlockReader> reader =
        storage::RecordBlockReader::open(std::move(bytes), path);
    if (!reader) {
        return tl::make_unexpected(std::move(reader).error());
    }
    storage::RecordBlock block;
    const Result<bool> isThere = reader->next(block, storage::kRecordHeaderBytes);
    if (!isThere || !*isThere) {
        return isThere.has_value();
    }
    const bool isCutAtOnce = block.end < storage::kRecordHeaderBytes;
    const bool isOther = !block.damages.empty() && block.damages.front().offset == 0 &&
                         block.damages.front().error.id == storage::kFrameDamaged.id &&
                         block.damages.front().error.arguments.back() == "length";
    return !isCutAtOnce && !isOther;
}

bool holdsRecords(const std::string& path)
{
    const Result<std::uint64_t> bytes = storage::fileSize(path);
    const Result<bool> isOne = beginsAsRecords(path);
    return bytes && *bytes > 0 && isOne && *isOne;
}

} // namespace cannery::data
