#include "storage/tf/summary_builder.h"

#include "storage/tf/proto_convert.h"
#include "storage/tf/schema/summary.pb.h"

namespace cannery::storage {

struct SummaryBuilder::Values
{
    tensorflow::Summary summary;

    tensorflow::Summary::Value* add(std::string_view tag)
    {
        tensorflow::Summary::Value* value = summary.add_value();
        value->set_tag(std::string(tag));
        return value;
    }
};

SummaryBuilder::SummaryBuilder() : m_values(std::make_unique<Values>()) {}
SummaryBuilder::SummaryBuilder(SummaryBuilder&&) noexcept = default;
SummaryBuilder& SummaryBuilder::operator=(SummaryBuilder&&) noexcept = default;
SummaryBuilder::~SummaryBuilder() = default;

SummaryBuilder& SummaryBuilder::scalar(std::string_view tag, float value)
{
    m_values->add(tag)->set_simple_value(value);
    return *this;
}

SummaryBuilder& SummaryBuilder::histogram(std::string_view tag, const Histogram& histogram)
{
    tensorflow::HistogramProto* proto = m_values->add(tag)->mutable_histo();
    proto->set_min(histogram.min());
    proto->set_max(histogram.max());
    proto->set_num(histogram.count());
    proto->set_sum(histogram.sum());
    proto->set_sum_squares(histogram.sumSquares());
    for (const Histogram::Bucket& bucket : histogram.buckets()) {
        proto->add_bucket_limit(bucket.limit);
        proto->add_bucket(bucket.count);
    }
    return *this;
}

SummaryBuilder& SummaryBuilder::stringTensor(std::string_view tag, std::string_view value)
{
    detail::toProto(HostTensor::scalarString(std::string(value)),
                    *m_values->add(tag)->mutable_tensor());
    return *this;
}

SummaryBuilder& SummaryBuilder::text(std::string_view tag, std::string_view markdown)
{
    stringTensor(tag, markdown);
    const int last = m_values->summary.value_size() - 1;
    m_values->summary.mutable_value(last)
        ->mutable_metadata()
        ->mutable_plugin_data()
        ->set_plugin_name("text");
    return *this;
}

bool SummaryBuilder::isEmpty() const
{
    return m_values->summary.value_size() == 0;
}

void SummaryBuilder::clear()
{
    m_values->summary.Clear();
}

std::string SummaryBuilder::serialized() const
{
    return detail::serializeDeterministically(m_values->summary);
}

} // namespace cannery::storage
