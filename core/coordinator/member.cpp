// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/member.h"

#include "core/collectives/key_value_store.h"
#include "core/coordinator/member_session.h"

#include <cstddef>
#include <span>
#include <vector>

namespace cannery::coordinator {
namespace {

/// The store of one generation; `Session` is Member's private class.
template <typename Session>
class GenerationStore final : public collectives::KeyValueStore
{
public:
    GenerationStore(Session& session, std::int64_t generation)
        : m_session(session), m_generation(generation)
    {}

    Result<void> set(const std::string& key, std::span<const std::byte> value) override
    {
        return m_session.set(m_generation, key,
                             {reinterpret_cast<const char*>(value.data()), value.size()});
    }

    Result<std::vector<std::byte>> get(const std::string& key,
                                       std::chrono::milliseconds timeout) override
    {
        CANNERY_TRY_ASSIGN(const std::string value, m_session.get(m_generation, key, timeout));
        const auto bytes = std::as_bytes(std::span(value));
        return std::vector(bytes.begin(), bytes.end());
    }

private:
    Session& m_session;
    const std::int64_t m_generation;
};

} // namespace

Member::Member(std::unique_ptr<Private> parts) : m_private(std::move(parts)) {}

Member::~Member() = default;

Result<std::unique_ptr<Member>> Member::connect(Options options)
{
    CANNERY_TRY_ASSIGN(cluster::HostPort address,
                       cluster::parseHostPort(options.coordinatorAddress, "the chief"));
    auto parts = std::make_unique<Private>(std::move(options), std::move(address));
    CANNERY_TRY(parts->waitUntilWelcome());
    return std::unique_ptr<Member>(new Member(std::move(parts)));
}

Result<Generation> Member::join()
{
    return m_private->join();
}

Result<void> Member::rest()
{
    return m_private->rest();
}

std::unique_ptr<collectives::KeyValueStore> Member::store(const Generation& generation)
{
    return std::make_unique<GenerationStore<Private>>(*m_private, generation.number);
}

bool Member::isBroken(std::int64_t generation) const
{
    return m_private->isBroken(generation);
}

Result<void> Member::reportStep(const StepTimes& times)
{
    return m_private->reportStep(times);
}

Result<void> Member::leave(Outcome outcome, const std::string& reason)
{
    return m_private->leave({outcome, reason});
}

std::optional<JobEnd> Member::jobEnd() const
{
    return m_private->jobEnd();
}

} // namespace cannery::coordinator
