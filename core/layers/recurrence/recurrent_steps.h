// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cannery::layers {

/// Where the steps of a batch are: a place is the index of a step in a matrix that holds all rows
/// back to back.
struct StepPlaces
{
    std::int64_t rows = 0;
    /// Row r has the places [offsets[r], offsets[r + 1]). Empty: every row has `length` of them.
    std::span<const std::int64_t> offsets;
    std::int64_t length = 0;
    const float* mask = nullptr; ///< by place, 0: the step is skipped; null: none is
    bool backwards = false;      ///< the last step of a row comes first
    /// Outputs are stored in the order of computation, otherwise each at the index of its input.
    bool inOrder = true;

    std::int64_t first(std::int64_t row) const
    {
        return offsets.empty() ? row * length : offsets[static_cast<std::size_t>(row)];
    }
    std::int64_t total() const { return first(rows); }
    /// The place of the step that comes as number `time`, skipped ones counted.
    std::int64_t input(std::int64_t row, std::int64_t time) const
    {
        return backwards ? first(row + 1) - 1 - time : first(row) + time;
    }
    std::int64_t output(std::int64_t row, std::int64_t time) const
    {
        return inOrder ? first(row) + time : input(row, time);
    }
    bool isSkipped(std::int64_t place) const { return mask != nullptr && mask[place] == 0.0F; }
};

/// The steps that a recurrent layer computes, sorted by time, the longest rows first. Time counts
/// the steps of a row that are not skipped. Its memory grows with the batches and never shrinks.
class RecurrentSteps
{
public:
    /// `places` is kept; what it refers to stays until the backward pass.
    void sort(const StepPlaces& places);

    const StepPlaces& places() const { return m_of; }
    std::int64_t total() const { return m_starts.back(); }
    std::size_t times() const { return m_starts.size() - 1; }
    /// The first step of a time, in this order.
    std::int64_t start(std::size_t time) const { return m_starts[time]; }
    std::int64_t rowsAt(std::size_t time) const
    {
        return time < times() ? m_starts[time + 1] - m_starts[time] : 0;
    }
    std::int64_t inputPlace(std::int64_t step) const { return m_inputs[index(step)]; }
    std::int64_t outputPlace(std::int64_t step) const { return m_outputs[index(step)]; }
    /// The row of the batch that is the `rank`-th at every time.
    std::int64_t row(std::int64_t rank) const { return m_order[index(rank)]; }

    /// Calls function(place of an output, that of the output before it or -1) for the skipped
    /// steps of each row, first to last; back to front if `reversed`.
    template <typename Function>
    void forEachSkipped(bool reversed, Function&& function) const
    {
        if (m_of.mask == nullptr) {
            return;
        }
        for (std::int64_t row = 0; row < m_of.rows; ++row) {
            const std::int64_t length = m_of.first(row + 1) - m_of.first(row);
            for (std::int64_t i = 0; i < length; ++i) {
                const std::int64_t time = reversed ? length - 1 - i : i;
                if (m_of.isSkipped(m_of.input(row, time))) {
                    function(m_of.output(row, time), time == 0 ? -1 : m_of.output(row, time - 1));
                }
            }
        }
    }

private:
    static std::size_t index(std::int64_t number) { return static_cast<std::size_t>(number); }
    std::int64_t lengthOf(std::int64_t row) const
    {
        return m_rowStarts[index(row) + 1] - m_rowStarts[index(row)];
    }
    void reserve();
    void findSteps();

    StepPlaces m_of;
    std::vector<std::int64_t> m_rowStarts; ///< by row: its first entry in m_rowTimes; then the end
    std::vector<std::int64_t> m_rowTimes;  ///< by step of a row: as StepPlaces::input() counts
    std::vector<std::int64_t> m_order;     ///< rows of the batch, the longest first
    std::vector<std::int64_t> m_starts;    ///< by time: its first step; then their number
    std::vector<std::int64_t> m_inputs;    ///< by step in order of time
    std::vector<std::int64_t> m_outputs;
};

} // namespace cannery::layers
