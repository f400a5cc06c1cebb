// SPDX-License-Identifier: Apache-2.0
#include "core/layers/normalization/group_normalization_layer.h"

namespace cannery::layers {

namespace {

constexpr ErrorKind kChannelGroups{
    "layers.channel_groups",
    "A layer group_normalization cannot cut the {} channels of '{}', of shape {}, into {} groups "
    "of "
    "equal size: give a number of groups that divides {}, or -1 for a group of each channel."};

} // namespace

GroupNormalizationLayer::GroupNormalizationLayer(const spec::GroupNormalizationLayer& message)
    : NormalizingLayer({.kind = "group_normalization",
                        .epsilon = message.epsilon(),
                        .scales = message.scale(),
                        .centers = message.center()}),
      m_groups(message.groups())
{}

std::int64_t GroupNormalizationLayer::groupsOf(std::int64_t channels) const
{
    return m_groups == -1 ? channels : m_groups;
}

Result<void> GroupNormalizationLayer::check(const graph::Value& input) const
{
    const std::int64_t channels = graph::rowShape(input).back();
    const std::int64_t groups = groupsOf(channels);
    if (groups < 1 || channels % groups != 0) {
        return fail(ErrorCode::InvalidArgument, kChannelGroups, channels, input.name,
                    graph::shapeText(input), m_groups, channels);
    }
    return {};
}

std::vector<kernels::GroupNormDimension>
GroupNormalizationLayer::dimensions(const std::vector<std::int64_t>& row) const
{
    std::vector<kernels::GroupNormDimension> result;
    for (std::size_t axis = 0; axis + 1 < row.size(); ++axis) {
        result.push_back({.size = row[axis], .isTogether = true});
    }
    const std::int64_t groups = groupsOf(row.back());
    result.push_back({.size = groups, .hasParameters = true});
    result.push_back({.size = row.back() / groups, .isTogether = true, .hasParameters = true});
    return result;
}

Shape GroupNormalizationLayer::parameterShape(const std::vector<std::int64_t>& row) const
{
    return {row.back()};
}

std::unique_ptr<Layer> makeGroupNormalizationLayer(const spec::Layer& message)
{
    return std::make_unique<GroupNormalizationLayer>(message.group_normalization());
}

} // namespace cannery::layers
