// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/estimators/kmeans_start.h"
#include "core/plan/device/own_step.h"
#include "kernels/ops/nearest_centers.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cannery::estimators {

struct KMeansOptions
{
    std::int64_t clusters = 0;
    kernels::CenterDistance distance = kernels::CenterDistance::SquaredEuclidean;
    KMeansStart start = KMeansStart::Random;
    std::vector<float> given;         ///< of KMeansStart::Given: [clusters, width]
    std::optional<std::int64_t> seed; ///< the run's if unset
    bool miniBatch = true;
    std::int64_t stepsPerIteration = 1; ///< 1 unless miniBatch
    std::int64_t retries = 2;           ///< of KMeansStart::PlusPlus
    std::optional<double> tolerance;

    graph::ValueId columns = -1;   ///< the input layer's
    graph::ValueId points = -1;    ///< the same in one matrix, of length 1 for the cosine
    std::int64_t width = 0;        ///< of a point
    std::size_t nodesOfPoints = 0; ///< the first nodes of the graph, which compute points
    graph::VariableId centers = -1;

    /// Whether the variable's centers have length 1, as TensorFlow keeps them except in plain
    /// mini-batches.
    bool keepsUnitLength() const
    {
        return distance == kernels::CenterDistance::Cosine && (!miniBatch || stepsPerIteration > 1);
    }
    /// Whether centers are divided by their lengths before distances from them are measured.
    bool dividesCenters() const
    {
        return distance == kernels::CenterDistance::Cosine && !keepsUnitLength();
    }
};

/// A step of k-means as TensorFlow's clustering_ops.KMeans takes it (estimator-canon 1.7): rows are
/// assigned to the nearest center, then
///   full batch:  c = sum of its rows / (count + 1e-6)
///   mini-batch:  c += (sum of its k rows - k c) / (n + k);  n += k
/// where n is 1 at first. With several steps an iteration, n is 0 at first, the updates go to
/// `clusters_updated`, and every so many steps these become the centers, before the step. The first
/// centers are chosen in the first step, from its batch, on the host. Sums are in double, over the
/// rows in order, on an accelerator as kernels::SumByCenter has it.
///
/// State besides `clusters`, which is empty before the first step: `initialized`; in mini-batches
/// `Variable`, the counts; with several steps an iteration `clusters_updated` and
/// `update_in_steps`. Summaries `loss/raw` and `loss`.
class KMeansStep : public plan::OwnStep, public plan::PlacedOwnStep
{
public:
    explicit KMeansStep(KMeansOptions options);

    /// Errors: "estimators.kmeans_rows" if the first batch has too few rows to start from.
    Result<double> train(const features::EncodedRows& batch,
                         const plan::OwnStepContext& context) override;
    std::optional<std::string> end() const override;
    bool mayEnd() const override { return m_options.tolerance.has_value(); }
    plan::PlacedOwnStep* onAccelerator() override { return this; }
    void addState(std::vector<plan::StateTensor>& state, plan::Variables& variables) override;
    void addSummaries(std::vector<plan::ModelSummary>& summaries,
                      plan::Variables& variables) const override;

    bool hasStarted() const override { return m_isInitialized; }
    /// Errors: "estimators.kmeans_rows".
    Result<void> start(const features::EncodedRows& batch,
                       const plan::OwnStepContext& context) override;
    std::vector<std::span<std::byte>> memory() override;
    Result<void> place(const plan::OwnStepPlacement& placement) override;
    void takeLoss(double loss) override;

private:
    /// What a step on an accelerator works with, there.
    struct Placed
    {
        kernels::ConstMatrixView points;
        kernels::MatrixView centers;
        kernels::MatrixView moved; ///< the centers, or those that become them
        std::int64_t* counts = nullptr;
    };
    bool hasCopy() const { return m_options.stepsPerIteration > 1; }
    /// What a checkpoint has of `values`, of shape `full`; it may be empty.
    Result<void> restore(const Shape& shape, std::span<const std::byte> content, const Shape& full,
                         std::span<float> values);
    bool isOneMatrix(const plan::Network& network) const;
    std::size_t nodesToRun(const plan::Network& network) const;
    kernels::ConstMatrixView pointsIn(const plan::Network& network, std::int64_t rows) const;
    kernels::ConstMatrixView pointsOf(const features::EncodedRows& batch,
                                      const plan::OwnStepContext& context) const;
    Result<void> start(kernels::ConstMatrixView points, const plan::OwnStepContext& context);
    bool countStep();
    void beginIteration(kernels::MatrixView centers);
    kernels::ConstMatrixView ofUnitLength(kernels::ConstMatrixView centers);
    void assign(kernels::ConstMatrixView points, kernels::ConstMatrixView centers,
                kernels::ThreadPool& pool);
    void sumRows(kernels::ConstMatrixView rows, kernels::ThreadPool& pool);
    void moveToMeans(kernels::MatrixView centers);
    void moveTowardsMeans(kernels::MatrixView centers);
    void placeBeginning(kernels::AcceleratorProgram& program, const Placed& placed);
    const std::int32_t* placeNearest(const layers::Placement& placement, const Placed& placed,
                                     double* loss) const;
    void placeMove(kernels::AcceleratorProgram& program, const Placed& placed,
                   const std::int32_t* nearest) const;

    KMeansOptions m_options;
    bool m_isInitialized = false;
    std::vector<std::int64_t> m_counts; ///< per center, of mini-batches
    std::vector<float> m_updated;       ///< [clusters, width] with several steps an iteration
    std::int64_t m_updateInSteps = 0;
    double m_loss = 0;
    std::optional<double> m_previousLoss;

    // Of the current batch.
    double m_lossOfBatch = 0;
    std::vector<float> m_divided;        ///< centers of length 1
    std::vector<std::int32_t> m_nearest; ///< of a chunk of rows, as the next
    std::vector<float> m_distance;
    std::vector<double> m_sums; ///< [clusters, width]
    std::vector<std::int64_t> m_rowsOf;
};

} // namespace cannery::estimators
