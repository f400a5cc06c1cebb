// SPDX-License-Identifier: Apache-2.0
#include "core/data/data_fingerprint.h"

#include "core/base/fingerprint.h"
#include "core/base/interruption.h"
#include "storage/io/cached_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace cannery::data {

namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20U;

std::string_view textOf(std::span<const std::byte> bytes)
{
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

} // namespace

void DataFingerprint::add(std::span<const std::byte> block)
{
    m_print = fingerprintCat64(m_print, fingerprint64(textOf(block)));
}

void DataFingerprint::see(std::span<const std::byte> bytes)
{
    m_size += bytes.size();
    while (!bytes.empty()) {
        // Whole blocks are taken as they are; only the ends of two reads are put together.
        if (m_block.empty() && bytes.size() >= kBlockBytes) {
            add(bytes.first(kBlockBytes));
            bytes = bytes.subspan(kBlockBytes);
            continue;
        }
        const auto part = bytes.first(std::min(bytes.size(), kBlockBytes - m_block.size()));
        m_block.append(textOf(part));
        bytes = bytes.subspan(part.size());
        if (m_block.size() == kBlockBytes) {
            add(std::as_bytes(std::span(m_block)));
            m_block.clear();
        }
    }
}

void DataFingerprint::endFile()
{
    if (!m_block.empty()) {
        add(std::as_bytes(std::span(m_block)));
        m_block.clear();
    }
    // With the size, so that moving bytes from one file to the next changes the print.
    m_print = fingerprintCat64(m_print, m_size);
    m_size = 0;
    ++m_files;
}

std::string DataFingerprint::text() const
{
    return fmt::format("{:016x}", m_print);
}

Result<std::string> fingerprintOf(const storage::CachedFiles& kept, std::size_t files)
{
    DataFingerprint fingerprint;
    std::vector<std::byte> block(kBlockBytes);
    for (std::size_t i = 0; i < files; ++i) {
        CANNERY_TRY_ASSIGN(const storage::ByteSource source, kept.open(i));
        for (std::size_t got = 1; got > 0;) {
            // A file of gigabytes takes minutes: a user who interrupts need not wait for its end.
            CANNERY_TRY(goOnUnlessInterrupted());
            CANNERY_TRY_ASSIGN(got, source(block));
            fingerprint.see(std::span(block).first(got));
        }
        fingerprint.endFile();
    }
    return fingerprint.text();
}

} // namespace cannery::data
