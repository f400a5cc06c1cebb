// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace cannery::strategies {

/// Sums packs of gradients, one after the other, while others are computed. One thread controls it.
class PackThread
{
public:
    /// `sum` replaces values by their sums over all processes.
    using Sum = std::function<Result<void>(std::span<float>)>;
    explicit PackThread(Sum sum);
    ~PackThread();

    void begin(std::span<float> pack);
    /// Waits for all packs. The first error ends the step: the packs after it are left alone.
    Result<void> finish();

private:
    void work();

    Sum m_sum;
    std::mutex m_mutex; ///< for what follows
    std::condition_variable m_changed;
    std::vector<std::span<float>> m_packs; ///< of this step
    std::size_t m_done = 0;                ///< of them
    Result<void> m_result;
    bool m_isEnding = false;
    std::jthread m_thread; ///< last: ends before the rest does
};

} // namespace cannery::strategies
