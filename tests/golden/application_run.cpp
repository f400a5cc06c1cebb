// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/application_run.h"

#include "core/base/check.h"
#include "core/estimators/estimator_catalog.h"
#include "core/plan/network.h"
#include "kernels/device/flush_denormals.h"
#include "storage/io/files.h"

#include <fmt/core.h>
#include <google/protobuf/text_format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace cannery::tests {

namespace {

using Json = nlohmann::json;

/// 64-bit FNV-1a (Fowler, Noll, Vo).
std::uint64_t fnv(const std::string& text)
{
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    }
    return hash;
}

/// Numbers from 0 to below 1: the upper 24 bits of SplitMix64 (Steele, Lea, Flood 2014).
class Uniform
{
public:
    explicit Uniform(const std::string& text) : m_state(fnv(text)) {}

    double next()
    {
        m_state += 0x9e3779b97f4a7c15U;
        std::uint64_t mixed = m_state;
        mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
        mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
        mixed ^= mixed >> 31U;
        return static_cast<double>(mixed >> 40U) / static_cast<double>(1U << 24U);
    }

private:
    std::uint64_t m_state;
};

/// What Keras puts around a picture before a window of 3 pixels that moves by 2.
void padAsKeras(spec::ZeroPadding2dLayer& layer, std::int64_t height, std::int64_t width)
{
    layer.clear_padding();
    for (const std::int64_t size : {height, width}) {
        layer.add_padding(size % 2 == 0 ? 0 : 1);
        layer.add_padding(1);
    }
}

void adapt(spec::NetworkGraph& graph, const Json& applicationCase)
{
    auto height = applicationCase["input_shape"][0].get<std::int64_t>();
    auto width = applicationCase["input_shape"][1].get<std::int64_t>();
    const bool isMobile = applicationCase["application"] == "MobileNetV2";
    for (spec::NetworkLayer& layer : *graph.mutable_layer()) {
        if (layer.name() == "input_1") {
            layer.mutable_reshape()->set_target_shape(0, height);
            layer.mutable_reshape()->set_target_shape(1, width);
            // The first convolution halves them.
            height = (height + 1) / 2;
            width = (width + 1) / 2;
        } else if (isMobile && layer.has_zero_padding_2d()) {
            padAsKeras(*layer.mutable_zero_padding_2d(), height, width);
            height = (height + 1) / 2;
            width = (width + 1) / 2;
        } else if (layer.name() == "predictions") {
            layer.mutable_dense()->set_units(applicationCase["arguments"].value("classes", 1000));
        } else if (layer.has_global_average_pooling_2d() &&
                   applicationCase["arguments"].value("pooling", "avg") == "max") {
            layer.mutable_global_max_pooling_2d();
            layer.set_name(applicationCase["output_layer"]);
        }
    }
}

void softmax(std::span<float> row)
{
    const float largest = *std::ranges::max_element(row);
    double sum = 0;
    for (float& value : row) {
        value = std::exp(value - largest);
        sum += double{value};
    }
    for (float& value : row) {
        value = static_cast<float>(double{value} / sum);
    }
}

} // namespace

std::vector<float> weightsByRule(const WeightRule& rule, const std::string& name,
                                 const Shape& shape)
{
    const auto count = static_cast<double>(shape.elementCount());
    const std::string kind = name.substr(name.rfind('/') + 1);
    Uniform uniform(rule.salt + "/" + name);
    double offset = 0;
    double factor = 0.1;
    if (kind == "kernel") {
        factor = rule.gain * std::sqrt(3.0 / (count / static_cast<double>(shape.dims.back())));
    } else if (kind == "depthwise_kernel") {
        factor = rule.gain * std::sqrt(3.0 / static_cast<double>(shape.dims[0] * shape.dims[1]));
    } else if (kind == "gamma") {
        offset = 1;
        factor = 0.25;
    } else if (kind == "moving_variance" || kind == "variance") {
        offset = 1;
        factor = 0.5;
    } else if (kind == "count") {
        factor = 0;
    }
    std::vector<float> values(static_cast<std::size_t>(shape.elementCount()));
    std::ranges::generate(
        values, [&] { return static_cast<float>(offset + (2 * uniform.next() - 1) * factor); });
    return values;
}

std::vector<float> pictureByRule(const std::string& salt, std::size_t count)
{
    Uniform uniform(salt + "/input");
    std::vector<float> values(count);
    std::ranges::generate(values,
                          [&] { return static_cast<float>(std::floor(256 * uniform.next())); });
    return values;
}

std::filesystem::path networkFileOf(const Json& applicationCase)
{
    const std::filesystem::path folder = CANNERY_SOURCE_DIR "/resources/networks";
    if (applicationCase["application"] == "ResNet50") {
        return folder / "resnet_50.txtpb";
    }
    if (applicationCase["application"] == "MobileNetV2") {
        const double alpha = applicationCase["arguments"].value("alpha", 1.0);
        return folder / fmt::format("mobilenet_v2_{:03}.txtpb", std::lround(100 * alpha));
    }
    return folder / applicationCase["application"].get<std::string>();
}

Result<std::unique_ptr<ApplicationRun>> ApplicationRun::create(const Json& applicationCase)
{
    auto run = std::make_unique<ApplicationRun>();
    run->m_rule = {.salt = applicationCase["salt"], .gain = applicationCase["gain"]};
    run->m_outputLayer = applicationCase["output_layer"];
    run->m_hasTop = applicationCase["arguments"]["include_top"];
    run->m_batch = applicationCase["batch"];
    run->m_pictureShape = applicationCase["input_shape"].get<std::vector<std::int64_t>>();

    spec::Experiment experiment;
    spec::FeatureColumn& column = *experiment.add_feature_column();
    column.set_name("image");
    column.mutable_numeric_column()->set_key("image");
    spec::CustomEstimator& estimator = *experiment.mutable_estimator()->mutable_custom_estimator();
    CANNERY_TRY_ASSIGN(const std::string text,
                       storage::readWholeFile(networkFileOf(applicationCase).string()));
    CANNERY_CHECK(google::protobuf::TextFormat::MergeFromString(text, &estimator));
    adapt(*estimator.mutable_graph(), applicationCase);
    for (const spec::NetworkLayer& layer : estimator.graph().layer()) {
        run->m_layers.push_back(layer.name());
    }
    estimator.add_feature_columns("image");
    estimator.mutable_optimizer()->mutable_sgd();
    estimator.mutable_head()->mutable_multi_class_head()->set_n_classes(
        estimator.graph().layer().rbegin()->dense().units());
    features::InputLayout layout;
    layout.slots = {{.kind = features::SlotKind::Dense,
                     .column = "image",
                     .tensorflowName = "image",
                     .width = Shape(run->m_pictureShape).elementCount()}};
    CANNERY_TRY_ASSIGN(run->m_model, estimators::lower(experiment, layout));
    return run;
}

bool ApplicationRun::isInCase(const graph::Variable& variable) const
{
    return m_hasTop || !variable.name.starts_with("predictions/");
}

std::int64_t ApplicationRun::parameters(bool areTrained) const
{
    std::int64_t count = 0;
    for (const graph::Variable& variable : m_model.graph.variables) {
        if (isInCase(variable) && (variable.trainable || !areTrained)) {
            count += variable.shape.elementCount();
        }
    }
    return count;
}

std::vector<float> ApplicationRun::output() const
{
    const graph::LayerGraph& graph = m_model.graph;
    auto network = *plan::Network::create(graph, {graph.variables.size(), plan::Training{}});
    const std::vector<std::int64_t> noCells(graph.variables.size(), 0);
    plan::Variables variables = *plan::Variables::create(graph, 1, {}, noCells);
    for (std::size_t i = 0; i < graph.variables.size(); ++i) {
        const graph::Variable& variable = graph.variables[i];
        std::ranges::copy(weightsByRule(m_rule, variable.name, variable.shape),
                          variables.span(static_cast<graph::VariableId>(i)).begin());
    }
    network->prepare(variables, m_batch);
    features::EncodedRows rows{.rowCount = m_batch};
    const std::int64_t width = Shape(m_pictureShape).elementCount();
    rows.dense = {
        {.width = width,
         .values = pictureByRule(m_rule.salt, static_cast<std::size_t>(m_batch * width))}};
    network->bindInputs(rows);
    kernels::ThreadPool pool(2);
    std::vector<layers::Worker> workers(2);
    const kernels::FlushDenormals flush; // as steps do, and TensorFlow
    network->forward(
        {.pool = pool, .workers = workers, .mode = layers::Mode::Evaluate, .rows = m_batch});
    const auto node = std::ranges::find(graph.nodes, m_outputLayer, &graph::Node::name);
    CANNERY_CHECK(node != graph.nodes.end());
    const kernels::ConstMatrixView values = network->valuesOf(node->output, m_batch);
    std::vector<float> output(values.data, values.data + values.rows * values.cols);
    for (std::int64_t row = 0; m_hasTop && row < values.rows; ++row) {
        softmax(std::span(output).subspan(static_cast<std::size_t>(row * values.cols),
                                          static_cast<std::size_t>(values.cols)));
    }
    return output;
}

} // namespace cannery::tests
