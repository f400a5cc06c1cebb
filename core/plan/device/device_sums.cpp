// SPDX-License-Identifier: Apache-2.0
#include "core/plan/device/device_sums.h"

#include "core/layers/placement.h"
#include "core/plan/sharding.h"
#include "kernels/accelerator/bodies/element.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace cannery::plan {

namespace {

constexpr std::string_view kLabel = "replicas";

void placeDense(kernels::AcceleratorProgram& program, std::span<float> parts,
                kernels::GroupRank member)
{
    const auto count = static_cast<std::int64_t>(parts.size());
    const kernels::bodies::Part own = kernels::bodies::partOf(count, member.rank, member.size);
    float* const values = program.at(parts.data());
    float* const received = program.scratchFloats(member.size * (own.end - own.begin));
    program.add(
        kernels::ExchangeParts{
            .group = member, .values = values, .count = count, .received = received},
        kLabel);
    program.add(kernels::SumParts{.parts = received,
                                  .partCount = member.size,
                                  .count = own.end - own.begin,
                                  .sum = values + own.begin},
                kLabel);
    program.add(kernels::GatherParts{.group = member, .values = values, .count = count}, kLabel);
}

/// The sum of these gradients, of the same table.
kernels::DeviceSparse placeTree(kernels::AcceleratorProgram& program,
                                std::span<const kernels::DeviceSparse> parts,
                                std::string_view label)
{
    if (parts.size() == 1) {
        return parts.front();
    }
    const auto left = static_cast<std::size_t>(leftPart(static_cast<std::int64_t>(parts.size())));
    const kernels::DeviceSparse a = placeTree(program, parts.first(left), label);
    const kernels::DeviceSparse b = placeTree(program, parts.subspan(left), label);
    const kernels::DeviceSparse sum = layers::placedRows(
        program, std::min(a.capacity + b.capacity, a.tableRows), a.cols, a.tableRows);
    program.add(kernels::AddSparse{.a = a, .b = b, .sum = sum}, label);
    return sum;
}

kernels::DeviceSparse placeSparse(kernels::AcceleratorProgram& program,
                                  const kernels::DeviceSparse& own, kernels::GroupRank member,
                                  std::string_view label)
{
    const std::int64_t rows = member.size * own.capacity;
    const kernels::GatherSparse gather{.group = member,
                                       .own = own,
                                       .rows = reinterpret_cast<std::int32_t*>(program.scratch(
                                           rows * std::int64_t{sizeof(std::int32_t)})),
                                       .values = program.scratchFloats(rows * own.cols),
                                       .counts = reinterpret_cast<std::int64_t*>(program.scratch(
                                           member.size * std::int64_t{sizeof(std::int64_t)}))};
    program.add(gather, label);
    std::vector<kernels::DeviceSparse> all(static_cast<std::size_t>(member.size), own);
    for (std::int64_t i = 0; i < member.size; ++i) {
        kernels::DeviceSparse& part = all[static_cast<std::size_t>(i)];
        part.rows = gather.rows + i * own.capacity;
        part.values = gather.values + i * own.capacity * own.cols;
        part.count = gather.counts + i;
    }
    return placeTree(program, all, label);
}

} // namespace

void placeSums(kernels::AcceleratorProgram& program, Network& network,
               const graph::LayerGraph& graph, kernels::GroupRank member, const PackSizes& sizes)
{
    if (member.size == 1) {
        return;
    }
    for (const Pack& pack : network.gradients().packs(sizes)) {
        placeDense(program,
                   network.gradients().denseParts().subspan(static_cast<std::size_t>(pack.first),
                                                            static_cast<std::size_t>(pack.count)),
                   member);
    }
    for (std::size_t id = 0; id < graph.variables.size(); ++id) {
        VariableGradient* const gradient =
            network.gradients().of(static_cast<graph::VariableId>(id));
        if (gradient == nullptr) {
            continue;
        }
        for (layers::GradientSegment& segment : gradient->segments()) {
            if (segment.sparse) {
                segment.placed =
                    placeSparse(program, segment.placed, member, graph.variables[id].name);
            }
        }
    }
}

} // namespace cannery::plan
