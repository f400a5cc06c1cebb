// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/plan/device/device_training.h"
#include "core/train/loop/loop_place.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cannery::train {

/// The steps of a training loop that an accelerator takes several of at once: as many as take no
/// longer than a moment. One thread.
class DeviceSteps
{
public:
    /// All of them outlive this.
    DeviceSteps(plan::DeviceTraining& device, LoopPlace& place, const Clock& clock)
        : m_device(device), m_place(place), m_clock(clock)
    {}

    /// Whether they are queued: there is a table to take batches from.
    bool areQueued() const { return m_device.mostQueued() > 0; }
    /// How many to take next, at most.
    std::int64_t most() const;
    /// How many all processes take, see plan::DeviceTraining::agreeOnSteps().
    Result<std::int64_t> agree(std::int64_t wanted) { return m_device.agreeOnSteps(wanted); }

    struct Taken
    {
        std::span<const double> losses; ///< of each step; none: the input has ended
        double inputSeconds = 0;        ///< of each, to take its batch and queue it
        double deviceSeconds = 0;       ///< of each, waited for
    };
    /// This many steps, unless the input ends before. Errors: see plan::DeviceTraining.
    Result<Taken> take(std::int64_t count);
    /// Goes to one of the steps taken last, each once; returns the rows of its batches.
    std::int64_t goTo(std::size_t step);
    /// Of that step.
    const std::vector<std::int64_t>& firstBatch() const { return m_rows.front(); }

private:
    Result<std::int64_t> queue();

    plan::DeviceTraining& m_device;
    LoopPlace& m_place;
    const Clock& m_clock;
    std::vector<std::vector<std::int64_t>> m_rows;               ///< by shard
    std::vector<std::vector<std::vector<std::int64_t>>> m_ahead; ///< of steps taken at once
    std::int64_t m_atOnce = 1; ///< that take no longer than a moment
};

} // namespace cannery::train
