// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/events/summary_values.h"

#include "storage/tf/proto_arena.h"
#include "storage/tf/proto_convert.h"
#include "storage/tf/schema/hparams.pb.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>

namespace cannery::storage {

namespace {

/// More bins than any program writes; a file may claim as many as it has bytes for.
constexpr std::size_t kMostBins = 10'000;
constexpr std::size_t kMostHyperparameters = 1000;
/// Of TensorBoard's pr_curves: true and false positives, true and false negatives, precision,
/// recall.
constexpr std::size_t kPrCurveRows = 6;

double countOf(const Histogram::Bucket& bucket)
{
    // A file may claim a negative count, or one that is not a number.
    return std::isfinite(bucket.count) && bucket.count > 0 ? bucket.count : 0;
}

const HostTensor* tensorOf(const EventValue& value, std::string_view plugin, DType dtype)
{
    const auto* tensor = std::get_if<HostTensor>(&value.value);
    return tensor != nullptr && value.plugin == plugin && tensor->dtype == dtype ? tensor : nullptr;
}

/// A cell of a Markdown table.
void appendCell(std::string& markdown, std::string_view text)
{
    for (const char letter : text) {
        // It would end the cell.
        if (letter == '|') {
            markdown += "\\|";
        } else {
            markdown += letter == '\n' || letter == '\r' ? ' ' : letter;
        }
    }
    markdown += " | ";
}

std::string tableOf(const HostTensor& tensor)
{
    const auto columns = static_cast<std::size_t>(tensor.shape.dims[1]);
    std::string markdown = "|";
    for (std::size_t i = 0; i < columns; ++i) {
        // Markdown needs a header; TensorBoard's tables have none.
        markdown += "   |";
    }
    markdown += "\n|";
    for (std::size_t i = 0; i < columns; ++i) {
        markdown += "---|";
    }
    for (std::size_t i = 0; i < tensor.strings.size(); ++i) {
        if (i % columns == 0) {
            markdown += "\n| ";
        }
        appendCell(markdown, tensor.strings[i]);
    }
    return markdown + '\n';
}

std::string textOf(const google::protobuf::Value& value)
{
    switch (value.kind_case()) {
    case google::protobuf::Value::kNumberValue: {
        // The shortest text that reads as the same number.
        std::array<char, 32> digits{};
        const auto end = std::to_chars(digits.begin(), digits.end(), value.number_value()).ptr;
        return {digits.begin(), end};
    }
    case google::protobuf::Value::kStringValue:
        return value.string_value();
    case google::protobuf::Value::kBoolValue:
        return value.bool_value() ? "true" : "false";
    default:
        return {};
    }
}

} // namespace

HistogramBins binsOf(const EventHistogram& histogram)
{
    HistogramBins bins;
    const std::vector<Histogram::Bucket>& buckets = histogram.buckets;
    if (!std::isfinite(histogram.min) || !std::isfinite(histogram.max) ||
        histogram.min > histogram.max || buckets.size() > kMostBins) {
        return bins;
    }
    const auto isFilled = [](const Histogram::Bucket& bucket) { return countOf(bucket) > 0; };
    const auto first = std::find_if(buckets.begin(), buckets.end(), isFilled);
    // base() is one behind the last filled bucket.
    const auto last = std::find_if(buckets.rbegin(), buckets.rend(), isFilled).base();
    if (first == buckets.end()) {
        return bins;
    }
    bins.min = histogram.min;
    bins.max = histogram.max;
    bins.edges.push_back(bins.min);
    for (auto bucket = first; bucket != last; ++bucket) {
        const bool isLast = bucket + 1 == last;
        const double edge = isLast ? bins.max : std::clamp(bucket->limit, bins.min, bins.max);
        // Not a number, or before the previous one: the bin has no width.
        bins.edges.push_back(edge > bins.edges.back() ? edge : bins.edges.back());
        bins.counts.push_back(countOf(*bucket));
        bins.count += bins.counts.back();
    }
    // Sums of huge counts overflow.
    return std::isfinite(bins.count) ? bins : HistogramBins{};
}

/// compress_histogram() of tensorboard/plugins/histogram/compressor.py.
std::array<double, kBasisPoints.size()> boundsOf(const HistogramBins& bins)
{
    std::array<double, kBasisPoints.size()> bounds{};
    std::size_t next = 0;
    double before = 0;
    double count = 0;
    for (std::size_t i = 0; i < bins.counts.size() && next < bounds.size(); ++i) {
        count += bins.counts[i];
        const double here = count * kBasisPoints.back() / bins.count;
        for (; next < bounds.size() && kBasisPoints[next] < here; ++next) {
            const double left = before > 0 ? bins.edges[i] : bins.min;
            const double share = (kBasisPoints[next] - before) / (here - before);
            bounds[next] = std::lerp(left, bins.edges[i + 1], share);
        }
        before = here;
    }
    for (; next < bounds.size(); ++next) {
        bounds[next] = bins.max;
    }
    return bounds;
}

std::optional<std::string> markdownOf(const EventValue& value)
{
    const HostTensor* tensor = tensorOf(value, "text", DType::String);
    if (tensor == nullptr || tensor->shape.rank() > 2) {
        return std::nullopt;
    }
    if (tensor->shape.rank() == 2 && tensor->shape.dims[1] > 0) {
        return tableOf(*tensor);
    }
    std::string markdown;
    for (const std::string& text : tensor->strings) {
        markdown += (markdown.empty() ? "" : "\n\n") + text;
    }
    return markdown;
}

std::vector<std::string> imagesOf(const EventValue& value)
{
    if (const auto* blob = std::get_if<EventBlob>(&value.value)) {
        return blob->kind == "image" ? std::vector{blob->encoded} : std::vector<std::string>();
    }
    const HostTensor* tensor = tensorOf(value, "images", DType::String);
    // Width and height come first.
    constexpr std::ptrdiff_t kNumbers = 2;
    if (tensor == nullptr || std::ssize(tensor->strings) <= kNumbers) {
        return {};
    }
    return {tensor->strings.begin() + kNumbers, tensor->strings.end()};
}

bool isAudio(const EventValue& value)
{
    const auto* blob = std::get_if<EventBlob>(&value.value);
    return (blob != nullptr && blob->kind == "audio") ||
           tensorOf(value, "audio", DType::String) != nullptr;
}

std::optional<std::string> kerasModelOf(const EventValue& value)
{
    const HostTensor* tensor = tensorOf(value, "graph_keras_model", DType::String);
    return tensor == nullptr || tensor->strings.size() != 1 ? std::nullopt
                                                            : std::optional(tensor->strings[0]);
}

std::optional<PrCurve> prCurveOf(const EventValue& value)
{
    const HostTensor* tensor = tensorOf(value, "pr_curves", DType::Float32);
    if (tensor == nullptr || tensor->shape.rank() != 2 || tensor->shape.dims[0] != kPrCurveRows ||
        tensor->shape.dims[1] < 1) {
        return std::nullopt;
    }
    const std::span<const float> values = tensor->values<float>();
    const std::size_t thresholds = values.size() / kPrCurveRows;
    const auto row = [&](std::size_t number) {
        std::vector<double> numbers;
        for (const float one : values.subspan(number * thresholds, thresholds)) {
            // A class without examples has a precision of 0 / 0.
            numbers.push_back(std::isfinite(one) ? static_cast<double>(one) : 0);
        }
        return numbers;
    };
    const auto share = [&](std::size_t number) {
        std::vector<double> shares = row(number);
        for (double& one : shares) {
            one = std::clamp(one, 0.0, 1.0);
        }
        return shares;
    };
    return PrCurve{row(0), row(1), row(2), row(3), share(4), share(5)};
}

std::optional<std::vector<std::pair<std::string, std::string>>>
hyperparametersOf(const EventValue& value)
{
    if (value.plugin != "hparams" || value.tag != "_hparams_/session_start_info") {
        return std::nullopt;
    }
    google::protobuf::Arena arena;
    auto& proto = detail::onArena<tensorboard::hparams::HParamsPluginData>(arena);
    const Result<bool> parsed = detail::parseMessage(value.content, proto);
    if (!parsed || !*parsed || !proto.has_session_start_info()) {
        return std::nullopt;
    }
    std::vector<std::pair<std::string, std::string>> parameters;
    for (const auto& [name, parameter] : proto.session_start_info().hparams()) {
        if (parameters.size() < kMostHyperparameters) {
            parameters.emplace_back(name, textOf(parameter));
        }
    }
    std::sort(parameters.begin(), parameters.end());
    return parameters;
}

} // namespace cannery::storage
