// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/runs/series_index.h"

#include "storage/io/coding.h"
#include "storage/io/crc32c.h"

#include <algorithm>
#include <type_traits>

namespace cannery::ui {

namespace {

using storage::getFixed;
using storage::putFixed;

constexpr std::string_view kMagic = "CNSERIES";
constexpr std::uint32_t kVersion = 1;

void putText(std::string& bytes, std::string_view text)
{
    putFixed(bytes, static_cast<std::uint64_t>(text.size()));
    bytes.append(text);
}

template <typename T>
void putColumn(std::string& bytes, const T* column, qsizetype count)
{
    bytes.append(reinterpret_cast<const char*>(column),
                 static_cast<std::size_t>(count) * sizeof(T));
}

/// Takes values off the front; clears `ok` if they end too early.
struct Source
{
    std::string_view bytes;
    bool ok = true;

    template <typename T>
    void get(T& value)
    {
        const std::optional<T> got = getFixed<T>(bytes);
        ok = ok && got.has_value();
        value = got.value_or(T{});
    }
    /// A count that the rest cannot hold is refused before anything is allocated for it.
    std::uint64_t count(std::size_t bytesEach)
    {
        std::uint64_t value = 0;
        get(value);
        ok = ok && value <= bytes.size() / bytesEach;
        return ok ? value : 0;
    }
    std::string text()
    {
        const std::uint64_t size = count(1);
        std::string text(bytes.substr(0, size));
        bytes.remove_prefix(size);
        return text;
    }
    template <typename T>
    void column(T* column, qsizetype count)
    {
        const std::size_t size = static_cast<std::size_t>(count) * sizeof(T);
        ok = ok && size <= bytes.size();
        if (ok) {
            std::memcpy(column, bytes.data(), size);
            bytes.remove_prefix(size);
        }
    }
};

void putFile(std::string& bytes, const EventFileState& file)
{
    putText(bytes, file.name);
    putFixed(bytes, file.number);
    putFixed(bytes, file.position);
    putFixed(bytes, file.size);
    putFixed(bytes, file.modified);
    putFixed(bytes, file.inode);
    // A damaged file is tried again by the next process.
    putFixed(bytes, file.problem.empty() ? file.exhaustedSize : std::uint64_t{0});
    putFixed(bytes, file.headCrc);
    putFixed(bytes, file.tailCrc);
}

EventFileState getFile(Source& source)
{
    EventFileState file;
    file.name = source.text();
    source.get(file.number);
    source.get(file.position);
    source.get(file.size);
    source.get(file.modified);
    source.get(file.inode);
    source.get(file.exhaustedSize);
    source.get(file.headCrc);
    source.get(file.tailCrc);
    // It may have been replaced since the index was written: the next look compares its marks.
    file.isTrusted = false;
    return file;
}

/// The numbers of a state, in file order.
template <typename State, typename Visit>
void visitNumbers(State& state, const Visit& visit)
{
    visit(state.count);
    visit(state.wallStart);
    visit(state.lastWall);
    visit(state.last.file);
    visit(state.last.session);
    visit(state.last.sessionFile);
    visit(state.nanCount);
    visit(state.positiveInfinityCount);
    visit(state.negativeInfinityCount);
    visit(state.crcs[0]);
    visit(state.crcs[1]);
    visit(state.crcs[2]);
}

void putSeries(std::string& bytes, const SeriesCache::Entry& entry)
{
    const SeriesWriter::State& state = entry.writer->state();
    const ColumnBlock& block = *entry.writer->block();
    putFixed(bytes, entry.tag);
    visitNumbers(state, [&](const auto& number) { putFixed(bytes, number); });
    putFixed(bytes, static_cast<std::uint64_t>(state.segments.size()));
    for (const SeriesSegment& segment : state.segments) {
        putFixed(bytes, segment.begin);
        putFixed(bytes, segment.end);
        putFixed(bytes, segment.overwrittenFrom);
    }
    // A mapped block stays in its own file, found by tag and capacity; a small one is stored here.
    putFixed(bytes, block.isMapped() ? block.capacity() : qsizetype{0});
    if (!block.isMapped()) {
        putColumn(bytes, block.steps(), state.count);
        putColumn(bytes, block.seconds(), state.count);
        putColumn(bytes, block.values(), state.count);
    }
}

bool areColumnsGood(const SeriesWriter::State& state, const ColumnBlock& block)
{
    const auto count = static_cast<std::size_t>(state.count);
    return storage::crc32c(std::as_bytes(std::span(block.steps(), count))) == state.crcs[0] &&
           storage::crc32c(std::as_bytes(std::span(block.seconds(), count))) == state.crcs[1] &&
           storage::crc32c(std::as_bytes(std::span(block.values(), count))) == state.crcs[2];
}

/// Segments must follow each other and cover all points: charts index the columns by them without
/// checks.
bool areSegmentsGood(const SeriesWriter::State& state)
{
    qsizetype end = 0;
    for (const SeriesSegment& segment : state.segments) {
        if (segment.begin != end || segment.end <= segment.begin ||
            segment.overwrittenFrom < segment.begin || segment.overwrittenFrom > segment.end) {
            return false;
        }
        end = segment.end;
    }
    return end == state.count && state.count > 0;
}

std::shared_ptr<ColumnBlock> getColumns(Source& source, const CachedSeries& row,
                                        const OpenColumns& openColumns)
{
    qsizetype capacity = 0;
    source.get(capacity);
    const qsizetype count = row.state.count;
    if (!source.ok) {
        return nullptr;
    }
    if (capacity > 0) {
        return capacity >= count && openColumns ? openColumns(row.tag, capacity) : nullptr;
    }
    if (static_cast<std::size_t>(count) > source.bytes.size() / ColumnBlock::kBytesPerPoint) {
        return nullptr;
    }
    std::shared_ptr<ColumnBlock> block = ColumnBlock::inMemory(count);
    source.column(block->steps(), count);
    source.column(block->seconds(), count);
    source.column(block->values(), count);
    return block;
}

bool getSeries(Source& source, CachedSeries& row, const OpenColumns& openColumns)
{
    source.get(row.tag);
    visitNumbers(row.state, [&](auto& number) { source.get(number); });
    row.state.segments.resize(source.count(3 * sizeof(qsizetype)));
    for (SeriesSegment& segment : row.state.segments) {
        source.get(segment.begin);
        source.get(segment.end);
        source.get(segment.overwrittenFrom);
    }
    if (!source.ok || !areSegmentsGood(row.state)) {
        return false;
    }
    // The stored checksums cover all points, so only later ones are added to them.
    row.state.crcCount = row.state.count;
    row.block = getColumns(source, row, openColumns);
    if (!row.block || !source.ok || !areColumnsGood(row.state, *row.block)) {
        return false;
    }
    // The check has read every page, but nothing shows them yet.
    row.block->release();
    return true;
}

/// What precedes the series, and whether each tag has points. False if the index is not valid.
bool getHead(Source& source, const std::string& eventFolder, SeriesCache::Content& content,
             std::vector<std::uint8_t>& hasPoints)
{
    constexpr std::size_t kCrcBytes = sizeof(std::uint32_t);
    if (source.bytes.size() < kMagic.size() + kCrcBytes) {
        return false;
    }
    std::string_view trailer = source.bytes.substr(source.bytes.size() - kCrcBytes);
    source.bytes.remove_suffix(kCrcBytes);
    // Before anything is taken from it: an index that was changed or cut off is worthless as a
    // whole.
    if (getFixed<std::uint32_t>(trailer) != storage::crc32c(source.bytes) ||
        source.bytes.substr(0, kMagic.size()) != kMagic) {
        return false;
    }
    source.bytes.remove_prefix(kMagic.size());
    std::uint32_t version = 0;
    source.get(version);
    // The folder is in the index because caches are found by a fingerprint of its path.
    if (version != kVersion || source.text() != eventFolder) {
        return false;
    }
    source.get(content.session);
    source.get(content.sessionFile);
    for (std::uint64_t files = source.count(sizeof(std::uint64_t)); source.ok && files > 0;
         --files) {
        content.files.push_back(getFile(source));
    }
    for (std::uint64_t tags = source.count(sizeof(std::uint64_t)); source.ok && tags > 0; --tags) {
        const std::uint32_t tag = content.tags.intern(source.text());
        std::underlying_type_t<storage::ScalarTags::Plugin> plugin = 0;
        source.get(plugin);
        source.get(hasPoints.emplace_back());
        content.tags.setPlugin(tag, static_cast<storage::ScalarTags::Plugin>(plugin));
    }
    return source.ok;
}

} // namespace

std::string encodeSeriesIndex(const std::string& eventFolder,
                              const std::vector<EventFileState>& files,
                              const storage::ScalarTags& tags, std::uint32_t session,
                              std::uint32_t sessionFile, std::span<const SeriesCache::Entry> series)
{
    std::vector<std::uint8_t> hasPoints(tags.size());
    for (const SeriesCache::Entry& entry : series) {
        hasPoints[entry.tag] = 1;
    }
    std::string bytes(kMagic);
    putFixed(bytes, kVersion);
    putText(bytes, eventFolder);
    putFixed(bytes, session);
    putFixed(bytes, sessionFile);
    putFixed(bytes, static_cast<std::uint64_t>(files.size()));
    for (const EventFileState& file : files) {
        putFile(bytes, file);
    }
    putFixed(bytes, static_cast<std::uint64_t>(tags.size()));
    for (std::uint32_t tag = 0; tag < tags.size(); ++tag) {
        putText(bytes, tags.name(tag));
        putFixed(bytes, static_cast<std::uint8_t>(tags.plugin(tag)));
        putFixed(bytes, static_cast<std::uint8_t>(hasPoints[tag]));
    }
    putFixed(bytes, static_cast<std::uint64_t>(series.size()));
    for (const SeriesCache::Entry& entry : series) {
        putSeries(bytes, entry);
    }
    putFixed(bytes, storage::crc32c(bytes));
    return bytes;
}

std::optional<SeriesCache::Content> decodeSeriesIndex(std::string_view bytes,
                                                      const std::string& eventFolder,
                                                      const OpenColumns& openColumns)
{
    SeriesCache::Content content;
    std::vector<std::uint8_t> hasPoints;
    Source source{bytes};
    if (!getHead(source, eventFolder, content, hasPoints)) {
        return std::nullopt;
    }
    content.series.resize(source.count(sizeof(std::uint64_t)));
    for (CachedSeries& row : content.series) {
        // One bad series makes the rest worthless, too: the positions in the event files hold for
        // all.
        if (!getSeries(source, row, openColumns) || row.tag >= content.tags.size()) {
            return std::nullopt;
        }
    }
    return source.ok ? std::optional(std::move(content)) : std::nullopt;
}

std::vector<std::string> tagsOfSeriesIndex(std::string_view bytes, const std::string& eventFolder)
{
    SeriesCache::Content content;
    std::vector<std::uint8_t> hasPoints;
    Source source{bytes};
    std::vector<std::string> tags;
    if (!getHead(source, eventFolder, content, hasPoints)) {
        return tags;
    }
    for (std::uint32_t tag = 0; tag < content.tags.size(); ++tag) {
        if (hasPoints[tag] != 0) {
            tags.push_back(content.tags.name(tag));
        }
    }
    return tags;
}

} // namespace cannery::ui
