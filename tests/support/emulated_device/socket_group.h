// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/emulated_device/emulated_group.h"

#include <condition_variable>
#include <mutex>

namespace cannery::tests {

/// A group of devices of several processes, which meet at a socket of the first one. As on real
/// GPUs, nobody learns here that another process is gone: who waits for it waits until abandon().
class SocketGroup : public EmulatedGroup
{
public:
    explicit SocketGroup(std::vector<int> sockets) : m_sockets(std::move(sockets)) {}
    ~SocketGroup() override;

    static kernels::GroupId makeId(const std::string& folder);
    static bool hasMade(const kernels::GroupId& id);
    static std::shared_ptr<EmulatedGroup> join(const kernels::GroupPlace& place);
    void abandon() override;

protected:
    bool gather(kernels::GroupRank member, Bytes own, std::vector<Bytes>& all) override;

private:
    bool gatherFirst(std::vector<Bytes>& all);
    bool waitUntilAbandoned();

    std::vector<int> m_sockets; ///< in the first member those of the others, by rank; else its own
    std::mutex m_mutex;
    std::condition_variable m_changed;
    bool m_isAbandoned = false;
};

} // namespace cannery::tests
