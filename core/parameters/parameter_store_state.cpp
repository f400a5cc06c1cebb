// SPDX-License-Identifier: Apache-2.0
#include "core/parameters/parameter_store.h"

#include <utility>

namespace cannery::parameters {

std::vector<std::span<float>> ParameterStore::contents()
{
    std::vector<std::span<float>> all;
    for (StoredPart& part : m_parts) {
        all.emplace_back(part.memory());
    }
    return all;
}

wire::Setup ParameterStore::describe() const
{
    wire::Setup setup = m_setup;
    wire::State now = state();
    setup.mutable_optimizer()->Swap(now.mutable_optimizer());
    setup.set_first_step(m_step);
    setup.set_step(m_step);
    setup.clear_record();
    for (const wire::TaskRecord& record : m_records) {
        *setup.add_record() = record;
    }
    return setup;
}

wire::State ParameterStore::state() const
{
    wire::State state;
    if (m_begunStep > m_step) { // what a step has begun with is part of no other
        state = m_stateBefore;
        state.set_step(m_step);
        return state;
    }
    state.set_step(m_step);
    for (std::size_t i = 0; i < m_optimizers.size(); ++i) {
        const wire::Optimizer& began = m_setup.optimizer(static_cast<int>(i));
        wire::Optimizer& now = *state.add_optimizer();
        now = began;
        now.clear_scalar();
        for (const optimizers::Scalar& scalar : std::as_const(*m_optimizers[i]).scalars()) {
            now.add_scalar(scalar.value);
        }
        now.set_iterations(began.iterations() + m_step - m_setup.first_step());
    }
    return state;
}

/// False if the optimizer has another number of them.
bool ParameterStore::setScalars(std::size_t optimizer, const wire::Optimizer& message)
{
    const auto scalars = m_optimizers[optimizer]->scalars();
    if (static_cast<std::size_t>(message.scalar_size()) != scalars.size()) {
        return false;
    }
    for (std::size_t i = 0; i < scalars.size(); ++i) {
        scalars[i].value = message.scalar(static_cast<int>(i));
    }
    return true;
}

void ParameterStore::setRecords(const wire::Setup& setup)
{
    m_records.assign(m_presence.size(), {});
    for (std::size_t rank = 0; rank < m_records.size(); ++rank) {
        m_records[rank].set_rank(static_cast<int>(rank));
    }
    for (const wire::TaskRecord& record : setup.record()) {
        if (record.rank() >= 0 && record.rank() < m_setup.tasks()) {
            m_records[static_cast<std::size_t>(record.rank())] = record;
        }
    }
}

std::uint64_t ParameterStore::changedBytes() const
{
    std::uint64_t bytes = 0;
    for (const StoredPart& part : m_parts) {
        bytes += part.changedBytes();
    }
    return bytes;
}

wire::Changes ParameterStore::takeChanges(std::vector<std::byte>& payload)
{
    wire::Changes changes;
    *changes.mutable_setup() = describe();
    payload.reserve(payload.size() + changedBytes());
    for (std::size_t part = 0; part < m_parts.size(); ++part) {
        m_parts[part].takeChanges(m_setup.part(static_cast<int>(part)).id(), changes, payload);
    }
    return changes;
}

void ParameterStore::clearMarks()
{
    for (StoredPart& part : m_parts) {
        part.clearMarks();
    }
}

bool ParameterStore::putChanges(const wire::Changes& changes, std::span<const std::byte> payload)
{
    const wire::Setup& setup = changes.setup();
    if (setup.optimizer_size() != m_setup.optimizer_size() || setup.tasks() != m_setup.tasks()) {
        return false;
    }
    for (const wire::Rows& rows : changes.rows()) {
        if (!hasPart(rows.part()) || !m_parts[index(rows.part())].putChanges(rows, payload)) {
            return false;
        }
    }
    for (std::size_t i = 0; i < m_optimizers.size(); ++i) {
        if (!setScalars(i, setup.optimizer(static_cast<int>(i)))) {
            return false;
        }
    }
    m_setup = setup;
    m_step = setup.step();
    m_begunStep = -1;
    setRecords(setup);
    return payload.empty();
}

} // namespace cannery::parameters
