// SPDX-License-Identifier: Apache-2.0
#include "core/features/encoded_dataset.h"

#include "core/base/check.h"
#include "core/features/row_record.h"
#include "core/features/row_segment.h"
#include "core/features/spill_file.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <sys/resource.h>
#include <type_traits>

namespace cannery::features {

namespace {

constexpr std::int64_t kMostRowsOfSegment = 16384;
constexpr std::int64_t kFewestRowsOfSegment = 64;
constexpr std::size_t kBytesOfSegment = std::size_t{4} << 20U;
constexpr std::uint64_t kFewestBytesOfSegment = std::uint64_t{256} << 10U;
/// The open segment stays in memory, so it is small compared with the memory limit.
constexpr std::uint64_t kSegmentsInMemory = 8;
/// Rows of up to this many words are read from the spill file without allocating.
constexpr std::size_t kWordsOnStack = 2048;
/// Rows whose locations are looked up together.
constexpr std::size_t kRowsAtOnce = RowRecord::kMostRows;
/// Words of a batch that justify another thread.
constexpr std::size_t kWordsOfBlock = 2048;

/// The address space that the rows may take: in memory, and again mapped from the spill file.
std::uint64_t shareOfAddressSpace()
{
    rlimit limit{};
    if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return EncodedDatasetOptions::kMapLimitOfProcess;
    }
    return limit.rlim_cur / 4;
}

/// The numbers of a batch's rows from a position on.
auto numbersOf(std::span<const std::int64_t> rows)
{
    return [rows](std::size_t place, std::span<std::int64_t> numbers) {
        std::ranges::copy(rows.subspan(place, numbers.size()), numbers.begin());
    };
}

std::int64_t blocksOf(std::size_t rows, std::size_t inBlock)
{
    return static_cast<std::int64_t>((rows + inBlock - 1) / inBlock);
}

/// The locations of some rows that are being prefetched.
struct Found
{
    std::array<const std::uint32_t*, kRowsAtOnce> records; ///< null if they are in the file
    std::array<bool, kRowsAtOnce> isShort;
};

/// Where rows go in a batch.
struct Target
{
    std::size_t row = 0;
    bool isMade = false; ///< RowRecord::startShort() was called: the rows have a short form
};

} // namespace

struct EncodedDataset::State
{
    InputLayout layout;
    EncodedDatasetOptions options;
    RowRecord record;
    bool hasLabels = false;
    bool hasWeights = false;
    std::int64_t rowsOfSegment = kMostRowsOfSegment;
    std::int64_t rowCount = 0;
    std::uint64_t sealedBytes = 0;
    std::uint64_t mappedBytes = 0;
    std::vector<Segment> sealed;
    Segment open;
    bool openIsShort = true;    ///< every row of the open segment has a short form
    bool sealedAreShort = true; ///< every sealed segment has it
    std::optional<SpillFile> spilled;

    void begin(const EncodedRows& first);
    std::uint64_t byteCount() const { return sealedBytes + open.byteCount(); }
    Result<void> seal();
    Result<void> spill();
    Result<void> toFile(Segment& segment);
    const Segment& segmentOf(std::int64_t row) const;
    bool isInMemory(const Segment& segment) const;
    Found find(std::span<const std::int64_t> rows) const;
    template <typename Out>
    Result<void> put(std::span<const std::int64_t> rows, const Found& found, std::size_t place,
                     bool areMade, Out& out) const;
    template <typename RowsFrom>
    Result<void> gather(std::size_t count, RowsFrom&& rowsFrom, EncodedRows& out) const;
    template <typename RowsFrom, typename Out>
    Result<void> gatherSome(std::size_t first, std::size_t count, RowsFrom&& rowsFrom, bool areMade,
                            Out& out) const;
    std::size_t rowsOfBlock(std::span<const std::int64_t> rows) const;
    template <typename Out>
    Result<void> putFromFile(const Segment& segment, std::size_t row, Target to, Out& out) const;
    template <typename Out>
    void putRecords(std::span<const std::uint32_t* const> records, bool isShort, Target to,
                    Out& out) const;
    Result<void> checkMappings() const
    {
        return spilled ? spilled->checkMappings() : Result<void>();
    }
    void startSegment();
};

void EncodedDataset::State::begin(const EncodedRows& first)
{
    hasLabels = first.isLabelled();
    hasWeights = !first.weights.empty();
    record = RowRecord(layout, hasLabels, hasWeights);
    const std::size_t rowBytes = record.fixedWords() * sizeof(std::uint32_t);
    const std::uint64_t most = std::clamp<std::uint64_t>(options.memoryLimit / kSegmentsInMemory,
                                                         kFewestBytesOfSegment, kBytesOfSegment);
    while (rowsOfSegment > kFewestRowsOfSegment &&
           static_cast<std::uint64_t>(rowsOfSegment) * rowBytes > most) {
        rowsOfSegment /= 2;
    }
    startSegment();
}

void EncodedDataset::State::startSegment()
{
    open = Segment();
    openIsShort = true;
    if (record.isVariable()) {
        open.offsets.push_back(0);
    } else {
        open.rowWords = record.fixedWords();
    }
}

/// Closes the open segment.
/// Here it is known whether all of its rows have a short form, which needs no offsets.
Result<void> EncodedDataset::State::seal()
{
    if (record.isVariable() && openIsShort) {
        record.shorten(open.offsets.size() - 1, open.words);
        open.offsets = {};
        open.rowWords = record.shortWords();
        open.isShort = true;
    }
    sealedAreShort = sealedAreShort && (open.isShort || !record.isVariable());
    sealedBytes += open.byteCount();
    open.words.shrink_to_fit();
    sealed.push_back(std::move(open));
    startSegment();
    return spilled ? toFile(sealed.back()) : Result<void>();
}

/// Moves all sealed segments to a spill file.
Result<void> EncodedDataset::State::spill()
{
    storage::FileSystem& system =
        options.fileSystem != nullptr ? *options.fileSystem : storage::realFileSystem();
    CANNERY_TRY_ASSIGN(SpillFile file, SpillFile::create(options.spillFolder, system));
    spilled.emplace(std::move(file));
    for (Segment& segment : sealed) {
        CANNERY_TRY(toFile(segment));
    }
    return {};
}

Result<void> EncodedDataset::State::toFile(Segment& segment)
{
    const std::array<std::span<const std::byte>, 2> parts{std::as_bytes(std::span(segment.offsets)),
                                                          std::as_bytes(std::span(segment.words))};
    const std::size_t size = segment.byteCount();
    CANNERY_TRY_ASSIGN(segment.fileOffset, spilled->append(parts));
    segment.offsetBytes = parts[0].size();
    // A row beyond the limit of mappings is read by a system call each time.
    if (size > 0 && mappedBytes + size <= options.mapLimit) {
        segment.mapped = spilled->map(segment.fileOffset, size);
        mappedBytes += segment.mapped != nullptr ? size : 0;
    }
    segment.words = {};
    segment.offsets = {};
    return {};
}

template <typename Out>
Result<void> EncodedDataset::State::putFromFile(const Segment& segment, std::size_t row, Target to,
                                                Out& out) const
{
    std::array<std::uint64_t, 2> range{row * segment.rowWords, (row + 1) * segment.rowWords};
    // Rows of different length: the offsets in the file say where this one is.
    if (segment.rowWords == 0) {
        CANNERY_TRY(spilled->read(segment.fileOffset + row * sizeof(std::uint64_t),
                                  std::as_writable_bytes(std::span(range))));
    }
    const std::uint64_t from =
        segment.fileOffset + segment.offsetBytes + range[0] * sizeof(std::uint32_t);
    const std::size_t count = range[1] - range[0];
    std::array<std::uint32_t, kWordsOnStack> onStack;
    std::vector<std::uint32_t> onHeap(count > kWordsOnStack ? count : 0);
    std::uint32_t* words = onHeap.empty() ? onStack.data() : onHeap.data();
    CANNERY_TRY(spilled->read(from, std::as_writable_bytes(std::span(words, count))));
    putRecords(std::array<const std::uint32_t*, 1>{words}, segment.isShort, to, out);
    return {};
}

template <typename Out>
void EncodedDataset::State::putRecords(std::span<const std::uint32_t* const> records, bool isShort,
                                       Target to, Out& out) const
{
    if constexpr (std::is_same_v<Out, EncodedRows>) {
        if (!to.isMade) {
            return record.put(records, isShort, to.row, out);
        }
    }
    record.putShort(records, isShort, to.row, out);
}

const Segment& EncodedDataset::State::segmentOf(std::int64_t row) const
{
    // Segments have the same number of rows, so a row's segment is a division.
    CANNERY_CHECK(row >= 0 && row < rowCount);
    const auto index = static_cast<std::size_t>(row / rowsOfSegment);
    return index < sealed.size() ? sealed[index] : open;
}

bool EncodedDataset::State::isInMemory(const Segment& segment) const
{
    return &segment == &open || !spilled || segment.mapped != nullptr;
}

Found EncodedDataset::State::find(std::span<const std::int64_t> rows) const
{
    // First all offsets, then all records: while one cache miss is waited for, the others are on
    // their way.
    for (const std::int64_t row : rows) {
        prefetchOffset(segmentOf(row), static_cast<std::size_t>(row % rowsOfSegment));
    }
    Found found;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Segment& segment = segmentOf(rows[i]);
        found.isShort[i] = segment.isShort;
        found.records[i] = nullptr;
        if (isInMemory(segment)) {
            found.records[i] = segment.record(static_cast<std::size_t>(rows[i] % rowsOfSegment));
            prefetchRecord(found.records[i],
                           segment.rowWords > 0 ? segment.rowWords : record.fixedWords());
        }
    }
    return found;
}

/// Adjacent records of one form go together; a record in the file goes alone.
template <typename Out>
Result<void> EncodedDataset::State::put(std::span<const std::int64_t> rows, const Found& found,
                                        std::size_t place, bool areMade, Out& out) const
{
    const auto& [records, isShort] = found;
    for (std::size_t begin = 0; begin < rows.size();) {
        std::size_t end = begin + 1;
        if (records[begin] == nullptr) {
            CANNERY_TRY(putFromFile(segmentOf(rows[begin]),
                                    static_cast<std::size_t>(rows[begin] % rowsOfSegment),
                                    {place + begin, areMade}, out));
        } else {
            while (end < rows.size() && records[end] != nullptr && isShort[end] == isShort[begin]) {
                ++end;
            }
            putRecords(std::span(records).subspan(begin, end - begin), isShort[begin],
                       {place + begin, areMade}, out);
        }
        begin = end;
    }
    return {};
}

/// rowsFrom(place, numbers) fills in the numbers of the rows from a position on. The next rows are
/// looked up and prefetched before the current ones are put in place.
template <typename RowsFrom, typename Out>
Result<void> EncodedDataset::State::gatherSome(std::size_t first, std::size_t count,
                                               RowsFrom&& rowsFrom, bool areMade, Out& out) const
{
    const std::size_t end = first + count;
    std::array<std::array<std::int64_t, kRowsAtOnce>, 2> numbers;
    std::array<std::span<const std::int64_t>, 2> rows;
    std::array<Found, 2> found;
    const auto lookUp = [&](std::size_t place, std::size_t turn) {
        const std::size_t some = std::min(kRowsAtOnce, end - place);
        rowsFrom(place, std::span(numbers[turn]).first(some));
        rows[turn] = std::span(numbers[turn]).first(some);
        found[turn] = find(rows[turn]);
    };
    if (count > 0) {
        lookUp(first, 0);
    }
    for (std::size_t done = first; done < end; done += kRowsAtOnce) {
        const std::size_t turn = (done - first) / kRowsAtOnce % 2;
        if (done + kRowsAtOnce < end) {
            lookUp(done + kRowsAtOnce, 1 - turn);
        }
        CANNERY_TRY(put(rows[turn], found[turn], done, areMade, out));
    }
    return {};
}

template <typename RowsFrom>
Result<void> EncodedDataset::State::gather(std::size_t count, RowsFrom&& rowsFrom,
                                           EncodedRows& out) const
{
    record.start(count, out);
    CANNERY_TRY(gatherSome(0, count, rowsFrom, false, out));
    record.finish(out);
    return checkMappings();
}

/// How many rows make up a thread's block; 0: the batch cannot be split. Only rows that have a
/// short form, or no ids and sequences, have known positions before they are read.
std::size_t EncodedDataset::State::rowsOfBlock(std::span<const std::int64_t> rows) const
{
    const std::size_t words =
        std::max<std::size_t>(record.isVariable() ? record.shortWords() : record.fixedWords(), 1);
    const std::size_t inBlock = (kWordsOfBlock / words / kRowsAtOnce + 1) * kRowsAtOnce;
    const auto firstOpen = static_cast<std::int64_t>(sealed.size()) * rowsOfSegment;
    const auto isOpen = [=](std::int64_t row) { return row >= firstOpen; };
    // Blocks write to fixed places only if every row of the batch has a place that does not depend
    // on the others' lengths.
    const bool areKnown = sealedAreShort && (!record.isVariable() || openIsShort ||
                                             std::ranges::none_of(rows, isOpen));
    return areKnown ? inBlock : 0;
}

EncodedDataset::EncodedDataset(const InputLayout& layout, EncodedDatasetOptions options)
    : m_state(std::make_unique<State>())
{
    m_state->layout = layout;
    m_state->options = std::move(options);
    const std::uint64_t share = shareOfAddressSpace();
    m_state->options.memoryLimit = std::min(m_state->options.memoryLimit, share);
    if (m_state->options.mapLimit == EncodedDatasetOptions::kMapLimitOfProcess) {
        m_state->options.mapLimit = share;
    }
}

EncodedDataset::EncodedDataset(EncodedDataset&&) noexcept = default;
EncodedDataset& EncodedDataset::operator=(EncodedDataset&&) noexcept = default;
EncodedDataset::~EncodedDataset() = default;

Result<void> EncodedDataset::append(const EncodedRows& rows)
{
    State& state = *m_state;
    if (rows.rowCount == 0) {
        return {};
    }
    if (state.rowCount == 0) {
        state.begin(rows);
    }
    // Either all batches have labels or none; the record's form is that of the first.
    CANNERY_CHECK(state.hasLabels == rows.isLabelled());
    CANNERY_CHECK(rows.labelOffsets.empty() ? state.hasWeights == !rows.weights.empty()
                                            : state.layout.labelledSteps >= 0);
    for (std::int64_t row = 0; row < rows.rowCount; ++row) {
        const bool isShort =
            state.record.append(rows, static_cast<std::size_t>(row), state.open.words);
        state.openIsShort = state.openIsShort && isShort;
        if (state.record.isVariable()) {
            state.open.offsets.push_back(state.open.words.size());
        }
        if (++state.rowCount % state.rowsOfSegment == 0) {
            CANNERY_TRY(state.seal());
        }
        if (!state.spilled && state.byteCount() > state.options.memoryLimit) {
            CANNERY_TRY(state.spill());
        }
    }
    return {};
}

std::int64_t EncodedDataset::rowCount() const
{
    return m_state->rowCount;
}

std::uint64_t EncodedDataset::byteCount() const
{
    return m_state->byteCount();
}

bool EncodedDataset::isSpilled() const
{
    return m_state->spilled.has_value();
}

Result<void> EncodedDataset::gather(std::span<const std::int64_t> rows, EncodedRows& out,
                                    const RunBlocks& runBlocks) const
{
    if (!runBlocks) {
        return m_state->gather(rows.size(), numbersOf(rows), out);
    }
    // Blocks are run by the caller's threads; the gathering itself owns none.
    BatchGathering gathering(*this, rows, out);
    const auto gatherBlock = [&](std::int64_t block) { gathering.gatherBlock(block); };
    runBlocks(gathering.blockCount(), std::ref(gatherBlock)); // does not allocate
    return gathering.finish();
}

Result<void> EncodedDataset::gatherRange(std::int64_t first, std::int64_t count,
                                         EncodedRows& out) const
{
    const auto rowsFrom = [first](std::size_t place, std::span<std::int64_t> numbers) {
        std::iota(numbers.begin(), numbers.end(), first + static_cast<std::int64_t>(place));
    };
    return m_state->gather(static_cast<std::size_t>(count), rowsFrom, out);
}

bool EncodedDataset::hasPlacesFor(std::span<const std::int64_t> rows) const
{
    return m_state->rowsOfBlock(rows) > 0;
}

bool EncodedDataset::hasWeightedIds(std::int32_t block) const
{
    return std::ranges::any_of(m_state->layout.slots, [&](const InputSlot& slot) {
        return slot.kind == SlotKind::Ids && slot.block == block && slot.weighted;
    });
}

Result<void> EncodedDataset::gatherTo(const BatchPlaces& places, std::span<const std::int64_t> rows,
                                      const RunBlocks& runBlocks) const
{
    const std::size_t inBlock = m_state->rowsOfBlock(rows);
    CANNERY_CHECK(inBlock > 0);
    m_state->record.startShort(rows.size(), places);
    std::mutex mutex;
    Result<void> result;
    const auto gatherBlock = [&](std::int64_t block) {
        const std::size_t first = static_cast<std::size_t>(block) * inBlock;
        Result<void> done = m_state->gatherSome(first, std::min(inBlock, rows.size() - first),
                                                numbersOf(rows), true, places);
        if (!done) {
            const std::scoped_lock lock(mutex);
            result = std::move(done);
        }
    };
    const std::int64_t blocks = blocksOf(rows.size(), inBlock);
    for (std::int64_t block = 0; !runBlocks && block < blocks; ++block) {
        gatherBlock(block);
    }
    if (runBlocks) {
        runBlocks(blocks, std::ref(gatherBlock)); // does not allocate
    }
    CANNERY_TRY(result);
    return m_state->checkMappings();
}

BatchGathering::BatchGathering(const EncodedDataset& dataset, std::span<const std::int64_t> rows,
                               EncodedRows& out)
    : m_dataset(*dataset.m_state), m_rows(rows), m_out(out),
      m_rowsOfBlock(m_dataset.rowsOfBlock(rows))
{
    if (m_rowsOfBlock > 0) {
        m_dataset.record.start(rows.size(), out);
        m_dataset.record.startShort(rows.size(), 0, out);
    }
}

std::int64_t BatchGathering::blockCount() const
{
    return m_rowsOfBlock == 0 ? 0 : blocksOf(m_rows.size(), m_rowsOfBlock);
}

void BatchGathering::gatherBlock(std::int64_t block)
{
    const std::size_t first = static_cast<std::size_t>(block) * m_rowsOfBlock;
    Result<void> done =
        m_dataset.gatherSome(first, std::min(m_rowsOfBlock, m_rows.size() - first),
                             numbersOf(m_rows), m_dataset.record.isVariable(), m_out);
    if (!done) {
        const std::scoped_lock lock(m_mutex);
        m_result = std::move(done);
    }
}

Result<void> BatchGathering::finish()
{
    if (m_rowsOfBlock == 0) {
        return m_dataset.gather(m_rows.size(), numbersOf(m_rows), m_out);
    }
    CANNERY_TRY(m_result);
    m_dataset.record.finish(m_out);
    return m_dataset.checkMappings();
}

} // namespace cannery::features
