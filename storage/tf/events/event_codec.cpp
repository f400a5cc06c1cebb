// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/events/event_codec.h"

#include "storage/tf/proto_arena.h"
#include "storage/tf/proto_convert.h"
#include "storage/tf/schema/event.pb.h"

#include <algorithm>
#include <span>
#include <utility>

namespace cannery::storage::detail {

namespace {

using Value = tensorflow::Summary::Value;

EventHistogram fromHistogramProto(const tensorflow::HistogramProto& proto)
{
    EventHistogram histogram{proto.min(), proto.max(),         proto.num(),
                             proto.sum(), proto.sum_squares(), {}};
    // A damaged file may have fewer of one kind.
    const int buckets = std::min(proto.bucket_limit_size(), proto.bucket_size());
    for (int i = 0; i < buckets; ++i) {
        histogram.buckets.push_back({proto.bucket_limit(i), proto.bucket(i)});
    }
    return histogram;
}

/// Rows of left edge, right edge, count.
EventHistogram fromRows(std::span<const double> rows)
{
    EventHistogram histogram;
    for (std::size_t i = 0; i + 3 <= rows.size(); i += 3) {
        histogram.buckets.push_back({rows[i + 1], rows[i + 2]});
        histogram.count += rows[i + 2];
    }
    if (!histogram.buckets.empty()) {
        // New-style histograms do not store them: the edges are the nearest that is known.
        histogram.min = rows[0];
        histogram.max = histogram.buckets.back().limit;
    }
    return histogram;
}

bool isSingleFloat(const HostTensor& tensor)
{
    return tensor.dtype == DType::Float32 && tensor.bytes.size() == sizeof(float);
}

void readTensor(const tensorflow::TensorProto& proto, EventValue& value, FillBudget& budget)
{
    Result<HostTensor> tensor = tensorFromProto(proto, budget);
    // Longer than its bytes allow, or of an unknown type. The event's other values are still good.
    if (!tensor) {
        return;
    }
    // A summary without metadata leaves the plugin empty; a single float in it is a scalar.
    const bool isScalar = value.plugin == "scalars" || value.plugin.empty();
    if (isScalar && isSingleFloat(*tensor)) {
        value.value = tensor->values<float>().front();
    } else if (value.plugin == "histograms" && tensor->dtype == DType::Float64 &&
               tensor->shape.rank() == 2 && tensor->shape.dims[1] == 3) {
        value.value = fromRows(std::as_const(*tensor).values<double>());
    } else {
        value.value = std::move(*tensor);
    }
}

EventValue fromProto(const Value& proto, const KnownPlugin& known, TagPlugins& learned,
                     FillBudget& budget)
{
    EventValue value;
    value.tag = proto.tag();
    // TensorFlow writes the metadata with the first value of a tag only, to save space.
    if (proto.has_metadata()) {
        learned[value.tag] = proto.metadata().plugin_data().plugin_name();
        value.content = proto.metadata().plugin_data().content();
    }
    const auto plugin = learned.find(value.tag);
    value.plugin = plugin == learned.end() ? known(value.tag) : std::string_view(plugin->second);
    switch (proto.value_case()) {
    case Value::kSimpleValue:
        value.value = proto.simple_value();
        break;
    case Value::kHisto:
        value.value = fromHistogramProto(proto.histo());
        break;
    case Value::kTensor:
        readTensor(proto.tensor(), value, budget);
        break;
    case Value::kImage:
        value.value = EventBlob{"image", proto.image().encoded_image_string()};
        break;
    case Value::kAudio:
        value.value = EventBlob{"audio", proto.audio().encoded_audio_string()};
        break;
    default:
        break;
    }
    return value;
}

void readWhat(const tensorflow::Event& proto, Event& event)
{
    switch (proto.what_case()) {
    case tensorflow::Event::kFileVersion:
        event.kind = Event::Kind::FileVersion;
        event.text = proto.file_version();
        break;
    case tensorflow::Event::kGraphDef:
        event.kind = Event::Kind::Graph;
        event.text = proto.graph_def();
        break;
    case tensorflow::Event::kMetaGraphDef:
        event.kind = Event::Kind::MetaGraph;
        event.text = proto.meta_graph_def();
        break;
    case tensorflow::Event::kSummary:
        event.kind = Event::Kind::Summary;
        break;
    case tensorflow::Event::kLogMessage:
        event.kind = Event::Kind::LogMessage;
        event.text = proto.log_message().message();
        break;
    case tensorflow::Event::kSessionLog:
        event.kind = Event::Kind::SessionLog;
        event.sessionStatus = static_cast<int>(proto.session_log().status());
        event.text = proto.session_log().checkpoint_path();
        break;
    case tensorflow::Event::kTaggedRunMetadata:
        event.kind = Event::Kind::RunMetadata;
        event.text = proto.tagged_run_metadata().tag();
        break;
    default:
        break;
    }
}

} // namespace

std::optional<Event> decodeEvent(std::string_view payload, const KnownPlugin& known,
                                 TagPlugins& learned)
{
    // One arena for the whole event: hundreds of small messages are released at once.
    google::protobuf::Arena arena;
    tensorflow::Event& proto = detail::onArena<tensorflow::Event>(arena);
    const Result<bool> parsed = parseMessage(payload, proto);
    if (!parsed || !*parsed) {
        return std::nullopt;
    }
    // For all values together: a small event could otherwise declare huge tensors many times.
    FillBudget budget;
    Event event;
    event.wallTime = proto.wall_time();
    event.step = proto.step();
    readWhat(proto, event);
    for (const Value& value : proto.summary().value()) {
        event.values.push_back(fromProto(value, known, learned, budget));
    }
    return event;
}

} // namespace cannery::storage::detail
