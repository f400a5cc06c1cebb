#include "storage/tf/event_reader.h"

#include "storage/io/coding.h"
#include "storage/io/crc32c.h"
#include "storage/io/files.h"
#include "storage/tf/proto_convert.h"
#include "storage/tf/schema/event.pb.h"

#include <algorithm>
#include <limits>

namespace cannery::storage {

namespace {

constexpr std::size_t kHeaderBytes = 12;
constexpr std::size_t kTrailerBytes = 4;
constexpr std::size_t kReadAhead = std::size_t{64} << 10U;

constexpr ErrorKind kDamaged{
    "events.damaged", "The event file {} is damaged at byte {}: {}. What stands before is intact."};

using Value = tensorflow::Summary::Value;

EventHistogram fromHistogramProto(const tensorflow::HistogramProto& proto)
{
    EventHistogram histogram{proto.min(), proto.max(),         proto.num(),
                             proto.sum(), proto.sum_squares(), {}};
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
        histogram.min = rows[0];
        histogram.max = histogram.buckets.back().limit;
    }
    return histogram;
}

bool isSingleFloat(const HostTensor& tensor)
{
    return tensor.dtype == DType::Float32 && tensor.bytes.size() == sizeof(float);
}

void readTensor(const tensorflow::TensorProto& proto, EventValue& value)
{
    Result<HostTensor> tensor = detail::tensorFromProto(proto);
    if (!tensor) {
        return;
    }
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

EventValue fromProto(const Value& proto, std::map<std::string, std::string>& plugins)
{
    EventValue value;
    value.tag = proto.tag();
    if (proto.has_metadata()) {
        plugins[value.tag] = proto.metadata().plugin_data().plugin_name();
        value.content = proto.metadata().plugin_data().content();
    }
    const auto known = plugins.find(value.tag);
    value.plugin = known == plugins.end() ? std::string() : known->second;
    switch (proto.value_case()) {
    case Value::kSimpleValue:
        value.value = proto.simple_value();
        break;
    case Value::kHisto:
        value.value = fromHistogramProto(proto.histo());
        break;
    case Value::kTensor:
        readTensor(proto.tensor(), value);
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

EventReader::EventReader(ReadableFile file, std::uint64_t position)
    : m_file(std::move(file)), m_position(position), m_bufferStart(position)
{}

Result<EventReader> EventReader::open(const std::string& path, std::uint64_t position)
{
    CANNERY_TRY_ASSIGN(ReadableFile file, ReadableFile::open(path));
    return EventReader(std::move(file), position);
}

/// Makes `count` bytes from the position on lie in the buffer; false when the file has fewer now.
Result<bool> EventReader::buffer(std::uint64_t count)
{
    if (m_position - m_bufferStart + count <= m_buffer.size()) {
        return true;
    }
    m_buffer.erase(0, m_position - m_bufferStart);
    m_bufferStart = m_position;
    CANNERY_TRY_ASSIGN(const std::uint64_t size, m_file.size());
    if (size < m_position || count > size - m_position) {
        return false;
    }
    const std::size_t filled = m_buffer.size();
    const std::uint64_t wanted = std::max<std::uint64_t>(count, kReadAhead);
    m_buffer.resize(std::max<std::uint64_t>(std::min(wanted, size - m_position), filled));
    const auto rest = std::as_writable_bytes(std::span(m_buffer)).subspan(filled);
    CANNERY_TRY_ASSIGN(const std::size_t got, m_file.readAt(m_bufferStart + filled, rest));
    m_buffer.resize(filled + got);
    return m_buffer.size() >= count;
}

Result<std::optional<Event>> EventReader::next()
{
    const auto damaged = [&](std::string_view what) {
        return fail(ErrorCode::DataLoss, kDamaged, path(), m_position, what);
    };
    CANNERY_TRY_ASSIGN(const bool hasHeader, buffer(kHeaderBytes));
    if (!hasHeader) {
        CANNERY_TRY_ASSIGN(m_hasPartial, buffer(1));
        return std::optional<Event>();
    }
    std::string_view header = std::string_view(m_buffer).substr(m_position - m_bufferStart);
    const std::uint32_t lengthCrc = maskCrc(crc32c(header.substr(0, sizeof(std::uint64_t))));
    const std::uint64_t length = *getFixed<std::uint64_t>(header);
    if (getFixed<std::uint32_t>(header) != lengthCrc) {
        return damaged("the checksum of a length is wrong");
    }
    if (length > static_cast<std::uint64_t>(std::numeric_limits<int>::max())) {
        return damaged("an event is longer than events can be");
    }
    const std::uint64_t whole = kHeaderBytes + length + kTrailerBytes;
    CANNERY_TRY_ASSIGN(const bool hasAll, buffer(whole));
    m_hasPartial = !hasAll;
    if (!hasAll) {
        return std::optional<Event>();
    }
    const std::string_view payload =
        std::string_view(m_buffer).substr(m_position - m_bufferStart + kHeaderBytes, length);
    std::string_view trailer(payload.data() + length, kTrailerBytes);
    if (getFixed<std::uint32_t>(trailer) != maskCrc(crc32c(payload))) {
        return damaged("the checksum of an event is wrong");
    }
    tensorflow::Event proto;
    if (!detail::parseMessage(payload, proto)) {
        return damaged("a record is no event");
    }
    m_position += whole;
    Event event;
    event.wallTime = proto.wall_time();
    event.step = proto.step();
    readWhat(proto, event);
    for (const Value& value : proto.summary().value()) {
        event.values.push_back(fromProto(value, m_plugins));
    }
    return std::optional(std::move(event));
}

Result<std::vector<std::string>> listEventFiles(const std::string& folder)
{
    CANNERY_TRY_ASSIGN(const std::vector<std::string> names, listFolder(folder));
    std::vector<std::string> paths;
    for (const std::string& name : names) {
        if (name.find("tfevents") != std::string::npos) {
            paths.push_back(joinPath(folder, name));
        }
    }
    return paths;
}

} // namespace cannery::storage
