// SPDX-License-Identifier: Apache-2.0
// What the processes of a cluster do together.
#include "core/plan/gradient_exchange.h"
#include "core/plan/model_parts.h"

namespace cannery::plan {

void Model::Parts::beginPacks()
{
    for (const Pack& pack : packs) {
        options.exchange->begin(
            network().denseParts().subspan(static_cast<std::size_t>(pack.first),
                                           static_cast<std::size_t>(pack.count)),
            &pack == &packs.back());
    }
}

Result<void> Model::Parts::finishExchange()
{
    const TraceSpan span(trace(), TracePhase::Exchange, "processes", "sum");
    CANNERY_TRY(options.exchange->finish(network().sparseParts()));
    votes = network().stepFacts()[kVotes];
    return {};
}

Result<std::int64_t> Model::Parts::agree(std::int64_t wanted, float vote)
{
    CANNERY_TRY_ASSIGN(const StepAgreement agreed, device->agree({.steps = wanted,
                                                                  .votes = vote,
                                                                  .measures = measures(),
                                                                  .traces = trace() != nullptr}));
    votes = agreed.votes;
    return agreed.steps;
}

Result<void> Model::meetProcesses(const std::function<Result<kernels::GroupId>()>& makeId)
{
    return m_parts->device == nullptr ? Result<void>() : m_parts->device->meet(makeId);
}

Result<std::int64_t> Model::agreeOnSteps(std::int64_t wanted)
{
    return m_parts->agree(wanted, 0);
}

Result<void> Model::voteAgainstStep(float vote)
{
    if (m_parts->device != nullptr) {
        CANNERY_TRY(m_parts->agree(0, vote));
        return {};
    }
    if (m_parts->lockstep) {
        CANNERY_TRY(m_parts->lockstep->abstain());
    }
    m_parts->network().stepFacts()[kVotes] = vote;
    m_parts->beginPacks();
    return m_parts->finishExchange();
}

float Model::votes() const
{
    return m_parts->votes;
}

} // namespace cannery::plan
