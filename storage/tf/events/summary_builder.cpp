// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/events/summary_builder.h"

#include "storage/io/coding.h"
#include "storage/tf/proto_convert.h"
#include "storage/tf/schema/hparams.pb.h"
#include "storage/tf/schema/summary.pb.h"

namespace cannery::storage {

namespace {

// Field number and wire type as one byte, number * 8 + type: Summary.value, and of a value its tag
// and simple_value.
constexpr char kValueField = 0x0a;
constexpr char kTagField = 0x0a;
constexpr char kSimpleValueField = 0x15;

std::size_t varintSize(std::uint64_t value)
{
    std::size_t size = 1;
    for (; value >= 0x80U; value >>= 7U) {
        ++size;
    }
    return size;
}

tensorflow::Summary::Value valueOf(std::string_view tag)
{
    tensorflow::Summary::Value value;
    value.set_tag(std::string(tag));
    return value;
}

/// As TensorBoard's own writer: everything is in the metadata, beside an empty tensor.
std::string pluginValue(std::string_view tag, const tensorboard::hparams::HParamsPluginData& data)
{
    tensorflow::Summary::Value value = valueOf(tag);
    value.mutable_tensor()->set_dtype(tensorflow::DT_FLOAT);
    value.mutable_tensor()->mutable_tensor_shape()->add_dim()->set_size(0);
    auto& plugin = *value.mutable_metadata()->mutable_plugin_data();
    plugin.set_plugin_name("hparams");
    plugin.set_content(detail::serializeDeterministically(data));
    return detail::serializeDeterministically(value);
}

} // namespace

void SummaryBuilder::append(std::string_view value)
{
    m_bytes.push_back(kValueField);
    putVarint(m_bytes, value.size());
    m_bytes.append(value);
}

/// Encoded by hand as protobuf does: an empty tag is omitted, a zero is not, since it is a member
/// of a oneof.
SummaryBuilder& SummaryBuilder::scalar(std::string_view tag, float value)
{
    // It is the value written most often, so no message is built for it.
    const std::size_t tagSize = tag.empty() ? 0 : 1 + varintSize(tag.size()) + tag.size();
    m_bytes.push_back(kValueField);
    putVarint(m_bytes, tagSize + 1 + sizeof(value));
    if (!tag.empty()) {
        m_bytes.push_back(kTagField);
        putVarint(m_bytes, tag.size());
        m_bytes.append(tag);
    }
    m_bytes.push_back(kSimpleValueField);
    putFixed(m_bytes, value);
    return *this;
}

SummaryBuilder& SummaryBuilder::histogram(std::string_view tag, const Histogram& histogram)
{
    tensorflow::Summary::Value value = valueOf(tag);
    tensorflow::HistogramProto* proto = value.mutable_histo();
    proto->set_min(histogram.min());
    proto->set_max(histogram.max());
    proto->set_num(histogram.count());
    proto->set_sum(histogram.sum());
    proto->set_sum_squares(histogram.sumSquares());
    for (const Histogram::Bucket& bucket : histogram.buckets()) {
        proto->add_bucket_limit(bucket.limit);
        proto->add_bucket(bucket.count);
    }
    append(detail::serializeDeterministically(value));
    return *this;
}

SummaryBuilder& SummaryBuilder::stringTensor(std::string_view tag, std::string_view value)
{
    tensorflow::Summary::Value proto = valueOf(tag);
    detail::toProto(HostTensor::scalarString(std::string(value)), *proto.mutable_tensor());
    append(detail::serializeDeterministically(proto));
    return *this;
}

SummaryBuilder& SummaryBuilder::tensor(std::string_view tag, std::span<const double> values,
                                       Shape shape)
{
    tensorflow::Summary::Value proto = valueOf(tag);
    detail::toProto(HostTensor::of(values, std::move(shape)), *proto.mutable_tensor());
    append(detail::serializeDeterministically(proto));
    return *this;
}

SummaryBuilder& SummaryBuilder::text(std::string_view tag, std::string_view markdown)
{
    tensorflow::Summary::Value proto = valueOf(tag);
    detail::toProto(HostTensor::scalarString(std::string(markdown)), *proto.mutable_tensor());
    proto.mutable_metadata()->mutable_plugin_data()->set_plugin_name("text");
    append(detail::serializeDeterministically(proto));
    return *this;
}

SummaryBuilder& SummaryBuilder::sessionStart(std::span<const Hyperparameter> hyperparameters,
                                             double seconds)
{
    tensorboard::hparams::HParamsPluginData data;
    auto& start = *data.mutable_session_start_info();
    start.set_start_time_secs(seconds);
    for (const Hyperparameter& one : hyperparameters) {
        // The plugin knows only these three kinds.
        google::protobuf::Value& value = (*start.mutable_hparams())[one.name];
        if (const bool* truth = std::get_if<bool>(&one.value)) {
            value.set_bool_value(*truth);
        } else if (const double* number = std::get_if<double>(&one.value)) {
            value.set_number_value(*number);
        } else {
            value.set_string_value(std::get<std::string>(one.value));
        }
    }
    append(pluginValue("_hparams_/session_start_info", data));
    return *this;
}

SummaryBuilder& SummaryBuilder::sessionEnd(bool succeeded, double seconds)
{
    tensorboard::hparams::HParamsPluginData data;
    data.mutable_session_end_info()->set_status(succeeded ? tensorboard::hparams::STATUS_SUCCESS
                                                          : tensorboard::hparams::STATUS_FAILURE);
    data.mutable_session_end_info()->set_end_time_secs(seconds);
    append(pluginValue("_hparams_/session_end_info", data));
    return *this;
}

} // namespace cannery::storage
