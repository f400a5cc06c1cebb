// SPDX-License-Identifier: Apache-2.0
#include "core/layers/normalization/batch_normalization_layer.h"

namespace cannery::layers {

namespace {

/// Sums on an accelerator: what each member of the group has, and where this one puts its own. Null
/// for one that is alone.
struct PlacedSums
{
    double* all = nullptr; ///< [members, count]
    double* own = nullptr;
    std::int64_t count = 0;
};

PlacedSums placedSums(const Placement& placement, std::int64_t count)
{
    const kernels::GroupRank member = placement.across;
    if (member.size == 1) {
        return {};
    }
    // Scratch of bytes; doubles because the moments of members are merged in double.
    auto* const all = reinterpret_cast<double*>(
        placement.program.scratch(member.size * count * std::int64_t{sizeof(double)}));
    return {.all = all, .own = all + member.rank * count, .count = count};
}

/// They come together in each member; doubles travel as pairs of floats.
void placeGather(const Placement& placement, const PlacedSums& sums)
{
    constexpr std::int64_t kFloats = sizeof(double) / sizeof(float);
    placement.program.add(
        kernels::GatherParts{.group = placement.across,
                             .values = reinterpret_cast<float*>(sums.all),
                             .count = placement.across.size * sums.count * kFloats},
        placement.label);
}

} // namespace

bool BatchNormalizationLayer::isPlaceable() const
{
    return m_scales && m_centers && !isTurned() && !isMasked() && !m_isFrozen;
}

kernels::DeviceBatchNorm BatchNormalizationLayer::placedParameters(const Placement& placement) const
{
    const kernels::AcceleratorProgram& program = placement.program;
    const kernels::BatchNormParameters known = parameters(placement.mode);
    return {.gamma = program.at(known.gamma.data()),
            .beta = program.at(known.beta.data()),
            .mean = program.at(known.mean.data()),
            .variance = program.at(known.variance.data()),
            .epsilon = known.epsilon};
}

/// As the tree of plan::Sharding, if members look at the batches of all.
void BatchNormalizationLayer::placeMoments(const Placement& placement, kernels::ConstMatrixView src)
{
    kernels::AcceleratorProgram& program = placement.program;
    float* const mean = program.at(m_mean.data());
    float* const variance = program.at(m_variance.data());
    const PlacedSums sums = placedSums(placement, kernels::partialMomentsSize(src.cols));
    // Null until the members' rows are known: the kernel then takes the rows of its own batch.
    m_placedMomentRows = nullptr;
    program.add(
        kernels::BatchMoments{.src = src, .mean = mean, .variance = variance, .partial = sums.own},
        placement.label);
    if (sums.all == nullptr) {
        return;
    }
    // Every member merges all parts in the same order, so that all have the same bits.
    placeGather(placement, sums);
    auto* const rows = reinterpret_cast<double*>(program.scratch(sizeof(double)));
    program.add(kernels::MergeMoments{.parts = sums.all,
                                      .partCount = placement.across.size,
                                      .cols = src.cols,
                                      .mean = mean,
                                      .variance = variance,
                                      .rows = rows},
                placement.label);
    m_placedMomentRows = rows;
}

Result<void> BatchNormalizationLayer::placeForward(const Placement& placement)
{
    if (!isPlaceable()) {
        return Layer::placeForward(placement);
    }
    kernels::AcceleratorProgram& program = placement.program;
    const kernels::ConstMatrixView src =
        program.at(byLastAxis(m_buffers.inputs[0]->values(placement.rows), m_width));
    if (placement.mode == Mode::Train) {
        placeMoments(placement, src);
    }
    program.add(kernels::BatchNormalize{.parameters = placedParameters(placement),
                                        .src = src,
                                        .dst = program.at(byLastAxis(
                                            m_buffers.output->output(placement.rows), m_width))},
                placement.label);
    return {};
}

/// Or working memory, if it is not trained.
float* BatchNormalizationLayer::placedGradientOf(std::size_t index,
                                                 const Placement& placement) const
{
    if (const auto* gradient = m_buffers.variables[index].gradient; gradient != nullptr) {
        return placement.program.at(gradient->front().dense.data);
    }
    return placement.program.scratchFloats(m_width);
}

Result<void> BatchNormalizationLayer::placeBackward(const Placement& placement)
{
    kernels::AcceleratorProgram& program = placement.program;
    const kernels::DeviceBatchNorm known = placedParameters(placement);
    const kernels::ConstMatrixView src =
        program.at(byLastAxis(m_buffers.inputs[0]->values(placement.rows), m_width));
    const kernels::ConstMatrixView dstGrad =
        program.at(byLastAxis(m_buffers.output->gradient(placement.rows), m_width));
    float* gammaGrad = placedGradientOf(*m_places.gamma, placement);
    float* betaGrad = placedGradientOf(*m_places.beta, placement);
    const bool goesOn = m_buffers.inputs[0]->grad != nullptr;
    // Nothing before this layer is trained: the sums of the others are not needed.
    const PlacedSums sums = goesOn ? placedSums(placement, 2 * src.cols) : PlacedSums();
    program.add(kernels::BatchNormParameterGradients{.parameters = known,
                                                     .src = src,
                                                     .dstGrad = dstGrad,
                                                     .gammaGrad = gammaGrad,
                                                     .betaGrad = betaGrad,
                                                     .partial = sums.own},
                placement.label);
    if (!goesOn) {
        return {};
    }
    if (sums.all != nullptr) { // the member's own stay: the step adds them up as all others
        placeGather(placement, sums);
        gammaGrad = program.scratchFloats(src.cols);
        betaGrad = program.scratchFloats(src.cols);
        program.add(kernels::MergeBatchNormGradients{.parameters = known,
                                                     .parts = sums.all,
                                                     .partCount = placement.across.size,
                                                     .cols = src.cols,
                                                     .gammaGrad = gammaGrad,
                                                     .betaGrad = betaGrad},
                    placement.label);
    }
    program.add(
        kernels::BatchNormSrcGradient{.parameters = known,
                                      .src = src,
                                      .dstGrad = dstGrad,
                                      .gammaGrad = gammaGrad,
                                      .betaGrad = betaGrad,
                                      .srcGrad = program.at(byLastAxis(
                                          m_buffers.inputs[0]->gradient(placement.rows), m_width)),
                                      .momentRows = m_placedMomentRows},
        placement.label);
    return {};
}

void BatchNormalizationLayer::placeStatistics(const Placement& placement)
{
    kernels::AcceleratorProgram& program = placement.program;
    const auto place = [&](std::size_t moving, std::span<const float> batch, float factor) {
        program.add(
            kernels::UpdateMoving{.moving = program.at(variable(moving).data()),
                                  .batch = program.at(batch.data()),
                                  .size = m_width,
                                  .momentum = m_momentum,
                                  // The shards' moments were added up; the moving ones follow their
                                  // mean.
                                  .batchScale = factor / static_cast<float>(placement.shards)},
            placement.label);
    };
    place(m_places.movingMean, m_mean, 1.0F);
    place(m_places.movingVariance, m_variance,
          unbiased(placement.rows * perRow() * placement.across.size));
}

} // namespace cannery::layers
