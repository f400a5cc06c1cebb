// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/checkpoints/checkpoint_reader.h"

#include "core/base/memory_guard.h"
#include "storage/io/crc32c.h"
#include "storage/io/files.h"
#include "storage/io/readable_file.h"
#include "storage/tf/checkpoints/checkpoint_format.h"
#include "storage/tf/checkpoints/string_tensor.h"
#include "storage/tf/checkpoints/table_reader.h"
#include "storage/tf/checkpoints/tensor_slice.h"
#include "storage/tf/proto_arena.h"
#include "storage/tf/proto_convert.h"
#include "storage/tf/schema/tensor_bundle.pb.h"

#include <algorithm>
#include <tuple>

namespace cannery::storage {

namespace {

/// The format version that we read.
constexpr int kVersion = 1;

constexpr ErrorKind kNoTensor{"checkpoint.no_tensor",
                              "The checkpoint {} has no tensor {}; it belongs to another model."};
constexpr ErrorKind kMismatch{"checkpoint.mismatch",
                              "The checkpoint {} holds {} as {} {}, not as {} {}; it belongs to "
                              "another model."};
constexpr ErrorKind kTooNew{"checkpoint.too_new",
                            "The checkpoint {} needs a newer reader (version {})."};
constexpr ErrorKind kBigEndian{"checkpoint.big_endian",
                               "The checkpoint {} was written on a big-endian machine, which is "
                               "not supported."};
constexpr ErrorKind kUnsupported{"checkpoint.unsupported_type",
                                 "The checkpoint {} holds {} in TensorFlow's data type number {}, "
                                 "which is not supported."};

constexpr ErrorKind kTooMany{"checkpoint.too_many",
                             "The checkpoint {} has {} {}; at most {} are read."};

/// The byte range of a data file that belongs to one key.
struct StoredRange
{
    int shard = 0;
    std::int64_t offset = 0;
    std::int64_t size = 0;
};

/// What the index has about one key, checked only against the format.
struct BundleEntry
{
    int dtype = 0; ///< TensorFlow's number
    Shape shape;
    int shard = 0;
    std::int64_t offset = 0;
    std::int64_t size = 0;
    std::uint32_t crc = 0; ///< masked
    /// For a partitioned variable, whose slices have their own keys.
    std::vector<std::vector<detail::SliceExtent>> slices;
};

std::vector<detail::SliceExtent> extentsOf(const tensorflow::TensorSliceProto& slice)
{
    std::vector<detail::SliceExtent> extents;
    for (const auto& extent : slice.extent()) {
        const bool isWhole =
            extent.has_length_case() == tensorflow::TensorSliceProto::Extent::HAS_LENGTH_NOT_SET;
        extents.push_back({extent.start(), isWhole ? -1 : extent.length()});
    }
    return extents;
}

DType supportedType(int number)
{
    const auto dtype = static_cast<DType>(number);
    return dtype == DType::String || byteSize(dtype) > 0 ? dtype : DType::Invalid;
}

} // namespace

struct CheckpointReader::State
{
    std::string prefix;
    int shards = 1;
    std::vector<TableRow> rows;
    std::vector<CheckpointEntry> entries;

    tl::unexpected<Error> damaged(std::string_view what) const
    {
        return fail(ErrorCode::DataLoss, detail::kCheckpointDamaged, prefix, what);
    }
    Result<void> readHeader();
    Result<void> listEntries();
    Result<void> checkOverlap(std::vector<StoredRange> ranges) const;
    Result<BundleEntry> entryOf(std::string_view key) const;
    Result<std::uint64_t> stored(const BundleEntry& entry) const;
    Result<void> readBytes(const BundleEntry& entry, std::span<std::byte> bytes) const;
    Result<HostTensor> readStored(const BundleEntry& entry) const;

    struct Slice
    {
        std::vector<detail::SliceExtent> extents;
        BundleEntry entry;
    };
    Result<std::vector<Slice>> slicesOf(std::string_view name, const BundleEntry& entry) const;
    Result<HostTensor> assemble(std::string_view name, const BundleEntry& entry) const;
    Result<HostTensor> readAny(std::string_view name, const BundleEntry& entry) const;
};

Result<void> CheckpointReader::State::readHeader()
{
    google::protobuf::Arena arena;
    auto& header = detail::onArena<tensorflow::BundleHeaderProto>(arena);
    if (rows.empty() || !rows.front().key.empty() || !header.ParseFromString(rows.front().value) ||
        header.num_shards() < 1) {
        return damaged("its index has no header");
    }
    if (header.version().min_consumer() > kVersion) {
        return fail(ErrorCode::Unimplemented, kTooNew, prefix, header.version().min_consumer());
    }
    if (header.endianness() != tensorflow::BundleHeaderProto::LITTLE) {
        return fail(ErrorCode::Unimplemented, kBigEndian, prefix);
    }
    shards = header.num_shards();
    if (shards > kMaxCheckpointShards) {
        return fail(ErrorCode::ResourceExhausted, kTooMany, prefix, shards, "data files",
                    kMaxCheckpointShards);
    }
    return {};
}

Result<void> CheckpointReader::State::listEntries()
{
    std::vector<StoredRange> ranges;
    for (const TableRow& row : rows) {
        if (row.key.empty()) {
            continue; // the header
        }
        CANNERY_TRY_ASSIGN(BundleEntry entry, entryOf(row.key));
        if (entry.size > 0) {
            ranges.push_back({entry.shard, entry.offset, entry.size});
        }
        if (row.key.front() == '\0') {
            continue; // a slice of a partitioned variable
        }
        entries.push_back({row.key, supportedType(entry.dtype), std::move(entry.shape)});
    }
    return checkOverlap(std::move(ranges));
}

Result<void> CheckpointReader::State::checkOverlap(std::vector<StoredRange> ranges) const
{
    std::sort(ranges.begin(), ranges.end(), [](const StoredRange& a, const StoredRange& b) {
        return std::tie(a.shard, a.offset) < std::tie(b.shard, b.offset);
    });
    for (std::size_t i = 1; i < ranges.size(); ++i) {
        const StoredRange& before = ranges[i - 1];
        // Whether an offset is valid is checked when the tensor is read.
        // Sorted, and the smaller offset not negative: the difference cannot overflow.
        if (before.shard == ranges[i].shard && before.offset >= 0 &&
            ranges[i].offset - before.offset < before.size) {
            return damaged("two tensors lie in the same bytes of a data file");
        }
    }
    return {};
}

Result<BundleEntry> CheckpointReader::State::entryOf(std::string_view key) const
{
    const auto row = std::lower_bound(
        rows.begin(), rows.end(), key,
        [](const TableRow& candidate, std::string_view wanted) { return candidate.key < wanted; });
    if (key.empty() || row == rows.end() || row->key != key) {
        return fail(ErrorCode::NotFound, kNoTensor, prefix, key);
    }
    google::protobuf::Arena arena;
    auto& proto = detail::onArena<tensorflow::BundleEntryProto>(arena);
    if (!proto.ParseFromString(row->value)) {
        return damaged("an entry of its index is not a message");
    }
    if (proto.slices_size() > kMaxVariableSlices) {
        return fail(ErrorCode::ResourceExhausted, kTooMany, prefix, proto.slices_size(),
                    "slices of one variable", kMaxVariableSlices);
    }
    BundleEntry entry{.dtype = static_cast<int>(proto.dtype()),
                      .shard = proto.shard_id(),
                      .offset = proto.offset(),
                      .size = proto.size(),
                      .crc = proto.crc32c()};
    CANNERY_TRY_ASSIGN(entry.shape, detail::shapeFromProto(proto.shape(), 0));
    for (const tensorflow::TensorSliceProto& slice : proto.slices()) {
        entry.slices.push_back(extentsOf(slice));
    }
    return entry;
}

/// Checks an entry's claims: type, size, and that its shard has these bytes. Returns the size.
Result<std::uint64_t> CheckpointReader::State::stored(const BundleEntry& entry) const
{
    CANNERY_TRY_ASSIGN(const std::int64_t count, detail::checkedElementCount(entry.shape));
    const DType dtype = supportedType(entry.dtype);
    const auto size = static_cast<std::uint64_t>(entry.size);
    const std::size_t elementSize = byteSize(dtype);
    const auto wanted = static_cast<std::uint64_t>(count);
    if (entry.size < 0 || entry.offset < 0 || entry.shard < 0 || entry.shard >= shards) {
        return damaged("an entry of its index lies outside the files");
    }
    // The length of a string takes at least a byte.
    const bool fits = dtype == DType::String
                          ? wanted <= size
                          : size % elementSize == 0 && size / elementSize == wanted;
    if (!fits) {
        return damaged("the size of a tensor does not fit its shape");
    }
    const std::string shard = detail::shardPath(prefix, entry.shard, shards);
    CANNERY_TRY_ASSIGN(const std::uint64_t available, fileSize(shard));
    const auto offset = static_cast<std::uint64_t>(entry.offset);
    if (offset > available || size > available - offset) {
        return damaged("a data file is too short");
    }
    return size;
}

Result<void> CheckpointReader::State::readBytes(const BundleEntry& entry,
                                                std::span<std::byte> bytes) const
{
    const std::string shard = detail::shardPath(prefix, entry.shard, shards);
    CANNERY_TRY_ASSIGN(const ReadableFile file, ReadableFile::open(shard));
    CANNERY_TRY_ASSIGN(const std::size_t got,
                       file.readAt(static_cast<std::uint64_t>(entry.offset), bytes));
    if (got != bytes.size()) {
        return damaged("a data file is too short");
    }
    return {};
}

Result<HostTensor> CheckpointReader::State::readStored(const BundleEntry& entry) const
{
    CANNERY_TRY_ASSIGN(const std::uint64_t size, stored(entry));
    HostTensor tensor;
    tensor.dtype = supportedType(entry.dtype);
    tensor.shape = entry.shape;
    tensor.bytes.resize(size);
    CANNERY_TRY(readBytes(entry, tensor.bytes));
    if (tensor.dtype != DType::String) {
        if (maskCrc(crc32c(tensor.bytes)) != entry.crc) {
            return damaged("the checksum of a tensor is wrong");
        }
        return tensor;
    }
    const auto count = static_cast<std::size_t>(tensor.shape.elementCount());
    const std::string_view text(reinterpret_cast<const char*>(tensor.bytes.data()), size);
    const auto problem = detail::getStrings(text, count, unmaskCrc(entry.crc), tensor.strings);
    if (problem != detail::StringTensorProblem::None) {
        return damaged(problem == detail::StringTensorProblem::Checksum
                           ? "the checksum of a string tensor is wrong"
                           : "the lengths of a string tensor do not fit");
    }
    tensor.bytes.clear();
    tensor.bytes.shrink_to_fit();
    return tensor;
}

/// The slices of a partitioned variable; checks, before anything is allocated, that they cover it
/// exactly once and are present in the files.
Result<std::vector<CheckpointReader::State::Slice>>
CheckpointReader::State::slicesOf(std::string_view name, const BundleEntry& entry) const
{
    CANNERY_TRY_ASSIGN(const std::int64_t total, detail::checkedElementCount(entry.shape));
    std::vector<Slice> slices;
    std::int64_t covered = 0;
    for (const std::vector<detail::SliceExtent>& extents : entry.slices) {
        Slice slice{.extents = extents};
        CANNERY_TRY_ASSIGN(slice.entry, entryOf(detail::sliceKey(name, slice.extents)));
        const Shape& stated = slice.entry.shape;
        bool fits = detail::resolveExtents(entry.shape, slice.extents) &&
                    slice.extents.size() == stated.dims.size() && slice.entry.dtype == entry.dtype;
        for (std::size_t i = 0; fits && i < stated.dims.size(); ++i) {
            fits = stated.dims[i] == slice.extents[i].length;
        }
        for (const Slice& other : slices) {
            fits = fits && !detail::overlap(other.extents, slice.extents);
        }
        if (!fits) {
            return damaged("a slice does not fit its variable");
        }
        CANNERY_TRY(stored(slice.entry));
        covered += stated.elementCount();
        slices.push_back(std::move(slice));
    }
    if (covered != total) {
        return damaged("the slices of a variable leave gaps");
    }
    return slices;
}

Result<HostTensor> CheckpointReader::State::assemble(std::string_view name,
                                                     const BundleEntry& entry) const
{
    CANNERY_TRY_ASSIGN(const std::vector<Slice> slices, slicesOf(name, entry));
    HostTensor whole = HostTensor::zeros(supportedType(entry.dtype), entry.shape);
    const auto elementSize = static_cast<std::int64_t>(byteSize(whole.dtype));
    for (const Slice& slice : slices) {
        CANNERY_TRY_ASSIGN(HostTensor part, readStored(slice.entry));
        detail::forEachRun(
            entry.shape, slice.extents,
            [&](std::int64_t from, std::int64_t to, std::int64_t count) {
                if (whole.dtype == DType::String) {
                    std::move(part.strings.begin() + from, part.strings.begin() + from + count,
                              whole.strings.begin() + to);
                } else {
                    std::copy_n(part.bytes.begin() + from * elementSize, count * elementSize,
                                whole.bytes.begin() + to * elementSize);
                }
            });
    }
    return whole;
}

Result<HostTensor> CheckpointReader::State::readAny(std::string_view name,
                                                    const BundleEntry& entry) const
{
    if (supportedType(entry.dtype) == DType::Invalid) {
        return fail(ErrorCode::Unimplemented, kUnsupported, prefix, name, entry.dtype);
    }
    Result<HostTensor> tensor = entry.slices.empty() ? readStored(entry) : assemble(name, entry);
    if (!tensor) {
        return tl::make_unexpected(std::move(tensor).error().with(fmt::format("reading {}", name)));
    }
    return tensor;
}

CheckpointReader::CheckpointReader(std::unique_ptr<State> state) : m_state(std::move(state)) {}
CheckpointReader::CheckpointReader(CheckpointReader&&) noexcept = default;
CheckpointReader& CheckpointReader::operator=(CheckpointReader&&) noexcept = default;
CheckpointReader::~CheckpointReader() = default;

Result<CheckpointReader> CheckpointReader::open(const std::string& prefix)
{
    return guardMemory(prefix, [&]() -> Result<CheckpointReader> {
        auto state = std::make_unique<State>();
        state->prefix = prefix;
        const std::string path = detail::indexPath(prefix);
        CANNERY_TRY_ASSIGN(const std::string index, readWholeFile(path, kMaxIndexBytes));
        CANNERY_TRY_ASSIGN(state->rows, readTable(index, path));
        CANNERY_TRY(state->readHeader());
        CANNERY_TRY(state->listEntries());
        return CheckpointReader(std::move(state));
    });
}

const std::string& CheckpointReader::prefix() const
{
    return m_state->prefix;
}

const std::vector<CheckpointEntry>& CheckpointReader::entries() const
{
    return m_state->entries;
}

const CheckpointEntry* CheckpointReader::find(std::string_view name) const
{
    const auto& entries = m_state->entries;
    const auto found = std::lower_bound(
        entries.begin(), entries.end(), name,
        [](const CheckpointEntry& entry, std::string_view wanted) { return entry.name < wanted; });
    return found != entries.end() && found->name == name ? &*found : nullptr;
}

Result<HostTensor> CheckpointReader::read(std::string_view name) const
{
    return guardMemory(name, [&]() -> Result<HostTensor> {
        CANNERY_TRY_ASSIGN(const BundleEntry entry, m_state->entryOf(name));
        return m_state->readAny(name, entry);
    });
}

Result<void> CheckpointReader::readInto(std::string_view name, DType dtype, const Shape& shape,
                                        std::span<std::byte> bytes) const
{
    const CheckpointEntry* known = find(name);
    if (known == nullptr) {
        return fail(ErrorCode::NotFound, kNoTensor, m_state->prefix, name);
    }
    if (known->dtype != dtype || known->shape != shape) {
        return fail(ErrorCode::InvalidArgument, kMismatch, m_state->prefix, name,
                    cannery::name(known->dtype), known->shape.toString(), cannery::name(dtype),
                    shape.toString());
    }
    CANNERY_CHECK(dtype != DType::String);
    CANNERY_CHECK(static_cast<std::int64_t>(bytes.size()) ==
                  shape.elementCount() * static_cast<std::int64_t>(byteSize(dtype)));
    CANNERY_TRY_ASSIGN(const HostTensor tensor, read(name));
    std::copy(tensor.bytes.begin(), tensor.bytes.end(), bytes.begin());
    return {};
}

Result<std::int64_t> CheckpointReader::readInt64(std::string_view name) const
{
    std::int64_t value = 0;
    CANNERY_TRY(readInto(name, DType::Int64, Shape{},
                         std::as_writable_bytes(std::span<std::int64_t>(&value, 1))));
    return value;
}

std::vector<std::string> CheckpointReader::files() const
{
    std::vector<std::string> files{detail::indexPath(m_state->prefix)};
    for (int shard = 0; shard < m_state->shards; ++shard) {
        files.push_back(detail::shardPath(m_state->prefix, shard, m_state->shards));
    }
    return files;
}

bool checkpointExists(const std::string& prefix)
{
    return exists(detail::indexPath(prefix));
}

} // namespace cannery::storage
