// SPDX-License-Identifier: Apache-2.0
#include "core/layers/recurrence/recurrent_steps.h"

#include <algorithm>
#include <numeric>

namespace cannery::layers {

/// A mask may leave more steps in a later batch of as many rows, which must not allocate.
void RecurrentSteps::reserve()
{
    const std::size_t steps = index(m_of.total());
    for (std::vector<std::int64_t>* bySteps : {&m_rowTimes, &m_inputs, &m_outputs}) {
        bySteps->reserve(steps);
    }
    m_starts.reserve(index(m_of.length) + 1);
}

void RecurrentSteps::findSteps()
{
    m_rowStarts.assign(1, 0);
    m_rowTimes.clear();
    for (std::int64_t row = 0; row < m_of.rows; ++row) {
        const std::int64_t length = m_of.first(row + 1) - m_of.first(row);
        for (std::int64_t time = 0; time < length; ++time) {
            if (!m_of.isSkipped(m_of.input(row, time))) {
                m_rowTimes.push_back(time);
            }
        }
        m_rowStarts.push_back(static_cast<std::int64_t>(m_rowTimes.size()));
    }
}

/// Rows of equal length keep their order, so that the sums of a batch always have the same one.
void RecurrentSteps::sort(const StepPlaces& places)
{
    m_of = places;
    reserve();
    findSteps();
    m_order.resize(index(m_of.rows));
    std::iota(m_order.begin(), m_order.end(), 0);
    // std::stable_sort would allocate, which a step must not do.
    std::sort(m_order.begin(), m_order.end(), [&](std::int64_t left, std::int64_t right) {
        const std::int64_t more = lengthOf(left) - lengthOf(right);
        return more != 0 ? more > 0 : left < right;
    });
    m_starts.assign(1, 0);
    m_inputs.clear();
    m_outputs.clear();
    // Rows are sorted by length, so the rows that have a step at a time are the first ones.
    std::size_t active = m_order.size();
    for (std::int64_t time = 0;; ++time) {
        while (active > 0 && lengthOf(m_order[active - 1]) <= time) {
            --active;
        }
        if (active == 0) {
            return;
        }
        for (std::size_t rank = 0; rank < active; ++rank) {
            const std::int64_t row = m_order[rank];
            const std::int64_t ofRow = m_rowTimes[index(m_rowStarts[index(row)] + time)];
            m_inputs.push_back(m_of.input(row, ofRow));
            m_outputs.push_back(m_of.output(row, ofRow));
        }
        m_starts.push_back(static_cast<std::int64_t>(m_inputs.size()));
    }
}

} // namespace cannery::layers
