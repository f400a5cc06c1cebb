// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/accelerator.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cannery::tests {

/// A group of emulated devices, which tell each other what they have. One thread for each member.
class EmulatedGroup
{
public:
    /// What meet() says when somebody has given the group up.
    static constexpr const char* kGivenUp = "another member of the group has failed";

    virtual ~EmulatedGroup() = default;

    /// For devices of one process.
    static kernels::GroupId makeId();
    /// For devices of several processes, which meet at a socket in this folder.
    static kernels::GroupId makeId(const std::string& folder);
    /// Waits until all members have come. Null: somebody has given the group up.
    static std::shared_ptr<EmulatedGroup> join(const kernels::GroupPlace& place);

    /// Runs an operation that meets those of the others. An empty sentence, or why it has not run:
    /// the members do different things, or somebody has given the group up.
    std::string meet(const kernels::ExchangeParts& work);
    std::string meet(const kernels::GatherParts& work);
    std::string meet(const kernels::GatherSparse& work);
    /// Any thread: whoever waits, now or later, waits no more.
    virtual void abandon() = 0;

protected:
    using Bytes = std::vector<std::byte>;
    /// all[m] = what member m has. False: the group is given up.
    virtual bool gather(kernels::GroupRank member, Bytes own, std::vector<Bytes>& all) = 0;

private:
    std::string gatherSame(kernels::GroupRank member, Bytes own, std::vector<Bytes>& all);
};

} // namespace cannery::tests
