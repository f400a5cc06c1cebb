// SPDX-License-Identifier: Apache-2.0
#include "core/strategies/pack_thread.h"

#include "kernels/device/flush_denormals.h"

#include <utility>

namespace cannery::strategies {

PackThread::PackThread(Sum sum) : m_sum(std::move(sum)), m_thread([this] { work(); }) {}

PackThread::~PackThread()
{
    const std::lock_guard lock(m_mutex);
    m_isEnding = true;
    m_changed.notify_all();
}

void PackThread::begin(std::span<float> pack)
{
    const std::lock_guard lock(m_mutex);
    m_packs.push_back(pack);
    m_changed.notify_all();
}

Result<void> PackThread::finish()
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_done == m_packs.size(); });
    m_packs.clear();
    m_done = 0;
    return std::exchange(m_result, {});
}

void PackThread::work()
{
    const kernels::FlushDenormals flush; // as the thread that computes
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_changed.wait(lock, [this] { return m_isEnding || m_done < m_packs.size(); });
        if (m_isEnding) {
            return;
        }
        const std::span<float> pack = m_packs[m_done];
        if (m_result) {
            lock.unlock();
            Result<void> result = m_sum(pack);
            lock.lock();
            m_result = std::move(result);
        }
        ++m_done;
        m_changed.notify_all();
    }
}

} // namespace cannery::strategies
