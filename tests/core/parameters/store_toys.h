// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/check.h"
#include "core/parameters/parameter_store.h"
#include "core/spec/optimizers.pb.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

/// A variable of four rows of two, trained by plain SGD with a rate of 1; and a counter, to which
/// changes are added.
namespace cannery::parameters {

inline constexpr int kTable = 3;
inline constexpr int kCounter = 5;

inline wire::Setup setup(int tasks = 1)
{
    spec::Optimizer sgd;
    sgd.mutable_sgd()->set_learning_rate(1);
    wire::Setup setup;
    setup.set_session(7);
    setup.set_tasks(tasks);
    wire::Optimizer& optimizer = *setup.add_optimizer();
    optimizer.set_message(sgd.SerializeAsString());
    optimizer.set_owns_global_step(true);
    for (const float scalar : {0.0F, 1.0F, 0.0F}) { // decay, learning_rate, momentum
        optimizer.add_scalar(scalar);
    }
    wire::Part& table = *setup.add_part();
    table.set_id(kTable);
    table.set_count(8);
    table.set_cols(2);
    wire::Part& counter = *setup.add_part();
    counter.set_id(kCounter);
    counter.set_count(1);
    counter.set_cols(1);
    counter.set_optimizer(-1);
    return setup;
}

/// With rounds of so many tasks, in which the variable is synchronous.
inline wire::Setup roundsOf(int tasks)
{
    wire::Setup rounds = setup(tasks);
    rounds.set_has_rounds(true);
    rounds.mutable_part(0)->set_is_sync(true);
    return rounds;
}

inline std::unique_ptr<ParameterStore> made(wire::Setup setup)
{
    auto store = ParameterStore::create(std::move(setup), 1);
    CANNERY_CHECK(store.has_value());
    return *std::move(store);
}

struct Sent
{
    wire::Push push;
    std::vector<std::byte> payload;

    template <typename T>
    void add(std::initializer_list<T> values)
    {
        const auto bytes = std::as_bytes(std::span(values.begin(), values.size()));
        payload.insert(payload.end(), bytes.begin(), bytes.end());
    }
};

inline Sent sparse(std::int64_t sequence, std::int32_t row, float gradient)
{
    Sent sent;
    sent.push.set_sequence(sequence);
    wire::Segment& segment = *sent.push.add_segment();
    segment.set_part(kTable);
    segment.set_count(8);
    segment.set_rows(1);
    sent.add({row});
    sent.add({gradient, gradient});
    return sent;
}

inline Sent dense(std::int64_t sequence, float gradient)
{
    Sent sent;
    sent.push.set_sequence(sequence);
    wire::Segment& segment = *sent.push.add_segment();
    segment.set_part(kTable);
    segment.set_count(8);
    segment.set_rows(-1);
    for (int i = 0; i < 8; ++i) {
        sent.add({gradient});
    }
    return sent;
}

inline PushOutcome give(ParameterStore& store, int rank, const Sent& sent,
                        std::uint64_t incarnation = 1)
{
    std::vector<std::byte> payload = sent.payload;
    return store.push(rank, incarnation, sent.push, payload);
}

inline float first(const ParameterStore& store)
{
    return store.parts().values(kTable)[0];
}

} // namespace cannery::parameters
