// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/tf/events/histogram.h"
#include "storage/tf/tensor.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace cannery::storage {

/// A histogram as stored in an event file. New-style ones ([k,3] tensors) are returned as buckets
/// too.
struct EventHistogram
{
    double min = 0;
    double max = 0;
    double count = 0;
    double sum = 0;        ///< 0 for new-style ones
    double sumSquares = 0; ///< 0 for new-style ones
    std::vector<Histogram::Bucket> buckets;

    bool operator==(const EventHistogram&) const = default;
};

/// A logged value that is neither a number, a histogram nor a tensor: an image or a sound.
struct EventBlob
{
    std::string kind; ///< "image", "audio"
    std::string encoded;

    bool operator==(const EventBlob&) const = default;
};

/// One tagged value of a summary. Both encodings of scalars, TF1's and TF2's, are returned as
/// float.
struct EventValue
{
    std::string tag;
    std::string plugin;  ///< "scalars", "histograms", "text", …; empty if not stated
    std::string content; ///< the plugin's own bytes
    std::variant<std::monostate, float, EventHistogram, HostTensor, EventBlob> value;

    bool operator==(const EventValue&) const = default;
};

/// One record of an event file.
struct Event
{
    enum class Kind
    {
        Other,
        FileVersion,
        Graph,
        MetaGraph,
        Summary,
        LogMessage,
        SessionLog,
        RunMetadata,
    };
    double wallTime = 0;
    std::int64_t step = 0;
    Kind kind = Kind::Other;
    std::vector<EventValue> values; ///< of a Summary
    std::string text;      ///< file version, serialised graph, message, or checkpoint path of a log
    int sessionStatus = 0; ///< of a SessionLog: 1 start, 2 stop, 3 checkpoint
};

/// Reads an event file that may still grow. One thread.
class EventReader
{
public:
    /// Plugin names by tag: only the first value of a tag needs to state it.
    using Plugins = std::map<std::string, std::string>;

    /// `position`: where to resume, from an earlier position(); 0 is the beginning. `plugins`: what
    /// the other files of the folder, or an earlier reader of this one, stated.
    static Result<EventReader> open(const std::string& path, std::uint64_t position = 0,
                                    Plugins plugins = {});
    EventReader(EventReader&&) noexcept;
    EventReader& operator=(EventReader&&) noexcept;
    ~EventReader();

    /// The next event; nothing if the file currently has no further complete record (retry when it
    /// has grown). A record with a wrong checksum or without a valid message is DataLoss with the
    /// offset, until skipDamage().
    Result<std::optional<Event>> next();
    /// After an error of next(): goes on at the next place that begins as a record does, whose
    /// content may be damaged as well; false if there is none. A curve goes on there, but what was
    /// written between is lost.
    Result<bool> skipDamage();
    /// Offset after the last event returned by next().
    std::uint64_t position() const;
    /// Whether bytes of an incomplete record follow position().
    bool hasPartialRecord() const;
    const std::string& path() const;
    /// Those that were given and those that were read.
    const Plugins& plugins() const;

private:
    struct State;
    explicit EventReader(std::unique_ptr<State> state);

    std::unique_ptr<State> m_state;
};

/// Whether a file name denotes an event file, by TensorBoard's rule: `*tfevents*`.
bool isEventFile(std::string_view name);

/// Event files of a folder, in the order in which TensorBoard reads them: by name.
Result<std::vector<std::string>> listEventFiles(const std::string& folder);

} // namespace cannery::storage
