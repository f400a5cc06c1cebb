// SPDX-License-Identifier: Apache-2.0
#include "tests/support/recording_runtime/recorded_capture.h"

#include <algorithm>
#include <numeric>
#include <utility>

using namespace cannery::kernels;

namespace cannery::tests {

namespace {

/// Whether the order of two operations matters. Working memory is used by each that gets it.
bool needOrder(const RecordedWork& a, const RecordedWork& b)
{
    return (a.workspace != nullptr && a.workspace == b.workspace) ||
           (meetsOthers(a.operation) && meetsOthers(b.operation)) || conflict(a.uses, b.uses);
}

} // namespace

RecordedGraph inRunOrder(const RecordedGraph& graph, bool lastFirst)
{
    std::vector<bool> isDone(graph.size());
    std::vector<std::size_t> left(graph.size());
    std::iota(left.begin(), left.end(), 0);
    if (lastFirst) {
        std::ranges::reverse(left);
    }
    RecordedGraph ordered;
    while (!left.empty()) {
        const auto next = std::ranges::find_if(left, [&](std::size_t index) {
            return std::ranges::all_of(graph[index].after,
                                       [&](std::size_t before) { return isDone[before]; });
        });
        ordered.push_back(graph[*next]);
        isDone[*next] = true;
        left.erase(next);
    }
    return ordered;
}

const char* RecordedCapture::run(RecordedWork work, Stream stream)
{
    if (!m_streams.contains(stream)) {
        return "a capture is disturbed by an operation of another stream";
    }
    Frontier& frontier = m_streams[stream];
    for (const std::size_t before : frontier) {
        work.after.insert(before);
        work.after.insert(m_graph[before].after.begin(), m_graph[before].after.end());
    }
    bool isInOrder = true;
    for (std::size_t earlier = 0; earlier < m_graph.size(); ++earlier) {
        isInOrder =
            isInOrder && (work.after.contains(earlier) || !needOrder(m_graph[earlier], work));
    }
    frontier = {m_graph.size()};
    m_graph.push_back(std::move(work));
    return isInOrder ? nullptr
                     : "two operations use the same memory, and neither waits for the other";
}

const char* RecordedCapture::record(Event event, Stream stream)
{
    if (!m_streams.contains(stream)) {
        return "a capture is disturbed by an event of another stream";
    }
    m_events[event] = m_streams[stream];
    return nullptr;
}

const char* RecordedCapture::wait(Stream stream, Event event)
{
    if (!m_events.contains(event)) {
        return "a capture waits for what is not in it";
    }
    if (++m_waits != m_forgetWait) {
        m_streams[stream].merge(Frontier(m_events[event]));
    }
    return nullptr;
}

bool RecordedCapture::isWhole() const
{
    std::set<std::size_t> ended;
    for (const std::size_t last : m_streams.at(m_begin)) {
        ended.insert(last);
        ended.insert(m_graph[last].after.begin(), m_graph[last].after.end());
    }
    return ended.size() == m_graph.size();
}

} // namespace cannery::tests
