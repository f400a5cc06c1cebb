// SPDX-License-Identifier: Apache-2.0
#include "core/train/loop/step_profile.h"

#include "core/base/json_text.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace cannery::train {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kNanosecondsPerMicrosecond = 1e3;
constexpr double kNanosecondsPerMillisecond = 1e6;
constexpr std::size_t kMostLayers = 8;

std::int64_t endOf(const plan::TraceEvent& event)
{
    return event.begin + event.length;
}

/// Threads by small numbers, in order of their first events.
class ThreadNumbers
{
public:
    std::size_t of(std::int64_t thread)
    {
        const auto found = std::ranges::find(m_threads, thread);
        const auto number = static_cast<std::size_t>(found - m_threads.begin());
        if (found == m_threads.end()) {
            m_threads.push_back(thread);
        }
        return number;
    }
    std::size_t count() const { return m_threads.size(); }

private:
    std::vector<std::int64_t> m_threads;
};

/// Largest first.
template <typename Key>
std::vector<std::pair<Key, std::int64_t>> sorted(const std::map<Key, std::int64_t>& times)
{
    std::vector<std::pair<Key, std::int64_t>> all(times.begin(), times.end());
    std::ranges::stable_sort(all, std::ranges::greater(), &std::pair<Key, std::int64_t>::second);
    return all;
}

} // namespace

std::string chromeTrace(const std::vector<plan::TraceEvent>& events)
{
    Json list = Json::array();
    list.push_back(
        {{"ph", "M"}, {"name", "process_name"}, {"pid", 0}, {"args", {{"name", "cannery"}}}});
    ThreadNumbers threads;
    const std::int64_t first = events.empty() ? 0 : events.front().begin;
    for (const plan::TraceEvent& event : events) {
        const std::size_t known = threads.count();
        const std::size_t thread = threads.of(event.thread);
        if (thread == known) {
            list.push_back({{"ph", "M"},
                            {"name", "thread_name"},
                            {"pid", 0},
                            {"tid", thread},
                            {"args", {{"name", fmt::format("thread {}", thread)}}}});
        }
        list.push_back(
            {{"ph", "X"},
             {"cat", "Op"},
             {"name", event.operation},
             {"pid", 0},
             {"tid", thread},
             {"ts", static_cast<double>(event.begin - first) / kNanosecondsPerMicrosecond},
             {"dur", static_cast<double>(event.length) / kNanosecondsPerMicrosecond},
             {"args",
              {{"name", event.layer},
               {"op", event.operation},
               {"phase", std::string(plan::nameOf(event.phase))}}}});
    }
    return jsonText(Json{{"displayTimeUnit", "ms"}, {"traceEvents", list}}) + "\n";
}

void StepProfile::add(const std::vector<plan::TraceEvent>& events)
{
    if (events.empty()) {
        return;
    }
    ++m_steps;
    const auto last = std::ranges::max_element(events, {}, endOf);
    m_length += endOf(*last) - events.front().begin;
    for (const plan::TraceEvent& event : events) {
        m_phases[event.phase] += event.length;
        m_layers[{event.layer, event.operation}][event.phase] += event.length;
    }
}

std::string StepProfile::phases() const
{
    std::int64_t all = 0;
    for (const auto& [phase, length] : m_phases) {
        all += length;
    }
    std::string text;
    for (const auto& [phase, length] : sorted(m_phases)) {
        text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", plan::nameOf(phase),
                            100.0 * static_cast<double>(length) / static_cast<double>(all));
    }
    return fmt::format("{} took {:.3g} ms each: {}.",
                       m_steps == 1 ? "1 profiled step" : fmt::format("{} profiled steps", m_steps),
                       static_cast<double>(m_length) / kNanosecondsPerMillisecond /
                           static_cast<double>(std::max<std::int64_t>(1, m_steps)),
                       text);
}

std::vector<StepProfile::Part> StepProfile::parts() const
{
    std::vector<Part> all;
    for (const auto& [key, times] : m_layers) {
        Part& part = all.emplace_back();
        part.layer = key.first;
        part.operation = key.second;
        for (const auto& [phase, length] : times) {
            double& time = phase == plan::TracePhase::Forward    ? part.forward
                           : phase == plan::TracePhase::Backward ? part.backward
                                                                 : part.other;
            time += static_cast<double>(length) / kNanosecondsPerMillisecond /
                    static_cast<double>(m_steps);
        }
    }
    std::ranges::stable_sort(all, std::ranges::greater(), &Part::all);
    return all;
}

std::string StepProfile::layers() const
{
    std::string text;
    std::size_t shown = 0;
    for (const Part& part : parts()) {
        if (++shown > kMostLayers) {
            break;
        }
        text += fmt::format("{}{} ({}) {:.3g} ms", text.empty() ? "" : ", ", part.layer,
                            part.operation, part.all());
    }
    return fmt::format("Time of a step by layer: {}.", text);
}

} // namespace cannery::train
