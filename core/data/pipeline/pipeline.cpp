// SPDX-License-Identifier: Apache-2.0
#include "core/data/pipeline/pipeline.h"

#include "core/base/check.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>

namespace cannery::data {

namespace {

constexpr std::string_view kHeader = "cannery input position 1";

constexpr ErrorKind kUnreadable{"data.position_unreadable",
                                "The saved input position cannot be read: {}. Train into a new "
                                "model_dir to start from scratch."};
constexpr ErrorKind kOtherData{
    "data.position_of_other_data",
    "The input position was saved with {} = {}, and now it is {}. Undo the change, or train into a "
    "new model_dir."};

} // namespace

Pipeline::Pipeline(const PipelineOptions& options, InputPosition start)
    : m_options(options), m_position(start), m_order(options.rows, 0)
{
    CANNERY_CHECK(options.rows >= 1 && options.batchSize >= 1);
    // A position is inside the table; the end of an epoch is the beginning of the next.
    CANNERY_CHECK(start.epoch >= 0 && start.offset >= 0 && start.offset < options.rows);
}

const KeyedPermutation& Pipeline::orderOf(std::int64_t epoch)
{
    // Tabulated once an epoch; the batches of the epoch share it.
    if (m_epochOfOrder != epoch) {
        m_order.tabulate(permutationKey(m_options.seed, std::uint64_t(epoch)));
        m_epochOfOrder = epoch;
    }
    return m_order;
}

bool Pipeline::next(std::vector<std::int64_t>& rows)
{
    rows.clear();
    // On a copy: if the remainder is dropped, the position stays where it was.
    InputPosition at = m_position;
    const auto isOver = [&] { return m_options.numEpochs > 0 && at.epoch >= m_options.numEpochs; };
    // A batch may go on in the next epoch, as with repeat() before batch() in TensorFlow.
    while (static_cast<std::int64_t>(rows.size()) < m_options.batchSize && !isOver()) {
        const auto have = static_cast<std::int64_t>(rows.size());
        const std::int64_t some = std::min(m_options.batchSize - have, m_options.rows - at.offset);
        rows.resize(static_cast<std::size_t>(have + some));
        const std::span<std::int64_t> fresh = std::span(rows).last(static_cast<std::size_t>(some));
        if (m_options.shuffle) {
            orderOf(at.epoch).fill(at.offset, fresh);
        } else {
            std::iota(fresh.begin(), fresh.end(), at.offset);
        }
        at.offset += some;
        if (at.offset == m_options.rows) {
            // The end of an epoch is the start of the next, also for the position that is saved.
            at = {at.epoch + 1, 0};
        }
    }
    const bool isShort = static_cast<std::int64_t>(rows.size()) < m_options.batchSize;
    // A short last batch counts unless remainders are dropped.
    if (rows.empty() || (isShort && m_options.dropRemainder)) {
        rows.clear();
        return false;
    }
    m_position = at;
    return true;
}

std::int64_t Pipeline::skip()
{
    std::int64_t rows = m_options.batchSize;
    if (m_options.numEpochs > 0) {
        const std::int64_t left =
            (m_options.numEpochs - m_position.epoch) * m_options.rows - m_position.offset;
        // Fewer than a batch are left at the end of the last epoch.
        rows = std::min(rows, left);
    }
    if (rows <= 0 || (rows < m_options.batchSize && m_options.dropRemainder)) {
        return 0;
    }
    const std::int64_t end = m_position.offset + rows;
    m_position = {m_position.epoch + end / m_options.rows, end % m_options.rows};
    return rows;
}

std::int64_t Pipeline::batchCount() const
{
    if (m_options.numEpochs == 0) {
        return -1;
    }
    // Batches go across epochs, so the rows of all of them count.
    const std::int64_t all = m_options.rows * m_options.numEpochs;
    const std::int64_t full = all / m_options.batchSize;
    const bool hasShort = all % m_options.batchSize != 0 && !m_options.dropRemainder;
    return full + (hasShort ? 1 : 0);
}

std::string toText(const PipelineOptions& options, InputPosition position)
{
    return fmt::format("{}\nepoch {}\noffset {}\nrows {}\nshuffle {}\nseed {}\n", kHeader,
                       position.epoch, position.offset, options.rows, options.shuffle ? 1 : 0,
                       options.seed);
}

Result<InputPosition> positionFromText(std::string_view text, const PipelineOptions& options)
{
    std::map<std::string, std::uint64_t, std::less<>> values;
    if (!text.starts_with(kHeader)) {
        // The first line has the version, too.
        return fail(ErrorCode::DataLoss, kUnreadable, "its first line is not ours");
    }
    text.remove_prefix(std::min(text.size(), kHeader.size() + 1));
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        const std::size_t space = line.find(' ');
        std::uint64_t value = 0;
        const std::string_view number =
            space == std::string_view::npos ? std::string_view() : line.substr(space + 1);
        const auto parsed = std::from_chars(number.data(), number.data() + number.size(), value);
        if (parsed.ec != std::errc() || parsed.ptr != number.data() + number.size()) {
            return fail(ErrorCode::DataLoss, kUnreadable,
                        fmt::format("\"{}\" is not a number", line));
        }
        // Unknown keys are read as well, and not used.
        values[std::string(line.substr(0, space))] = value;
    }
    for (const std::string_view key : {"epoch", "offset", "rows", "shuffle", "seed"}) {
        if (!values.contains(key)) {
            return fail(ErrorCode::DataLoss, kUnreadable, fmt::format("it lacks the {}", key));
        }
    }
    const auto compare = [&](std::string_view key, std::uint64_t now) -> Result<void> {
        const std::uint64_t saved = values.find(key)->second;
        return saved == now ? Result<void>()
                            : fail(ErrorCode::FailedPrecondition, kOtherData, key, saved, now);
    };
    CANNERY_TRY(compare("rows", std::uint64_t(options.rows)));
    CANNERY_TRY(compare("shuffle", options.shuffle ? 1 : 0));
    // Without shuffling, the seed has no effect.
    if (options.shuffle) {
        CANNERY_TRY(compare("seed", options.seed));
    }
    const InputPosition position{static_cast<std::int64_t>(values["epoch"]),
                                 static_cast<std::int64_t>(values["offset"])};
    // A checkpoint is a file that may come from anywhere.
    if (position.epoch < 0 || position.offset < 0 || position.offset >= options.rows) {
        return fail(ErrorCode::DataLoss, kUnreadable, "it lies outside the data");
    }
    return position;
}

} // namespace cannery::data
