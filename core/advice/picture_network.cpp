// SPDX-License-Identifier: Apache-2.0
#include "core/advice/picture_network.h"

#include <fmt/core.h>

#include <algorithm>

namespace cannery::advice {

namespace {

constexpr std::int64_t kFirstFilters = 16;
constexpr std::int64_t kMostFilters = 128;
/// Pixels of a side that are left for the dense layer.
constexpr std::int64_t kFewestPixels = 8;
constexpr std::int64_t kHiddenUnits = 64;

spec::NetworkLayer& addLayer(spec::NetworkGraph& graph, std::string name)
{
    spec::NetworkLayer& layer = *graph.add_layer();
    layer.set_name(std::move(name));
    return layer;
}

void addBlock(spec::NetworkGraph& graph, int number, std::int64_t filters)
{
    spec::Conv2dLayer& convolution =
        *addLayer(graph, fmt::format("conv{}", number)).mutable_conv_2d();
    convolution.set_filters(filters);
    convolution.add_kernel_size(3);
    convolution.set_padding(spec::Padding::same);
    convolution.set_activation(spec::Activation::relu);
    addLayer(graph, fmt::format("pool{}", number)).mutable_max_pooling_2d()->add_pool_size(2);
}

void setHead(spec::Head& head, const LabelChoice& label)
{
    if (label.task == LabelTask::MultiClass) {
        spec::MultiClassHead& classes = *head.mutable_multi_class_head();
        classes.set_n_classes(label.classes);
        *classes.mutable_label_vocabulary() = {label.vocabulary.begin(), label.vocabulary.end()};
    } else {
        *head.mutable_binary_class_head()->mutable_label_vocabulary() = {label.vocabulary.begin(),
                                                                         label.vocabulary.end()};
    }
}

} // namespace

const spec::FeatureColumn* pictureColumn(const StartingExperiment& starting)
{
    // Beside other columns a picture is a part of a network that has no template yet.
    if (starting.picture.empty() || starting.columns.deep.size() != 1) {
        return nullptr;
    }
    const auto& columns = starting.experiment.feature_column();
    const auto found = std::ranges::find(columns, starting.picture, &spec::FeatureColumn::name);
    return found != columns.end() ? &*found : nullptr;
}

void setPictureNetwork(spec::CustomEstimator& estimator, const spec::FeatureColumn& picture,
                       const LabelChoice& label, double dropout)
{
    setHead(*estimator.mutable_head(), label);
    estimator.add_feature_columns(picture.name());
    spec::NetworkGraph& graph = *estimator.mutable_graph();
    addLayer(graph, "columns").mutable_input_layer();
    const auto& shape = picture.numeric_column().shape();
    *addLayer(graph, "picture").mutable_reshape()->mutable_target_shape() = shape;
    std::int64_t height = shape[0];
    std::int64_t width = shape[1];
    std::int64_t filters = kFirstFilters;
    int block = 1;
    do {
        addBlock(graph, block++, filters);
        filters = std::min(2 * filters, kMostFilters);
        height /= 2;
        width /= 2;
    } while (std::min(height, width) >= 2 && std::max(height, width) > kFewestPixels);
    addLayer(graph, "flatten").mutable_flatten();
    if (dropout > 0) {
        addLayer(graph, "dropout").mutable_dropout()->set_rate(dropout);
    }
    spec::DenseLayer& hidden = *addLayer(graph, "hidden").mutable_dense();
    hidden.set_units(kHiddenUnits);
    hidden.set_activation(spec::Activation::relu);
    addLayer(graph, "logits")
        .mutable_dense()
        ->set_units(label.task == LabelTask::MultiClass ? label.classes : 1);
}

} // namespace cannery::advice
