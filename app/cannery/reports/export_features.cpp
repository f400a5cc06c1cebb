// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/reports/export_features.h"

#include "core/base/json_text.h"
#include "core/export/graph_runner/parsed_keys.h"
#include "core/export/served_experiment.h"
#include "core/features/raw_schema.h"
#include "core/reports/report_json.h"
#include "core/spec/column_kinds.h"
#include "core/spec/message_access.h"
#include "storage/tf/example_codec.h"
#include "storage/tf/graphs/graph_def_reader.h"
#include "storage/tf/graphs/saved_model_reader.h"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace cannery::app {

using Json = nlohmann::ordered_json;

namespace {

std::string base64(std::string_view bytes)
{
    constexpr std::string_view kLetters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            group = group << 8U | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            // Three bytes are four letters; of fewer, the rest is filled up with "=" (RFC 4648).
            text += k <= count ? kLetters[group >> (18 - 6 * k) & 0x3FU] : '=';
        }
    }
    return text;
}

std::string tensorType(DType dtype)
{
    return dtype == DType::Float32 ? "float" : std::string(name(dtype));
}

Json elementsOf(const storage::HostTensor& tensor)
{
    Json values = Json::array();
    if (tensor.dtype == DType::String) {
        values = tensor.strings;
    } else if (tensor.dtype == DType::Float32) {
        for (const float value : tensor.values<float>()) {
            values.push_back(value);
        }
    } else if (tensor.dtype == DType::Int64) {
        for (const std::int64_t value : tensor.values<std::int64_t>()) {
            values.push_back(value);
        }
    }
    return values.size() == 1 ? values.front() : values;
}

/// The features of a model, as its experiment describes them.
class Known
{
public:
    explicit Known(const std::string& folder)
    {
        if (Result<spec::Experiment> read = exporting::readServedExperiment(folder)) {
            m_experiment = *std::move(read);
        }
    }

    std::string columnOf(const std::string& feature) const
    {
        for (const spec::Feature& made : data().feature()) {
            if (made.name() == feature && made.has_column()) {
                return made.column();
            }
        }
        return {};
    }

    /// The value of an empty cell.
    std::optional<std::string> fallbackOf(const std::string& feature) const
    {
        return m_experiment ? features::RawSchema(*m_experiment, {}).feature(feature).onlyDefault()
                            : std::nullopt;
    }

    /// A word of a vocabulary of the feature.
    std::optional<std::string> wordOf(const std::string& feature) const
    {
        if (!m_experiment) {
            return std::nullopt;
        }
        for (const spec::FeatureColumn& column : m_experiment->feature_column()) {
            const auto& list = column.categorical_column_with_vocabulary_list();
            if (list.key() == feature && list.vocabulary_list_size() > 0) {
                return list.vocabulary_list(0);
            }
        }
        return std::nullopt;
    }

private:
    const spec::Data& data() const
    {
        return m_experiment ? m_experiment->data() : spec::Data::default_instance();
    }

    std::optional<spec::Experiment> m_experiment;
};

/// A value that the feature accepts.
Json sampleOf(DType dtype, const std::optional<std::string>& word)
{
    if (dtype == DType::String) {
        return word.value_or("text");
    }
    if (dtype == DType::Int64 || dtype == DType::Int32) {
        const Json number = Json::parse(word.value_or("0"), nullptr, false);
        return number.is_number_integer() ? number : Json(0);
    }
    return 0.5;
}

ExportFeature sentFeature(const exporting::ParsedFeature& parsed, const Known& known)
{
    ExportFeature feature{.name = parsed.key,
                          .dtype = tensorType(parsed.dtype),
                          .isRequired = parsed.isRequired(),
                          .column = known.columnOf(parsed.key)};
    const std::int64_t count = parsed.isList ? 0 : parsed.shape.elementCount();
    feature.values = parsed.isList ? "any number" : count == 1 ? "one" : std::to_string(count);
    Json sample = sampleOf(parsed.dtype, known.wordOf(parsed.key));
    if (count > 1) {
        sample = Json(static_cast<std::size_t>(count), sample);
    }
    if (parsed.fallback) {
        const Json value = elementsOf(*parsed.fallback);
        // NaN is how a graph of ours marks a missing number: no default that a client should see.
        const bool isNothing = parsed.dtype == DType::Float32 && value.is_number_float() &&
                               !(value.get<float>() == value.get<float>());
        feature.fallback = isNothing ? "" : jsonText(value);
    } else if (const auto text = known.fallbackOf(parsed.key); parsed.isList && text) {
        feature.fallback = parsed.dtype == DType::String ? jsonText(Json(*text)) : *text;
    }
    feature.sample = jsonText(sample);
    return feature;
}

/// Of a model that takes tensors.
ExportFeature sentFeature(const std::string& name, const storage::TensorInfo& tensor,
                          const Known& known)
{
    ExportFeature feature{.name = name,
                          .dtype = tensorType(tensor.dtype),
                          .isRequired = true,
                          .column = known.columnOf(name)};
    std::int64_t count = 1;
    bool isList = false;
    // The first dimension is that of the rows.
    for (std::size_t i = 1; i < tensor.shape.dims.size(); ++i) {
        isList = isList || tensor.shape.dims[i] < 0;
        count *= tensor.shape.dims[i];
    }
    feature.values = isList ? "any number" : count == 1 ? "one" : std::to_string(count);
    const Json one = sampleOf(tensor.dtype, known.wordOf(name));
    const bool isScalar = tensor.shape.dims.size() < 2;
    feature.sample = jsonText(
        isScalar
            ? one
            : Json(static_cast<std::size_t>(isList ? 1 : std::max<std::int64_t>(1, count)), one));
    return feature;
}

storage::FeatureValues exampleValues(const ExportFeature& feature)
{
    Json values = Json::parse(feature.sample);
    if (!values.is_array()) {
        values = Json::array({values});
    }
    if (feature.dtype == "string") {
        return values.get<std::vector<std::string>>();
    }
    if (feature.dtype == "float") {
        return values.get<std::vector<float>>();
    }
    return values.get<std::vector<std::int64_t>>();
}

/// One row, as the features' samples are.
void addRequest(const storage::MetaGraph& graph, ExportFeatures& features)
{
    Json row = Json::object();
    storage::Example example;
    for (const ExportFeature& feature : features.list) {
        row[feature.name] = Json::parse(feature.sample);
        if (features.areOfExamples) {
            example.features[feature.name] = exampleValues(feature);
        }
    }
    const auto takes = [](std::string_view method) {
        return [method](const auto& one) { return one.second.methodName == method; };
    };
    Json request = Json::object();
    const auto classify = std::ranges::find_if(graph.signatures, takes(storage::kClassifyMethod));
    const auto regress = std::ranges::find_if(graph.signatures, takes(storage::kRegressMethod));
    // The APIs Classify and Regress take features by name; Predict needs the serialized tf.Example,
    // in base64.
    const auto known = classify != graph.signatures.end() ? classify : regress;
    if (features.areOfExamples && known != graph.signatures.end()) {
        request["signature_name"] = known->first;
        request["examples"] = Json::array({row});
        features.path =
            known == classify ? "POST /v1/models/NAME:classify" : "POST /v1/models/NAME:regress";
    } else {
        request["signature_name"] = "predict";
        if (features.areOfExamples) {
            row = {{"examples", {{"b64", base64(storage::serializeExample(example))}}}};
        }
        request["instances"] = Json::array({row});
        features.path = "POST /v1/models/NAME:predict";
    }
    features.request = jsonText(request);
}

const storage::MetaGraph* servingGraph(const storage::SavedModelContent& content)
{
    const auto serves = [](const storage::MetaGraph& graph) {
        return std::ranges::find(graph.tags, "serve") != graph.tags.end();
    };
    const auto found = std::ranges::find_if(content.metaGraphs, serves);
    return found == content.metaGraphs.end() ? nullptr : &*found;
}

} // namespace

Result<ExportFeatures> featuresOfExport(const std::string& folder)
{
    CANNERY_TRY_ASSIGN(const storage::SavedModelContent content, storage::readSavedModel(folder));
    ExportFeatures features;
    const storage::MetaGraph* graph = servingGraph(content);
    if (graph == nullptr) {
        return features;
    }
    CANNERY_TRY_ASSIGN(const std::vector<storage::GraphNode> nodes,
                       storage::readGraphDef(graph->graph));
    const Known known(folder);
    for (const exporting::ParsedFeature& parsed : exporting::parsedFeatures(nodes)) {
        features.list.push_back(sentFeature(parsed, known));
    }
    features.areOfExamples = !features.list.empty();
    const auto predict = graph->signatures.find("predict");
    const auto any = predict != graph->signatures.end() ? predict : graph->signatures.begin();
    if (!features.areOfExamples && any != graph->signatures.end()) {
        for (const auto& [name, tensor] : any->second.inputs) {
            features.list.push_back(sentFeature(name, tensor, known));
        }
    }
    if (!features.list.empty()) {
        addRequest(*graph, features);
    }
    return features;
}

std::vector<std::string> featureLines(const ExportFeatures& features)
{
    if (features.list.empty()) {
        return {};
    }
    std::vector<std::string> lines{features.areOfExamples ? "features of a tf.Example"
                                                          : "features, one tensor each"};
    for (const ExportFeature& feature : features.list) {
        const std::string absent = feature.isRequired         ? "required"
                                   : feature.fallback.empty() ? "may be left out: no value"
                                                              : "left out: " + feature.fallback;
        lines.push_back(
            fmt::format("  {} {}{}, {}{}", feature.name, feature.dtype,
                        feature.values == "one" ? "" : " × " + feature.values, absent,
                        feature.column.empty() ? "" : fmt::format(" (column {})", feature.column)));
    }
    lines.push_back("request to TF Serving: " + features.path);
    lines.push_back("  " + features.request);
    return lines;
}

reports::Serving servingReport(const ExportFeatures& features)
{
    reports::Serving report;
    report.set_of_examples(features.areOfExamples);
    for (const ExportFeature& feature : features.list) {
        reports::ServedFeature& row = *report.add_features();
        row.set_name(feature.name);
        row.set_dtype(feature.dtype);
        row.set_values(feature.values);
        row.set_required(feature.isRequired);
        if (!feature.fallback.empty()) {
            reports::readReport(feature.fallback, *row.mutable_default_());
        }
        if (!feature.column.empty()) {
            row.set_column(feature.column);
        }
    }
    report.set_request(features.request);
    report.set_path(features.path);
    return report;
}

} // namespace cannery::app
