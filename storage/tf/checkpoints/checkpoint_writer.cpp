// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/checkpoints/checkpoint_writer.h"

#include "storage/io/atomic_write.h"
#include "storage/io/crc32c.h"
#include "storage/io/files.h"
#include "storage/tf/checkpoints/checkpoint_format.h"
#include "storage/tf/checkpoints/string_tensor.h"
#include "storage/tf/checkpoints/table_writer.h"
#include "storage/tf/proto_convert.h"
#include "storage/tf/schema/tensor_bundle.pb.h"

#include <algorithm>

namespace cannery::storage {

namespace {

constexpr int kProducer = 1;

constexpr ErrorKind kBadName{
    "checkpoint.bad_name",
    "A checkpoint cannot hold the tensor name \"{}\": names must not be empty or occur twice."};

std::string header()
{
    tensorflow::BundleHeaderProto proto;
    proto.set_num_shards(1);
    proto.mutable_version()->set_producer(kProducer);
    return detail::serializeDeterministically(proto);
}

/// Appends the values; returns their checksum.
Result<std::uint32_t> appendValues(const TensorView& tensor, AtomicFile& data)
{
    if (tensor.dtype != DType::String) {
        CANNERY_TRY(data.append(tensor.bytes));
        return crc32c(tensor.bytes);
    }
    std::string lengths;
    std::uint32_t crc = detail::putStringLengths(lengths, tensor.strings);
    CANNERY_TRY(data.append(lengths));
    for (const std::string& text : tensor.strings) {
        CANNERY_TRY(data.append(text));
        crc = crc32c(text, crc);
    }
    return crc;
}

Result<TableRow> appendTensor(const NamedTensor& named, AtomicFile& data)
{
    const TensorView& tensor = named.tensor;
    const auto count = static_cast<std::size_t>(tensor.shape.elementCount());
    CANNERY_CHECK(tensor.dtype == DType::String
                      ? tensor.strings.size() == count
                      : byteSize(tensor.dtype) > 0 &&
                            tensor.bytes.size() == count * byteSize(tensor.dtype));
    tensorflow::BundleEntryProto entry;
    entry.set_dtype(static_cast<tensorflow::DataType>(tensor.dtype));
    entry.mutable_shape();
    detail::toProto(tensor.shape, *entry.mutable_shape());
    entry.set_offset(static_cast<std::int64_t>(data.size()));
    CANNERY_TRY_ASSIGN(const std::uint32_t crc, appendValues(tensor, data));
    entry.set_size(static_cast<std::int64_t>(data.size()) - entry.offset());
    entry.set_crc32c(maskCrc(crc));
    return TableRow{named.name, detail::serializeDeterministically(entry)};
}

std::vector<const NamedTensor*> sortedByName(std::span<const NamedTensor> tensors)
{
    std::vector<const NamedTensor*> sorted;
    sorted.reserve(tensors.size());
    for (const NamedTensor& tensor : tensors) {
        sorted.push_back(&tensor);
    }
    const auto isBefore = [](const NamedTensor* first, const NamedTensor* second) {
        return first->name < second->name;
    };
    if (!std::ranges::is_sorted(sorted, isBefore)) { // a model's state is
        std::ranges::sort(sorted, isBefore);
    }
    return sorted;
}

/// Appends all tensors, and their index rows.
Result<void> appendTensors(std::span<const NamedTensor* const> sorted, AtomicFile& data,
                           std::vector<TableRow>& rows)
{
    for (const NamedTensor* tensor : sorted) {
        if (tensor->name <= rows.back().key) {
            return fail(ErrorCode::InvalidArgument, kBadName, tensor->name);
        }
        CANNERY_TRY_ASSIGN(TableRow row, appendTensor(*tensor, data));
        rows.push_back(std::move(row));
    }
    return {};
}

/// A file that is complete on disk under its temporary name. After a failed sync it is unknown
/// which of its pages were lost, and the system may not report it again: such a file is abandoned
/// and written again under another name, once.
template <typename Write>
Result<AtomicFile> prepared(const std::string& path, FileSystem& system, const Write& write)
{
    {
        CANNERY_TRY_ASSIGN(AtomicFile first, AtomicFile::create(path, system));
        CANNERY_TRY(write(first));
        if (first.prepare()) {
            return first;
        }
    }
    CANNERY_TRY_ASSIGN(AtomicFile second, AtomicFile::create(path, system));
    CANNERY_TRY(write(second));
    CANNERY_TRY(second.prepare());
    return second;
}

} // namespace

Result<std::uint64_t> writeCheckpoint(const std::string& prefix,
                                      std::span<const NamedTensor> tensors, FileSystem& system)
{
    const std::vector<const NamedTensor*> sorted = sortedByName(tensors);
    std::vector<TableRow> rows;
    const auto writeData = [&](AtomicFile& data) {
        rows = {{"", header()}};
        return appendTensors(sorted, data, rows);
    };
    CANNERY_TRY_ASSIGN(AtomicFile data,
                       prepared(detail::shardPath(prefix, 0, 1), system, writeData));
    const std::string table = writeTable(rows);
    CANNERY_TRY_ASSIGN(AtomicFile index,
                       prepared(detail::indexPath(prefix), system,
                                [&](AtomicFile& file) { return file.append(table); }));
    // Both are complete on disk before either appears: a full disk leaves the old checkpoint of
    // this prefix unchanged.
    const std::uint64_t bytes = data.size() + index.size();
    CANNERY_TRY(data.commit());
    CANNERY_TRY(index.commit());
    return bytes;
}

Result<void> removeCheckpoint(const std::string& prefix, FileSystem& system)
{
    const std::string folder = parentFolder(prefix);
    const std::string base = baseName(prefix);
    CANNERY_TRY(removeTree(detail::indexPath(prefix), system));
    CANNERY_TRY_ASSIGN(const std::vector<std::string> names, listFolder(folder));
    for (const std::string& name : names) {
        if (name == base + ".meta" || name.rfind(base + ".data-", 0) == 0) {
            CANNERY_TRY(system.removeFile(joinPath(folder, name)));
        }
    }
    return {};
}

} // namespace cannery::storage
