// SPDX-License-Identifier: Apache-2.0
#include "storage/io/inflate.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/fuzz/fuzz_targets.h"

#include <algorithm>
#include <vector>

namespace cannery::tests {

using namespace cannery::storage;

namespace {

/// The whole output, in pieces of this size, including what precedes an error.
std::string unpacked(std::string_view bytes, Compression compression, std::size_t piece)
{
    auto source = [rest = bytes](std::span<std::byte> out) mutable -> Result<std::size_t> {
        const std::size_t count = std::min(out.size(), rest.size());
        std::copy_n(reinterpret_cast<const std::byte*>(rest.data()), count, out.begin());
        rest.remove_prefix(count);
        return count;
    };
    InflateReader reader(source, compression, "fuzz");
    std::string content;
    std::string part(piece, '\0');
    while (content.size() < (1U << 22U)) {
        const auto got = reader.read(std::as_writable_bytes(std::span(part)));
        if (!got || *got == 0) {
            break;
        }
        content.append(part, 0, *got);
    }
    return content;
}

} // namespace

/// A compressed stream: the size of the requested pieces does not affect the content of a valid
/// one.
void fuzzInflate(std::string_view bytes)
{
    for (const Compression compression : {Compression::Gzip, Compression::Zlib}) {
        const std::string large = unpacked(bytes, compression, 1U << 16U);
        const std::string small = unpacked(bytes, compression, 61);
        const std::size_t common = std::min(large.size(), small.size());
        FUZZ_REQUIRE(large.compare(0, common, small, 0, common) == 0);
    }
    static FuzzFile file;
    if (auto reader = InflateReader::openGzipOrPlain(file.with(bytes))) {
        std::vector<std::byte> out(1U << 16U);
        (void)reader->read(out);
    }
}

} // namespace cannery::tests
