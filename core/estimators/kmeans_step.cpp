// SPDX-License-Identifier: Apache-2.0
#include "core/estimators/kmeans_step.h"

#include "core/base/fingerprint.h"
#include "core/layers/inputs/points_layer.h"
#include "kernels/math/center_formulas.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace cannery::estimators {

namespace {

constexpr ErrorKind kTooFewRows{
    "estimators.kmeans_rows",
    "The first centers are rows of the first batch, which has {} rows for {} clusters. Raise the "
    "batch_size of train_spec.input, lower num_clusters, or give the first centers."};

constexpr ErrorKind kOtherCenters{
    "estimators.kmeans_restore",
    "The checkpoint has centers of shape {}, and the experiment those of {}. Use the experiment "
    "that it was trained with, or another model_dir."};

/// Columns that one block sums.
constexpr std::int64_t kBlockColumns = 16;
/// Rows are assigned and then summed, some at a time, so that they are still in a near cache when
/// they are read again.
constexpr std::int64_t kFloatsOfChunk = 256 * 1024;
constexpr std::int64_t kFewestRowsOfChunk = 1024;
/// Numbers that are added in one instruction.
constexpr std::int64_t kAtOnce = 4;

/// Rows [rows, columns of `sums`] added to the sums of their centers, in order.
void addRows(kernels::ConstMatrixView rows, std::span<const std::int32_t> centerOf, double* sums,
             std::int64_t stride)
{
    for (std::int64_t row = 0; row < rows.rows; ++row) {
        double* sum = sums + centerOf[static_cast<std::size_t>(row)] * stride;
        const float* values = rows.at(row);
        std::int64_t column = 0;
        for (; column + kAtOnce <= rows.cols; column += kAtOnce) {
            for (std::int64_t i = 0; i < kAtOnce; ++i) {
                sum[column + i] += static_cast<double>(values[column + i]);
            }
        }
        for (; column < rows.cols; ++column) {
            sum[column] += static_cast<double>(values[column]);
        }
    }
}

} // namespace

KMeansStep::KMeansStep(KMeansOptions options) : m_options(std::move(options))
{
    const auto clusters = static_cast<std::size_t>(m_options.clusters);
    if (m_options.miniBatch) {
        // TensorFlow's counts begin at 1 without a copy, and are cleared at each iteration with
        // one.
        m_counts.assign(clusters, hasCopy() ? 0 : 1);
    }
    if (hasCopy()) {
        m_updated.resize(clusters * static_cast<std::size_t>(m_options.width));
    }
    m_updateInSteps = m_options.stepsPerIteration;
    m_rowsOf.resize(clusters);
}

/// Whether the rows lie in one matrix before the last node of points copies them into one.
bool KMeansStep::isOneMatrix(const plan::Network& network) const
{
    const layers::ValueBuffer& columns = network.buffer(m_options.columns);
    // A cosine distance needs the rows divided by their length, hence a copy.
    return m_options.distance == kernels::CenterDistance::SquaredEuclidean &&
           columns.runs.size() == 1 && !columns.runs.front().isIndicator();
}

std::size_t KMeansStep::nodesToRun(const plan::Network& network) const
{
    return m_options.nodesOfPoints - (isOneMatrix(network) ? 1 : 0);
}

/// The rows where they lie, if that is one matrix.
kernels::ConstMatrixView KMeansStep::pointsIn(const plan::Network& network, std::int64_t rows) const
{
    return isOneMatrix(network)
               ? network.buffer(m_options.columns).runs.front().source->values(rows)
               : network.valuesOf(m_options.points, rows);
}

kernels::ConstMatrixView KMeansStep::pointsOf(const features::EncodedRows& batch,
                                              const plan::OwnStepContext& context) const
{
    const layers::StepContext step{.pool = context.pool,
                                   .workers = context.workers,
                                   .rows = batch.rowCount,
                                   .seed = context.seed,
                                   .step = static_cast<std::uint64_t>(context.step)};
    context.network.forward(step, 0, nodesToRun(context.network));
    return pointsIn(context.network, batch.rowCount);
}

Result<void> KMeansStep::start(const features::EncodedRows& batch,
                               const plan::OwnStepContext& context)
{
    return start(pointsOf(batch, context), context);
}

Result<void> KMeansStep::start(kernels::ConstMatrixView points, const plan::OwnStepContext& context)
{
    const kernels::MatrixView centers = context.variables.values(m_options.centers);
    if (m_options.start != KMeansStart::Given && points.rows < m_options.clusters) {
        return fail(ErrorCode::FailedPrecondition, kTooFewRows, points.rows, m_options.clusters);
    }
    const std::uint64_t chosen =
        m_options.seed ? static_cast<std::uint64_t>(*m_options.seed) : context.seed;
    // A seed of its own for this purpose, so that it shares no random numbers with other uses of
    // the run's seed.
    const std::uint64_t seed = fingerprintCat64(fingerprint64("clusters"), chosen);
    if (m_options.start == KMeansStart::Given) {
        std::ranges::copy(m_options.given, centers.data);
    } else if (m_options.start == KMeansStart::Random) {
        startAtRandom(points, seed, centers);
    } else {
        startFarApart(points, seed, m_options.retries, context.pool, centers);
    }
    if (m_options.distance == kernels::CenterDistance::Cosine) {
        layers::divideByLength(centers);
    }
    if (hasCopy()) {
        std::copy_n(centers.data, m_updated.size(), m_updated.begin());
    }
    m_isInitialized = true;
    return {};
}

/// Whether it begins an iteration.
bool KMeansStep::countStep()
{
    // Counts down, as TensorFlow's variable update_in_steps in the checkpoint.
    if (m_updateInSteps > 0) {
        --m_updateInSteps;
        return false;
    }
    m_updateInSteps = m_options.stepsPerIteration - 1;
    return true;
}

/// Every so many steps what was updated becomes the centers.
void KMeansStep::beginIteration(kernels::MatrixView centers)
{
    if (!countStep()) {
        return;
    }
    std::ranges::copy(m_updated, centers.data);
    if (m_options.distance == kernels::CenterDistance::Cosine) {
        layers::divideByLength(centers);
    }
    std::ranges::fill(m_counts, 0);
}

/// The centers themselves, or divided by their lengths if those are needed and not 1.
kernels::ConstMatrixView KMeansStep::ofUnitLength(kernels::ConstMatrixView centers)
{
    if (!m_options.dividesCenters()) {
        return centers;
    }
    m_divided.assign(centers.data, centers.data + centers.rows * centers.cols);
    const kernels::MatrixView divided =
        kernels::matrixView(std::span<float>(m_divided), centers.rows, centers.cols);
    layers::divideByLength(divided);
    return divided;
}

/// Assigns all rows to centers and adds them up, and their distances.
void KMeansStep::assign(kernels::ConstMatrixView points, kernels::ConstMatrixView centers,
                        kernels::ThreadPool& pool)
{
    centers = ofUnitLength(centers);
    const kernels::NearestCentersKernels& kernels =
        kernels::nearestCentersKernels({.depth = centers.cols, .centers = centers.rows});
    m_lossOfBatch = 0;
    m_sums.assign(static_cast<std::size_t>(m_options.clusters * points.cols), 0.0);
    std::ranges::fill(m_rowsOf, 0);
    const std::int64_t chunk =
        std::max(kFewestRowsOfChunk, kFloatsOfChunk / std::max<std::int64_t>(points.cols, 1));
    for (std::int64_t first = 0; first < points.rows; first += chunk) {
        const std::int64_t count = std::min(chunk, points.rows - first);
        const kernels::ConstMatrixView rows = points.slice(first, count);
        m_nearest.resize(static_cast<std::size_t>(count));
        m_distance.resize(static_cast<std::size_t>(count));
        kernels.nearest(pool, m_options.distance, rows, centers, m_nearest, m_distance);
        sumRows(rows, pool);
    }
}

/// Each block sums some columns over all rows, and the last one everything else, so the order is
/// that of the rows.
void KMeansStep::sumRows(kernels::ConstMatrixView rows, kernels::ThreadPool& pool)
{
    const std::int64_t blocks = (rows.cols + kBlockColumns - 1) / kBlockColumns;
    const auto sumBlock = [&](std::int64_t block, int /*worker*/) {
        if (block < blocks) {
            const std::int64_t first = block * kBlockColumns;
            addRows(rows.columns(first, std::min(kBlockColumns, rows.cols - first)), m_nearest,
                    m_sums.data() + first, rows.cols);
            return;
        }
        double loss = m_lossOfBatch;
        for (std::size_t row = 0; row < m_nearest.size(); ++row) {
            // Summed in the order of the rows by one block, however many threads there are.
            loss += static_cast<double>(m_distance[row]);
            ++m_rowsOf[static_cast<std::size_t>(m_nearest[row])];
        }
        m_lossOfBatch = loss;
    };
    pool.parallelFor(blocks + 1, sumBlock);
}

void KMeansStep::moveToMeans(kernels::MatrixView centers)
{
    for (std::int64_t center = 0; center < centers.rows; ++center) {
        const double* sum = m_sums.data() + center * centers.cols;
        const std::int64_t rows = m_rowsOf[static_cast<std::size_t>(center)];
        std::transform(sum, sum + centers.cols, centers.at(center),
                       [rows](double value) { return kernels::meanOfRows(value, rows); });
    }
    if (m_options.distance == kernels::CenterDistance::Cosine) {
        layers::divideByLength(centers);
    }
}

void KMeansStep::moveTowardsMeans(kernels::MatrixView centers)
{
    for (std::int64_t center = 0; center < centers.rows; ++center) {
        const std::int64_t rows = m_rowsOf[static_cast<std::size_t>(center)];
        std::int64_t& count = m_counts[static_cast<std::size_t>(center)];
        // A center without rows stays where it is.
        if (rows == 0) {
            continue;
        }
        const double* sum = m_sums.data() + center * centers.cols;
        for (std::int64_t column = 0; column < centers.cols; ++column) {
            float& value = centers.at(center)[column];
            value = kernels::movedTowardsRows(value, sum[column], rows, count);
        }
        count += rows;
    }
}

Result<double> KMeansStep::train(const features::EncodedRows& batch,
                                 const plan::OwnStepContext& context)
{
    const kernels::ConstMatrixView points = pointsOf(batch, context);
    if (!m_isInitialized) {
        CANNERY_TRY(start(points, context));
    }
    const kernels::MatrixView centers = context.variables.values(m_options.centers);
    if (hasCopy()) {
        beginIteration(centers);
    }
    assign(points, centers, context.pool);
    takeLoss(m_lossOfBatch);
    if (!m_options.miniBatch) {
        moveToMeans(centers);
    } else if (hasCopy()) {
        moveTowardsMeans(
            kernels::matrixView(std::span<float>(m_updated), centers.rows, centers.cols));
    } else {
        moveTowardsMeans(centers);
    }
    return m_loss;
}

void KMeansStep::takeLoss(double loss)
{
    // 0 is TensorFlow's "no loss yet".
    m_previousLoss = m_loss != 0 ? std::optional(m_loss) : std::nullopt;
    m_loss = loss;
}

std::optional<std::string> KMeansStep::end() const
{
    if (!m_options.tolerance || !m_previousLoss) {
        return std::nullopt;
    }
    // Relative to 1 + |loss|, so that a loss near 0 does not keep it going.
    const double change = std::abs(m_loss - *m_previousLoss) / (1 + std::abs(*m_previousLoss));
    if (!(change < *m_options.tolerance)) {
        return std::nullopt;
    }
    return fmt::format("The loss changed by less than the relative_tolerance of {}.",
                       *m_options.tolerance);
}

Result<void> KMeansStep::restore(const Shape& shape, std::span<const std::byte> content,
                                 const Shape& full, std::span<float> values)
{
    // Shape {0} is a center variable before the first step.
    if (shape != full && shape != Shape{0}) {
        return fail(ErrorCode::InvalidArgument, kOtherCenters, shape.toString(), full.toString());
    }
    m_isInitialized = shape == full;
    if (m_isInitialized) {
        std::memcpy(values.data(), content.data(), content.size());
    }
    return {};
}

void KMeansStep::addState(std::vector<plan::StateTensor>& state, plan::Variables& variables)
{
    const kernels::MatrixView centers = variables.values(m_options.centers);
    const Shape full{centers.rows, centers.cols};
    const auto size = static_cast<std::size_t>(centers.rows * centers.cols);
    /// Either empty, as TensorFlow has it before the first step, or of full size.
    const auto resizable = [&](plan::StateTensor tensor, std::span<float> values) {
        tensor.shape = m_isInitialized ? full : Shape{0};
        tensor.bytes = m_isInitialized ? std::as_writable_bytes(values) : std::span<std::byte>();
        return tensor;
    };
    for (plan::StateTensor& tensor : state) {
        if (tensor.name == "clusters") {
            tensor = resizable(std::move(tensor), {centers.data, size});
            tensor.restore = [this, centers, full](const Shape& shape,
                                                   std::span<const std::byte> content) {
                return restore(shape, content, full,
                               {centers.data, static_cast<std::size_t>(full.elementCount())});
            };
        }
    }
    state.push_back({.name = "initialized",
                     .dtype = DType::Bool,
                     .bytes = std::as_writable_bytes(std::span(&m_isInitialized, 1)),
                     .optimizerState = true});
    if (m_options.miniBatch) {
        state.push_back({.name = "Variable",
                         .dtype = DType::Int64,
                         .shape = Shape{m_options.clusters},
                         .bytes = std::as_writable_bytes(std::span(m_counts)),
                         .optimizerState = true});
    }
    if (hasCopy()) {
        plan::StateTensor updated =
            resizable({.name = "clusters_updated", .optimizerState = true}, m_updated);
        updated.restore = [this, full](const Shape& shape, std::span<const std::byte> content) {
            return restore(shape, content, full, m_updated);
        };
        state.push_back(std::move(updated));
        state.push_back({.name = "update_in_steps",
                         .dtype = DType::Int64,
                         .bytes = std::as_writable_bytes(std::span(&m_updateInSteps, 1)),
                         .optimizerState = true});
    }
}

void KMeansStep::addSummaries(std::vector<plan::ModelSummary>& summaries,
                              plan::Variables& /*variables*/) const
{
    summaries.push_back({.tag = "loss/raw", .scalar = static_cast<float>(m_loss)});
    summaries.push_back({.tag = "loss", .scalar = static_cast<float>(m_loss)});
}

} // namespace cannery::estimators
