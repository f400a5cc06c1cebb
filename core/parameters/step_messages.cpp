// SPDX-License-Identifier: Apache-2.0
#include "core/parameters/step_messages.h"

#include <algorithm>

namespace cannery::parameters {

namespace {

/// The elements that a range and a part have in common.
struct Overlap
{
    std::int64_t first = 0;
    std::int64_t end = 0;
};

Overlap overlapOf(const Part& part, std::int64_t first, std::int64_t count)
{
    return {std::max(part.first, first), std::min(part.first + part.count, first + count)};
}

} // namespace

void PullMessage::make(const ModelLayout& layout, int server,
                       std::span<const plan::ExchangedVariable> variables)
{
    message.Clear();
    rows.clear();
    targets.clear();
    std::vector<std::span<std::byte>> rowTargets;
    for (const plan::ExchangedVariable& variable : variables) {
        const auto [begin, end] = layout.partsOf(static_cast<std::size_t>(variable.id));
        const std::span<float> values = variable.values.flat();
        for (std::size_t id = begin; id < end; ++id) {
            const Part& part = layout.parts()[id];
            if (part.server != server) {
                continue;
            }
            if (!variable.readsRows) {
                message.add_whole(static_cast<int>(id));
                targets.push_back(std::as_writable_bytes(values.subspan(
                    static_cast<std::size_t>(part.first), static_cast<std::size_t>(part.count))));
                continue;
            }
            const std::int64_t firstRow = part.first / part.cols;
            const auto from = std::ranges::lower_bound(variable.rows, firstRow);
            const auto to =
                std::ranges::lower_bound(variable.rows, firstRow + part.count / part.cols);
            wire::Rows& wanted = *message.add_rows();
            wanted.set_part(static_cast<int>(id));
            wanted.set_count(to - from);
            for (auto row = from; row != to; ++row) {
                rows.push_back(static_cast<std::int32_t>(*row - firstRow));
                rowTargets.push_back(std::as_writable_bytes(
                    values.subspan(static_cast<std::size_t>(*row * part.cols),
                                   static_cast<std::size_t>(part.cols))));
            }
        }
    }
    targets.insert(targets.end(), rowTargets.begin(), rowTargets.end());
}

void PushMessage::addDense(int id, const Part& part, std::int64_t first,
                           std::span<const float> values)
{
    const Overlap common = overlapOf(part, first, std::ssize(values));
    if (common.first >= common.end) {
        return;
    }
    wire::Segment& segment = *message.add_segment();
    segment.set_part(id);
    segment.set_first(common.first - part.first);
    segment.set_count(common.end - common.first);
    segment.set_rows(-1);
    payload.push_back(
        std::as_bytes(values.subspan(static_cast<std::size_t>(common.first - first),
                                     static_cast<std::size_t>(common.end - common.first))));
}

void PushMessage::addSparse(int id, const Part& part, const layers::GradientSegment& gradient,
                            bool isWhole)
{
    const Overlap common =
        overlapOf(part, gradient.firstRow * part.cols, gradient.rowCount * part.cols);
    if (common.first >= common.end) {
        return;
    }
    wire::Segment& segment = *message.add_segment();
    segment.set_part(id);
    segment.set_first(common.first - part.first);
    segment.set_count(common.end - common.first);
    const std::vector<std::int32_t>* numbers = &gradient.rows.rows;
    const std::vector<float>* values = &gradient.rows.values;
    if (!isWhole) {
        Rows& own = m_rows.emplace_back();
        const std::int64_t offset = common.first / part.cols - gradient.firstRow;
        const std::int64_t count = (common.end - common.first) / part.cols;
        for (std::size_t i = 0; i < numbers->size(); ++i) {
            const std::int64_t row = (*numbers)[i] - offset;
            if (row >= 0 && row < count) {
                own.numbers.push_back(static_cast<std::int32_t>(row));
                const auto from = values->begin() + static_cast<std::int64_t>(i) * part.cols;
                own.values.insert(own.values.end(), from, from + part.cols);
            }
        }
        numbers = &own.numbers;
        values = &own.values;
    }
    segment.set_rows(std::ssize(*numbers));
    payload.push_back(std::as_bytes(std::span(*numbers)));
    payload.push_back(std::as_bytes(
        std::span(*values).first(numbers->size() * static_cast<std::size_t>(part.cols))));
}

void PushMessage::make(const ModelLayout& layout, int server,
                       std::span<const plan::ExchangedVariable> variables)
{
    message.Clear();
    payload.clear();
    m_rows.clear();
    for (const plan::ExchangedVariable& variable : variables) {
        const auto [begin, end] = layout.partsOf(static_cast<std::size_t>(variable.id));
        for (std::size_t id = begin; id < end; ++id) {
            const Part& part = layout.parts()[id];
            if (part.server != server) {
                continue;
            }
            if (variable.gradient == nullptr) {
                addDense(static_cast<int>(id), part, 0, variable.change);
                continue;
            }
            const std::int64_t cols = variable.values.cols;
            for (const layers::GradientSegment& segment : variable.gradient->segments()) {
                if (segment.sparse) {
                    addSparse(static_cast<int>(id), part, segment, end - begin == 1);
                } else {
                    addDense(
                        static_cast<int>(id), part, segment.firstRow * cols,
                        {segment.dense.data, static_cast<std::size_t>(segment.rowCount * cols)});
                }
            }
        }
    }
}

} // namespace cannery::parameters
