// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/hostile_bytes.h"

#include "storage/io/coding.h"
#include "storage/io/crc32c.h"
#include "storage/tf/schema/saved_model.pb.h"
#include "tests/fuzz/fuzz_support.h"

#include <google/protobuf/text_format.h>
#include <zlib.h>

#include <algorithm>

namespace cannery::tests {

using namespace cannery::storage;

std::string tableBlock(std::string_view entries)
{
    std::string block(entries);
    putFixed(block, std::uint32_t{0});
    putFixed(block, std::uint32_t{1});
    return block;
}

std::string tableEntry(std::uint64_t shared, std::string_view key, std::string_view value)
{
    std::string entry;
    putVarint(entry, shared);
    putVarint(entry, key.size());
    putVarint(entry, value.size());
    return entry.append(key).append(value);
}

namespace {

/// Appends a block with its trailer; returns its handle.
std::string appendBlock(std::string& file, const std::string& block, char packing)
{
    std::string handle;
    putVarint(handle, file.size());
    putVarint(handle, block.size());
    const std::string checked = block + packing;
    file += checked;
    putFixed(file, maskCrc(crc32c(checked)));
    return handle;
}

} // namespace

std::string tableOf(const std::vector<std::string>& blocks, std::string_view lastKey, char packing)
{
    std::string file;
    std::string index;
    std::string key(lastKey);
    for (const std::string& block : blocks) {
        index += tableEntry(0, key, appendBlock(file, block, packing));
        key += '\xff';
    }
    std::string footer = appendBlock(file, tableBlock(""), 0);
    footer += appendBlock(file, tableBlock(index), 0);
    footer.resize(40, '\0');
    putFixed(footer, std::uint64_t{0xdb4775248b80fb57});
    return file + footer;
}

std::string snappyOf(std::uint64_t bytes)
{
    std::string stream;
    putVarint(stream, bytes);
    stream += '\0'; // a literal of one byte
    stream += 'a';
    for (std::uint64_t made = 1; made < bytes; made += 64) {
        const std::uint64_t length = std::min<std::uint64_t>(64, bytes - made);
        stream += static_cast<char>((length - 1) << 2U | 2U);
        stream += '\1';
        stream += '\0';
    }
    return stream;
}

std::string gzipOf(std::string_view begin, std::uint64_t zeros)
{
    z_stream stream = {};
    FUZZ_REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    std::string packed;
    std::string room(1 << 16, '\0');
    const auto pump = [&](std::string_view bytes, int how) {
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
        stream.avail_in = static_cast<uInt>(bytes.size());
        do {
            stream.next_out = reinterpret_cast<Bytef*>(room.data());
            stream.avail_out = static_cast<uInt>(room.size());
            deflate(&stream, how);
            packed.append(room, 0, room.size() - stream.avail_out);
        } while (stream.avail_out == 0);
    };
    pump(begin, Z_NO_FLUSH);
    const std::string chunk(1 << 20, '\0');
    for (; zeros > 0; zeros -= std::min<std::uint64_t>(zeros, chunk.size())) {
        pump(std::string_view(chunk).substr(0, std::min<std::uint64_t>(zeros, chunk.size())),
             Z_NO_FLUSH);
    }
    pump({}, Z_FINISH);
    deflateEnd(&stream);
    return packed;
}

std::string recordHeader(std::uint64_t length)
{
    std::string header;
    putFixed(header, length);
    putFixed(header, maskCrc(crc32c(header)));
    return header;
}

std::string field(int number, std::string_view bytes)
{
    std::string text;
    putVarint(text, static_cast<std::uint64_t>(number) << 3U | 2U);
    putVarint(text, bytes.size());
    return text.append(bytes);
}

std::string field(int number, std::uint64_t value)
{
    std::string text;
    putVarint(text, static_cast<std::uint64_t>(number) << 3U);
    putVarint(text, value);
    return text;
}

std::string times(std::size_t count, std::string_view text)
{
    std::string all;
    all.reserve(count * text.size());
    for (std::size_t i = 0; i < count; ++i) {
        all += text;
    }
    return all;
}

std::string modelOf(const std::string& nodes, const std::string& more)
{
    tensorflow::SavedModel model;
    const std::string text =
        "saved_model_schema_version: 1 meta_graphs { meta_info_def { tags: 'serve' } graph_def { " +
        nodes +
        " } signature_def { key: 'predict' value { outputs { key: 'y' value { name: 'y:0' }"
        " } } } " +
        more + " }";
    FUZZ_REQUIRE(google::protobuf::TextFormat::ParseFromString(text, &model));
    return model.SerializeAsString();
}

} // namespace cannery::tests
