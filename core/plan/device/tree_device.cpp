// SPDX-License-Identifier: Apache-2.0
#include "core/plan/device/tree_device.h"

#include "core/plan/device/device_memory.h"

#include <algorithm>
#include <array>
#include <utility>

namespace cannery::plan {

namespace {

using kernels::Queue;

constexpr ErrorKind kNoRoomForTrees{"gpu.no_room_for_trees",
                                    "{0} Trees need all of it there: set "
                                    "strategy.one_device.device to \"CPU:0\", or train on fewer "
                                    "rows."};

/// Rows of a group that one core sums while an accelerator is told of a leaf and tells its sums:
/// about 40 microseconds for both copies, two starts and the wait, and about 10 nanoseconds a row.
constexpr std::int64_t kRowsOfRoundTrip = 4096;
/// Rows whose numbers go up while the next ones are copied, and those that a thread copies at once.
constexpr std::int64_t kRowsOnTheWay = 1 << 20;
constexpr std::int64_t kCopiedRows = 1 << 16;
/// How many rows a leaf has stands before their numbers.
constexpr auto kCountBytes = static_cast<std::int64_t>(sizeof(std::int64_t));

/// Without addresses.
kernels::DeviceBins shapeOf(const trees::HistogramTable& table)
{
    return {.rows = table.rowCount(),
            .columns = std::ssize(table.columns()),
            .binCount = table.binCount()};
}

template <typename T>
constexpr std::int64_t bytesOf(std::int64_t count)
{
    return count * std::int64_t{sizeof(T)};
}

} // namespace

TreeDevice::Places::Places(const kernels::DeviceBins& table)
    : ranges(deviceAligned(table.bytes())),
      gradients(ranges + deviceAligned(bytesOf<kernels::HistogramRange>(table.columns))),
      leaf(gradients + deviceAligned(bytesOf<std::uint64_t>(table.rows))),
      sums(leaf + deviceAligned(kCountBytes + bytesOf<std::uint32_t>(table.rows))),
      end(sums + deviceAligned(bytesOf<std::int64_t>(kernels::kSumsOfBin * table.binCount)))
{}

Result<std::unique_ptr<TreeDevice>> TreeDevice::create(kernels::Accelerator& accelerator,
                                                       const trees::HistogramTable& table,
                                                       kernels::ThreadPool& pool)
{
    std::unique_ptr<TreeDevice> device(new TreeDevice(accelerator, shapeOf(table), pool));
    const Result<void> ready = device->begin(table);
    if (isShort(ready)) {
        return fail(ErrorCode::ResourceExhausted, kNoRoomForTrees, ready.error().sentence);
    }
    CANNERY_TRY(ready);
    return device;
}

Result<void> TreeDevice::begin(const trees::HistogramTable& table)
{
    CANNERY_TRY(allocate());
    CANNERY_TRY(prepare());
    return uploadTable(table);
}

Result<void> TreeDevice::allocate()
{
    const std::int64_t freeBytes = freeDeviceMemory(m_accelerator);
    if (m_places.end > freeBytes) {
        return tl::make_unexpected(outOfDeviceMemory("The table of training rows as bins",
                                                     m_places.end, freeBytes,
                                                     m_accelerator.facts().memoryBytes));
    }
    CANNERY_TRY_ASSIGN(m_memory, m_accelerator.allocate(m_places.end));
    CANNERY_TRY_ASSIGN(m_pinned, m_accelerator.allocatePinned(m_places.end - m_places.gradients));
    std::byte* const memory = m_memory->data();
    m_table.bins = reinterpret_cast<const std::uint8_t*>(memory);
    m_table.ranges = reinterpret_cast<const kernels::HistogramRange*>(memory + m_places.ranges);
    return {};
}

Result<void> TreeDevice::prepare()
{
    std::byte* const memory = m_memory->data();
    std::byte* const leaf = memory + m_places.leaf;
    kernels::SumGradients sum{
        .table = m_table,
        .gradients = reinterpret_cast<const std::uint64_t*>(memory + m_places.gradients),
        .sums = reinterpret_cast<std::int64_t*>(memory + m_places.sums)};
    CANNERY_TRY_ASSIGN(m_sumOfAll, m_accelerator.prepare(std::array<kernels::Operation, 1>{sum}));
    sum.rows = reinterpret_cast<const std::uint32_t*>(leaf + kCountBytes);
    sum.rowCount = reinterpret_cast<const std::int64_t*>(leaf);
    CANNERY_TRY_ASSIGN(m_sumOfLeaf, m_accelerator.prepare(std::array<kernels::Operation, 1>{sum}));
    return {};
}

Result<void> TreeDevice::uploadTable(const trees::HistogramTable& table)
{
    for (std::size_t index = 0; index < table.groupCount(); ++index) {
        const auto group = static_cast<std::int64_t>(index);
        m_accelerator.upload(Queue::Compute, m_memory->data() + m_table.offset(group),
                             table.group(index).bins, m_table.rows * m_table.width(group));
    }
    m_accelerator.upload(Queue::Compute, m_memory->data() + m_places.ranges, table.ranges().data(),
                         static_cast<std::int64_t>(table.ranges().size_bytes()));
    return m_accelerator.synchronize();
}

std::span<std::uint64_t> TreeDevice::gradients()
{
    return {reinterpret_cast<std::uint64_t*>(pinned(m_places.gradients)),
            static_cast<std::size_t>(m_table.rows)};
}

bool TreeDevice::takes(std::int64_t rows) const
{
    return rows * m_table.groups() >= kRowsOfRoundTrip * m_pool.threadCount();
}

void TreeDevice::upload(std::int64_t place, std::int64_t bytes)
{
    m_accelerator.upload(Queue::Compute, m_memory->data() + place, pinned(place), bytes);
}

void TreeDevice::add(std::span<const std::uint32_t> rows)
{
    if (!std::exchange(m_hasGradients, true)) {
        upload(m_places.gradients, bytesOf<std::uint64_t>(m_table.rows));
    }
    const bool areAll = std::ssize(rows) == m_table.rows;
    if (!areAll) {
        uploadRows(rows);
    }
    m_accelerator.launch(areAll ? *m_sumOfAll : *m_sumOfLeaf);
    m_accelerator.download(Queue::Compute, pinned(m_places.sums), m_memory->data() + m_places.sums,
                           bytesOf<std::int64_t>(kernels::kSumsOfBin * m_table.binCount));
}

void TreeDevice::uploadRows(std::span<const std::uint32_t> rows)
{
    const std::int64_t count = std::ssize(rows);
    const std::int64_t numbers = m_places.leaf + kCountBytes;
    *reinterpret_cast<std::int64_t*>(pinned(m_places.leaf)) = count;
    auto* const copies = reinterpret_cast<std::uint32_t*>(pinned(numbers));
    std::int64_t begin = m_places.leaf;
    for (std::int64_t first = 0; first < count; first += kRowsOnTheWay) {
        const std::int64_t part = std::min(kRowsOnTheWay, count - first);
        kernels::forEachBlock(m_pool, part, kCopiedRows, [&](kernels::BlockRange range, int) {
            std::copy_n(rows.data() + first + range.first, range.count,
                        copies + first + range.first);
        });
        const std::int64_t end = numbers + bytesOf<std::uint32_t>(first + part);
        upload(begin, end - begin);
        begin = end;
    }
}

Result<std::span<const std::int64_t>> TreeDevice::finish()
{
    CANNERY_TRY(m_accelerator.synchronize());
    return std::span(reinterpret_cast<const std::int64_t*>(pinned(m_places.sums)),
                     static_cast<std::size_t>(kernels::kSumsOfBin * m_table.binCount));
}

} // namespace cannery::plan
