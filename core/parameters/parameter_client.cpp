// SPDX-License-Identifier: Apache-2.0
#include "core/parameters/parameter_client.h"

#include "core/base/fingerprint.h"
#include "core/base/process_token.h"
#include "core/parameters/server_group.h"
#include "core/parameters/step_messages.h"

#include <algorithm>
#include <numeric>

namespace cannery::parameters {

namespace {

constexpr std::chrono::seconds kLongestGoodbye(5);

wire::Position positionOf(const Place& place)
{
    wire::Position message;
    message.set_epoch(place.epoch);
    message.set_offset(place.offset);
    return message;
}

std::vector<std::span<const std::byte>> readable(std::span<const std::span<std::byte>> pieces)
{
    return {pieces.begin(), pieces.end()};
}

} // namespace

class ParameterClient::Private final : public ServerGroup::Filler
{
public:
    explicit Private(Options options)
        : m_options(std::move(options)),
          m_group({.servers = m_options.servers,
                   .identity = m_options.identity,
                   .onNote = [this](const coordinator::Note& note) { this->note(note); },
                   .stop = m_options.stop,
                   .longestWait = m_options.longestWait,
                   .startWait = m_options.startWait,
                   .patience = m_options.patience},
                  *this)
    {
        m_pulls.resize(m_options.servers.size());
        m_pushes.resize(m_options.servers.size());
    }

    void note(const coordinator::Note& note)
    {
        if (m_options.onNote) {
            m_options.onNote(note);
        }
    }

    Result<void> attach(Attachment attachment);
    Result<bool> pull(std::span<const plan::ExchangedVariable> variables, bool isStep);
    Result<bool> push(std::span<const plan::ExchangedVariable> variables);
    Result<void> fetch();
    Result<Others> others();
    Result<std::optional<Lease>> lease();

    /// Of a server that has lost its share, or never had one.
    void describe(int server, wire::Setup& setup) override
    {
        setup = m_layout->setup(server, m_attachment->state);
        setup.set_folder(m_attachment->folder);
        setup.set_first_step(m_step);
        setup.set_step(m_step);
        setup.set_tasks(m_options.tasks);
        setup.set_seed(m_attachment->seed);
        *setup.mutable_position() = positionOf(m_place);
        if (m_attachment->maxSteps) {
            setup.set_max_steps(*m_attachment->maxSteps);
        }
        if (server == 0 && m_attachment->leasedBatches) {
            setup.mutable_leases()->set_next(m_leased.first_open());
            if (*m_attachment->leasedBatches >= 0) {
                setup.mutable_leases()->set_batches(*m_attachment->leasedBatches);
            }
        }
    }
    std::vector<std::span<const std::byte>> contents(int server) override
    {
        return readable(m_layout->contents(server, m_attachment->state));
    }

    Options m_options;
    ServerGroup m_group;
    std::int64_t m_step = 0;
    Place m_place;
    bool m_isFull = false;
    wire::Leased m_leased; ///< as the server last reported it

private:
    std::vector<int> allServers() const;
    Result<void> fetchValues();
    Result<bool> pushTo(std::span<const int> servers, std::int64_t step);

    std::optional<Attachment> m_attachment;
    std::optional<ModelLayout> m_layout;
    std::vector<PullMessage> m_pulls; ///< by server
    std::vector<PushMessage> m_pushes;
    std::int64_t m_sequence = 0;
    bool m_isLost = false; ///< the batch of the last push was another task's
};

Result<void> ParameterClient::Private::attach(Attachment attachment)
{
    m_group.setExperiment(attachment.experiment,
                          fmt::format("{:016x}", fingerprint64(attachment.experiment)));
    m_step = attachment.globalStep;
    m_place = attachment.place;
    m_attachment.emplace(std::move(attachment));
    CANNERY_TRY_ASSIGN(m_layout, ModelLayout::create(m_attachment->lowered, m_options.strategy,
                                                     static_cast<int>(m_options.servers.size())));
    CANNERY_TRY_ASSIGN(const ServerGroup::Joined joined, m_group.join(newProcessToken()));
    m_step = std::max(m_step, joined.step);
    // This task has filled the servers itself, and has nothing to fetch. Otherwise they know better
    // where its input continues and what the values are.
    if (joined.isNew) {
        return {};
    }
    m_place = {.epoch = joined.position.epoch(), .offset = joined.position.offset()};
    if (m_attachment->leasedBatches) {
        CANNERY_TRY(lease()); // for firstOpenBatch()
    }
    return m_options.identity.rank == 0 ? fetch() : fetchValues();
}

/// Also of variables that no step changes.
Result<void> ParameterClient::Private::fetchValues()
{
    const auto& variables = m_attachment->lowered.graph.variables;
    std::vector<plan::ExchangedVariable> all;
    for (std::size_t index = 0; index < variables.size(); ++index) {
        const auto tensor =
            std::ranges::find(m_attachment->state, variables[index].name, &plan::StateTensor::name);
        auto* const values = reinterpret_cast<float*>(tensor->bytes.data());
        const auto count = static_cast<std::int64_t>(tensor->bytes.size() / sizeof(float));
        all.push_back(
            {.id = static_cast<graph::VariableId>(index), .values = {values, 1, count, count}});
    }
    CANNERY_TRY(pull(all, false));
    return {};
}

Result<bool> ParameterClient::Private::pull(std::span<const plan::ExchangedVariable> variables,
                                            bool isStep)
{
    std::vector<int> servers;
    for (std::size_t server = 0; server < m_pulls.size(); ++server) {
        m_pulls[server].make(*m_layout, static_cast<int>(server), variables);
        // Server 0 gets a request even without rows: its reply has the global step.
        if (server == 0 || m_layout->hasParts(static_cast<int>(server))) {
            servers.push_back(static_cast<int>(server));
        }
    }
    return m_group.ask({
        .servers = servers,
        .isStep = isStep,
        .send =
            [&](int server, ServerLink& link) {
                const PullMessage& pull = m_pulls[static_cast<std::size_t>(server)];
                wire::Request& request = m_group.newRequest();
                *request.mutable_pull() = pull.message;
                const auto rows = std::as_bytes(std::span(pull.rows));
                return link.send(request, {&rows, 1});
            },
        .expected = wire::Reply::kValues,
        .take =
            [&](int server, ServerLink& link, wire::Reply& reply) {
                if (server == 0) {
                    m_step = std::max(m_step, reply.values().step());
                }
                return link.receive(reply, m_pulls[static_cast<std::size_t>(server)].targets);
            },
    });
}

/// Server 0 numbers the step and decides whether it is wanted; the others follow.
Result<bool> ParameterClient::Private::push(std::span<const plan::ExchangedVariable> variables)
{
    ++m_sequence;
    std::vector<int> others;
    for (std::size_t server = 0; server < m_pushes.size(); ++server) {
        m_pushes[server].make(*m_layout, static_cast<int>(server), variables);
        if (server > 0 && m_layout->hasParts(static_cast<int>(server))) {
            others.push_back(static_cast<int>(server));
        }
    }
    const int first = 0;
    CANNERY_TRY_ASSIGN(const bool isApplied, pushTo({&first, 1}, 0));
    if (!isApplied || m_isFull || m_isLost) {
        return false;
    }
    CANNERY_TRY(pushTo(others, m_step)); // if it ends now, the chief has the others'
    return true;
}

Result<bool> ParameterClient::Private::pushTo(std::span<const int> servers, std::int64_t step)
{
    return m_group.ask({
        .servers = servers,
        .isStep = true,
        .send =
            [&](int server, ServerLink& link) {
                PushMessage& push = m_pushes[static_cast<std::size_t>(server)];
                push.message.set_sequence(m_sequence);
                push.message.set_known_step(m_step);
                push.message.set_step(step);
                push.message.clear_batch();
                // Leases are server 0's alone.
                if (step == 0 && m_leased.has_batch()) {
                    push.message.set_batch(m_leased.batch());
                }
                *push.message.mutable_position() = positionOf(m_place);
                wire::Request& request = m_group.newRequest();
                *request.mutable_push() = push.message;
                return link.send(request, push.payload);
            },
        .expected = wire::Reply::kPushed,
        .take =
            [&](int, ServerLink&, wire::Reply& reply) {
                if (step == 0) {
                    m_step = std::max(m_step, reply.pushed().step());
                    m_isFull = reply.pushed().is_refused();
                    m_isLost = reply.pushed().is_lost();
                    m_leased = reply.pushed().next();
                }
                return true;
            },
    });
}

std::vector<int> ParameterClient::Private::allServers() const
{
    std::vector<int> servers(m_options.servers.size());
    std::iota(servers.begin(), servers.end(), 0);
    return servers;
}

Result<void> ParameterClient::Private::fetch()
{
    const std::vector<int> servers = allServers();
    CANNERY_TRY(m_group.ask({
        .servers = servers,
        .isStep = false,
        .send =
            [&](int, ServerLink& link) {
                wire::Request& request = m_group.newRequest();
                request.mutable_fetch();
                return link.send(request);
            },
        .expected = wire::Reply::kState,
        .take =
            [&](int server, ServerLink& link, wire::Reply& reply) {
                if (server == 0) {
                    m_step = std::max(m_step, reply.state().step());
                    m_layout->take(reply.state(), m_attachment->state);
                }
                return link.receive(reply, m_layout->contents(server, m_attachment->state));
            },
    }));
    return {};
}

Result<std::optional<ParameterClient::Lease>> ParameterClient::Private::lease()
{
    const int first = 0;
    if (!m_leased.has_batch()) {
        CANNERY_TRY_ASSIGN(const bool isThere, m_group.ask({
                                                   .servers = {&first, 1},
                                                   .isStep = true,
                                                   .send =
                                                       [&](int, ServerLink& link) {
                                                           wire::Request& request =
                                                               m_group.newRequest();
                                                           request.mutable_lease();
                                                           return link.send(request);
                                                       },
                                                   .expected = wire::Reply::kLeased,
                                                   .take =
                                                       [&](int, ServerLink&, wire::Reply& reply) {
                                                           m_leased = reply.leased();
                                                           return true;
                                                       },
                                               }));
        if (!isThere) {
            return std::nullopt;
        }
    }
    Lease lease{.isOver = m_leased.is_over()};
    if (m_leased.has_batch()) {
        lease.batch = m_leased.batch();
    }
    return lease;
}

/// All servers are asked: who waits for a server that was lost waits for the chief to fill it.
Result<ParameterClient::Others> ParameterClient::Private::others()
{
    const std::vector<int> servers = allServers();
    Others others;
    CANNERY_TRY(m_group.ask({
        .servers = servers,
        .isStep = true,
        .send =
            [&](int, ServerLink& link) {
                wire::Request& request = m_group.newRequest();
                request.mutable_look();
                return link.send(request);
            },
        .expected = wire::Reply::kStatus,
        .take =
            [&](int server, ServerLink&, wire::Reply& reply) {
                if (server > 0) {
                    return true;
                }
                m_step = std::max(m_step, reply.status().step());
                others = {.busy = reply.status().busy(), .unseen = reply.status().unseen()};
                return true;
            },
    }));
    return others;
}

ParameterClient::ParameterClient(Options options)
    : m_private(std::make_unique<Private>(std::move(options)))
{}

ParameterClient::~ParameterClient() = default;

int ParameterClient::rank() const
{
    return m_private->m_options.identity.rank;
}

int ParameterClient::tasks() const
{
    return m_private->m_options.tasks;
}

bool ParameterClient::waitsForOthers() const
{
    const spec::ParameterServerStrategy& strategy = m_private->m_options.strategy;
    return strategy.dense() == spec::Consistency::sync ||
           strategy.embedding() == spec::Consistency::sync;
}

void ParameterClient::setNoteSink(std::function<void(const coordinator::Note&)> sink)
{
    m_private->m_options.onNote = std::move(sink);
}

Result<void> ParameterClient::attach(Attachment attachment)
{
    return m_private->attach(std::move(attachment));
}

std::int64_t ParameterClient::globalStep() const
{
    return m_private->m_step;
}

Place ParameterClient::place() const
{
    return m_private->m_place;
}

void ParameterClient::setPlace(Place place)
{
    m_private->m_place = place;
}

Result<bool> ParameterClient::pull(std::span<const plan::ExchangedVariable> variables)
{
    return m_private->pull(variables, true);
}

Result<bool> ParameterClient::push(std::span<const plan::ExchangedVariable> variables)
{
    return m_private->push(variables);
}

Result<void> ParameterClient::fetch()
{
    return m_private->fetch();
}

Result<ParameterClient::Others> ParameterClient::others()
{
    return m_private->others();
}

Result<std::optional<ParameterClient::Lease>> ParameterClient::lease()
{
    return m_private->lease();
}

std::int64_t ParameterClient::firstOpenBatch() const
{
    return m_private->m_leased.first_open();
}

bool ParameterClient::isFull() const
{
    return m_private->m_isFull;
}

std::optional<coordinator::JobEnd> ParameterClient::jobEnd() const
{
    return m_private->m_group.jobEnd();
}

void ParameterClient::leave(coordinator::Outcome outcome, const std::string& reason)
{
    m_private->m_group.leave({.outcome = outcome, .reason = reason}, kLongestGoodbye);
}

} // namespace cannery::parameters
