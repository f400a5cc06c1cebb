// SPDX-License-Identifier: Apache-2.0
#include "core/features/row_file.h"

#include "core/base/interruption.h"
#include "core/base/memory_guard.h"
#include "core/features/encoded_row_block.h"
#include "storage/io/files.h"
#include "storage/io/readable_file.h"
#include "storage/tf/record_file.h"

#include <google/protobuf/arena.h>

#include <optional>
#include <string_view>
#include <utility>

namespace cannery::features {

namespace {

constexpr ErrorKind kForeign{
    "features.row_file_foreign",
    "{} does not contain encoded rows and is not replaced. Name another file in "
    "run_config.cache_file."};
constexpr ErrorKind kDamaged{
    "features.row_file_damaged",
    "The encoded rows in {} are damaged. The next run that uses them reads its table and rewrites "
    "the file."};

constexpr std::string_view kMagic = "cannery encoded rows";
/// The frame of the first record, tag and length of its first field.
constexpr std::size_t kMagicOffset = 14;
constexpr std::string_view kGuarded = "the encoded rows";

Error damageOf(const std::string& path, const std::optional<Error>& reason = std::nullopt)
{
    Error damaged = error(ErrorCode::DataLoss, kDamaged, path);
    return reason ? std::move(damaged).with(reason->message()) : damaged;
}

/// Whether the file starts as ours do; also true for an empty one, which may be replaced.
Result<bool> isOurs(const std::string& path)
{
    CANNERY_TRY_ASSIGN(const storage::ReadableFile file, storage::ReadableFile::open(path));
    std::string start(kMagicOffset + kMagic.size(), '\0');
    CANNERY_TRY_ASSIGN(const std::size_t got,
                       file.readAt(0, std::as_writable_bytes(std::span(start))));
    return got == 0 || std::string_view(start).substr(kMagicOffset) == kMagic;
}

std::string framed(const google::protobuf::Message& message)
{
    return storage::frameRecord(message.SerializeAsString());
}

} // namespace

struct RowFileReader::State
{
    storage::RecordReader records;
    std::string path;
    google::protobuf::Arena arena; ///< of the header
    RowFileHeader* header = google::protobuf::Arena::CreateMessage<RowFileHeader>(&arena);
    std::int64_t left = 0; ///< rows left of the current part

    State(storage::RecordReader reader, std::string file)
        : records(std::move(reader)), path(std::move(file))
    {}

    /// Parses the next record; at the end of the file that is damage, too.
    Result<void> read(google::protobuf::Message& message)
    {
        CANNERY_TRY(goOnUnlessInterrupted());
        Result<std::optional<std::string_view>> record = records.next();
        // Out of memory and interruptions are not damage, so they pass as they are.
        if (!record && record.error().code != ErrorCode::DataLoss) {
            return tl::make_unexpected(std::move(record).error());
        }
        if (!record || !*record) {
            return tl::make_unexpected(
                damageOf(path, record ? std::nullopt : std::optional(record.error())));
        }
        const bool isParsed =
            message.ParseFromArray((*record)->data(), static_cast<int>((*record)->size()));
        return isParsed ? Result<void>() : tl::make_unexpected(damageOf(path));
    }

    /// A block belongs to one part.
    bool takeRows(std::int64_t rows)
    {
        // The training rows have been read; evaluation rows follow.
        if (left == 0) {
            left = header->eval_rows();
        }
        if (rows <= 0 || rows > left) {
            return false;
        }
        left -= rows;
        return true;
    }

    /// Hands the next block to `use`, which returns whether it is sound.
    template <typename Use>
    Result<void> withBlock(Use&& use)
    {
        return guardMemory(kGuarded, [&]() -> Result<void> {
            // On an arena: protobuf loses track of memory that runs out while it parses.
            google::protobuf::Arena ofBlock;
            auto& block = *google::protobuf::Arena::CreateMessage<RowFileBlock>(&ofBlock);
            CANNERY_TRY(read(block));
            return takeRows(block.rows()) && use(block) ? Result<void>()
                                                        : tl::make_unexpected(damageOf(path));
        });
    }
};

RowFileReader::RowFileReader(std::unique_ptr<State> state) : m_state(std::move(state)) {}
RowFileReader::RowFileReader(RowFileReader&&) noexcept = default;
RowFileReader& RowFileReader::operator=(RowFileReader&&) noexcept = default;
RowFileReader::~RowFileReader() = default;

Result<RowFileReader> RowFileReader::open(const std::string& path)
{
    return guardMemory(kGuarded, [&]() -> Result<RowFileReader> {
        CANNERY_TRY_ASSIGN(const bool ours, isOurs(path));
        if (!ours) {
            return fail(ErrorCode::FailedPrecondition, kForeign, path);
        }
        CANNERY_TRY_ASSIGN(storage::RecordReader records,
                           storage::RecordReader::open(path, storage::Compression::None));
        RowFileReader reader(std::make_unique<State>(std::move(records), path));
        RowFileHeader& header = *reader.m_state->header;
        CANNERY_TRY(reader.m_state->read(header));
        if (header.train_rows() < 0 || header.eval_rows() < 0) {
            return tl::make_unexpected(damageOf(path));
        }
        reader.m_state->left = header.train_rows();
        return reader;
    });
}

const RowFileHeader& RowFileReader::header() const
{
    return *m_state->header;
}

Result<void> RowFileReader::next(const InputLayout& layout, std::span<const int> sequences,
                                 EncodedRows& out)
{
    return m_state->withBlock(
        [&](const RowFileBlock& block) { return fromBlock(block, layout, sequences, out); });
}

Result<std::int64_t> RowFileReader::skip()
{
    std::int64_t rows = 0;
    CANNERY_TRY(m_state->withBlock([&](const RowFileBlock& block) {
        rows = block.rows();
        return true;
    }));
    return rows;
}

Result<void> verifyRowFile(const std::string& path)
{
    CANNERY_TRY_ASSIGN(RowFileReader reader, RowFileReader::open(path));
    // Added as unsigned, where the sum of two int64 cannot overflow.
    // Either may be any number up to the largest.
    auto left = static_cast<std::uint64_t>(reader.header().train_rows()) +
                static_cast<std::uint64_t>(reader.header().eval_rows());
    while (left > 0) {
        CANNERY_TRY_ASSIGN(const std::int64_t rows, reader.skip());
        left -= static_cast<std::uint64_t>(rows);
    }
    return {};
}

Result<RowFileWriter> RowFileWriter::create(const std::string& path, RowFileHeader header,
                                            storage::FileSystem& system)
{
    header.set_magic(std::string(kMagic));
    CANNERY_TRY(storage::makeFolders(storage::parentFolder(path), system));
    // Temporary files of a program that was killed while it wrote.
    storage::removeAbandoned(path, system);
    CANNERY_TRY_ASSIGN(storage::AtomicFile file, storage::AtomicFile::create(path, system));
    CANNERY_TRY(file.append(framed(header)));
    return RowFileWriter(std::move(file));
}

Result<void> RowFileWriter::append(const EncodedRows& rows)
{
    CANNERY_TRY(goOnUnlessInterrupted());
    return m_file.append(framed(toBlock(rows)));
}

} // namespace cannery::features
