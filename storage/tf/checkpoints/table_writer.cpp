// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/checkpoints/table_writer.h"

#include "core/base/check.h"

#include <leveldb/env.h>
#include <leveldb/options.h>
#include <leveldb/table_builder.h>

namespace cannery::storage {

namespace {

constexpr std::size_t kBlockBytes = std::size_t{256} << 10U;

/// LevelDB's output file, in memory.
class MemoryFile final : public leveldb::WritableFile
{
public:
    leveldb::Status Append(const leveldb::Slice& data) override
    {
        m_bytes.append(data.data(), data.size());
        return leveldb::Status::OK();
    }
    leveldb::Status Close() override { return leveldb::Status::OK(); }
    leveldb::Status Flush() override { return leveldb::Status::OK(); }
    leveldb::Status Sync() override { return leveldb::Status::OK(); }

    std::string take() { return std::move(m_bytes); }

private:
    std::string m_bytes;
};

} // namespace

std::string writeTable(std::span<const TableRow> rows)
{
    leveldb::Options options;
    options.compression = leveldb::kNoCompression;
    options.block_size = kBlockBytes;
    MemoryFile file;
    leveldb::TableBuilder builder(options, &file);
    for (const TableRow& row : rows) {
        builder.Add(row.key, row.value);
    }
    const leveldb::Status status = builder.Finish();
    CANNERY_CHECK(status.ok());
    return file.take();
}

} // namespace cannery::storage
