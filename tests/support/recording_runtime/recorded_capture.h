// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/used_memory.h"
#include "kernels/cuda/runtime.h"

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace cannery::tests {

/// An operation in a captured graph.
struct RecordedWork
{
    kernels::Operation operation;
    std::byte* workspace = nullptr;
    std::vector<kernels::UsedMemory> uses;
    std::set<std::size_t> after; ///< operations of the graph that come before
};

using RecordedGraph = std::vector<RecordedWork>;

/// An order that the graph allows: of what may run next, what was captured first, or last.
RecordedGraph inRunOrder(const RecordedGraph& graph, bool lastFirst);

/// Streams that make a graph of what is queued in them. Its calls return the rule that is broken,
/// or null.
class RecordedCapture
{
public:
    using Stream = kernels::cuda::Stream;
    using Event = kernels::cuda::Event;

    /// The n-th wait, counted from 1, is forgotten; 0: none is.
    RecordedCapture(Stream stream, std::int64_t forgetWait)
        : m_begin(stream), m_forgetWait(forgetWait), m_streams{{stream, {}}}
    {}

    /// Watches that what uses the same memory is in order, and what meets others of a group.
    const char* run(RecordedWork work, Stream stream);
    const char* record(Event event, Stream stream);
    /// The stream joins, unless it has.
    const char* wait(Stream stream, Event event);

    Stream stream() const { return m_begin; }
    /// Whether all that is captured comes before the end of the first stream.
    bool isWhole() const;
    const RecordedGraph& graph() const { return m_graph; }

private:
    /// Operations that what comes next waits for.
    using Frontier = std::set<std::size_t>;

    Stream m_begin;
    std::int64_t m_forgetWait;
    std::int64_t m_waits = 0;
    std::map<Stream, Frontier> m_streams;
    std::map<Event, Frontier> m_events;
    RecordedGraph m_graph;
};

} // namespace cannery::tests
