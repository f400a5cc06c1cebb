// SPDX-License-Identifier: Apache-2.0
#include "core/train/loop/device_steps.h"

#include "core/train/loop/steps_at_once.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace cannery::train {

namespace {

std::string stepsText(std::int64_t first, std::int64_t last)
{
    return first == last ? fmt::format("training step {}", first)
                         : fmt::format("training steps {} to {}", first, last);
}

} // namespace

std::int64_t DeviceSteps::most() const
{
    return std::min(m_atOnce, m_device.mostQueued());
}

Result<DeviceSteps::Taken> DeviceSteps::take(std::int64_t count)
{
    const double begin = m_clock.steadyTime();
    m_ahead.resize(static_cast<std::size_t>(count));
    const Result<std::int64_t> queued = queue();
    const double waited = m_clock.steadyTime();
    const Result<std::span<const double>> losses =
        queued ? m_device.finish() : tl::make_unexpected(queued.error());
    if (!losses) {
        return tl::make_unexpected(
            Error(losses.error())
                .with(stepsText(m_place.globalStep + 1, m_place.globalStep + count)));
    }
    if (*queued == 0) {
        return Taken{};
    }
    const double end = m_clock.steadyTime();
    m_atOnce = nextAtOnce(*queued, end - begin);
    const auto share = static_cast<double>(*queued);
    return Taken{.losses = *losses,
                 .inputSeconds = (waited - begin) / share,
                 .deviceSeconds = (end - waited) / share};
}

/// As many steps as m_ahead has room for, unless the input ends before; returns how many.
Result<std::int64_t> DeviceSteps::queue()
{
    std::int64_t step = m_place.globalStep;
    for (std::vector<std::vector<std::int64_t>>& rows : m_ahead) {
        if (m_place.input.next(m_rows) == 0) {
            break;
        }
        rows.swap(m_rows);
        CANNERY_TRY(m_device.queue(rows, step));
        ++step;
    }
    return step - m_place.globalStep;
}

std::int64_t DeviceSteps::goTo(std::size_t step)
{
    m_rows.swap(m_ahead[step]);
    std::int64_t count = 0;
    for (const std::vector<std::int64_t>& rows : m_rows) {
        count += static_cast<std::int64_t>(rows.size());
    }
    return count;
}

} // namespace cannery::train
