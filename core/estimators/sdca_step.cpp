// SPDX-License-Identifier: Apache-2.0
#include "core/estimators/sdca_step.h"

#include "core/base/check.h"
#include "core/base/fingerprint.h"
#include "core/data/rows/keyed_permutation.h"
#include "core/plan/lane.h"
#include "kernels/device/random.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

namespace cannery::estimators {

namespace {

constexpr ErrorKind kLabel{
    "estimators.sdca_label",
    "Row {} of a batch has the label {}, and the dual variables of linear_sdca belong to labels of "
    "0 or 1. Use another optimizer for probabilities."};

/// A row that was drawn is drawn again with a tenth of its probability, as in TensorFlow's
/// Examples::SampleAdaptiveProbabilities (sdca_internal.cc).
constexpr double kDecay = 0.1;

} // namespace

SdcaStep::SdcaStep(SdcaOptions options)
    : m_options(std::move(options)), m_tables(static_cast<std::size_t>(m_options.tables))
{
    std::int64_t count = 0;
    for (const SdcaOptions::Column& column : m_options.columns) {
        m_firsts.push_back(count);
        count += column.width;
    }
    m_unshrunk.resize(static_cast<std::size_t>(count));
    m_changes.resize(static_cast<std::size_t>(count));
}

/// As TensorFlow's table chooses its shard.
DualTable& SdcaStep::tableOf(Fingerprint128 id)
{
    const auto key = static_cast<std::int64_t>(id.low >= 2 ? id.low : id.low + ~std::uint64_t{1});
    const std::int64_t magnitude = key < 0 ? static_cast<std::int64_t>(0 - id.low) : key;
    const std::int64_t left = magnitude % m_options.tables;
    return m_tables[static_cast<std::size_t>(left < 0 ? left + m_options.tables : left)];
}

/// Soft threshold: the weights that the model uses are those of L2 alone, moved towards 0 by L1.
double SdcaStep::shrunk(double weight) const
{
    return std::copysign(std::max(std::abs(weight) - m_options.l1 / m_options.l2, 0.0), weight);
}

Result<void> SdcaStep::takeTargets(const features::EncodedRows& batch)
{
    m_targets.assign(batch.labels.begin(), batch.labels.end());
    if (m_options.loss == SdcaLoss::Squared) {
        return {};
    }
    for (std::size_t row = 0; row < m_targets.size(); ++row) {
        double& target = m_targets[row];
        if (target != 0 && target != 1) {
            return fail(ErrorCode::InvalidArgument, kLabel, row, target);
        }
        // Labels 0 and 1 are targets -1 and 1.
        target = 2 * target - 1;
    }
    return {};
}

void SdcaStep::takeWeights(const features::EncodedRows& batch, const plan::OwnStepContext& context)
{
    if (!context.classWeights.empty()) {
        plan::weighByClass(batch, context.classWeights, m_weights);
    } else if (!batch.weights.empty()) {
        m_weights = batch.weights;
    } else {
        m_weights.assign(static_cast<std::size_t>(batch.rowCount), 1.0F);
    }
}

/// Ids below 0 are dropped, repeated ones added up.
void SdcaStep::takeIds(const features::IdBlock& block, std::size_t row, std::int64_t first)
{
    const std::size_t begin = m_entries.size();
    for (std::int64_t at = block.rowOffsets[row]; at < block.rowOffsets[row + 1]; ++at) {
        const auto i = static_cast<std::size_t>(at);
        // An id outside of the vocabulary has no weight.
        if (block.ids[i] < 0) {
            continue;
        }
        const std::int64_t feature = first + block.ids[i];
        const float value = block.weights.empty() ? 1.0F : block.weights[i];
        const auto known =
            std::find_if(m_entries.begin() + static_cast<std::ptrdiff_t>(begin), m_entries.end(),
                         [feature](const Entry& entry) { return entry.feature == feature; });
        if (known != m_entries.end()) {
            known->value += value;
        } else {
            m_entries.push_back({feature, value});
        }
    }
}

void SdcaStep::takeEntries(const features::EncodedRows& batch)
{
    m_entries.clear();
    m_entryEnds.clear();
    for (std::size_t row = 0; row < static_cast<std::size_t>(batch.rowCount); ++row) {
        for (std::size_t i = 0; i < m_options.columns.size(); ++i) {
            const SdcaOptions::Column& column = m_options.columns[i];
            if (column.isBias) {
                m_entries.push_back({m_firsts[i], 1.0F});
            } else if (!column.isDense) {
                takeIds(batch.ids[column.block], row, m_firsts[i]);
            } else {
                const float* values = batch.dense[column.block].values.data() +
                                      row * static_cast<std::size_t>(column.width);
                for (std::int64_t k = 0; k < column.width; ++k) {
                    m_entries.push_back({m_firsts[i] + k, values[k]});
                }
            }
        }
        m_entryEnds.push_back(m_entries.size());
    }
}

double SdcaStep::squaredNorm(std::size_t row) const
{
    double sum = 0;
    for (std::size_t i = row == 0 ? 0 : m_entryEnds[row - 1]; i < m_entryEnds[row]; ++i) {
        const auto value = static_cast<double>(m_entries[i].value);
        sum += value * value;
    }
    return sum;
}

/// Other partitions are assumed to change the weights as much as this one has: see
/// num_loss_partitions in TensorFlow's Example::ComputeWxAndWeightedExampleNorm.
SdcaStep::Logits SdcaStep::logitsOf(std::size_t row) const
{
    Logits logits;
    for (std::size_t i = row == 0 ? 0 : m_entryEnds[row - 1]; i < m_entryEnds[row]; ++i) {
        const auto feature = static_cast<std::size_t>(m_entries[i].feature);
        const auto value = static_cast<double>(m_entries[i].value);
        const auto weight = static_cast<double>(m_unshrunk[feature]);
        const double change =
            static_cast<double>(m_changes[feature]) * static_cast<double>(m_options.partitions);
        logits.before += value * shrunk(weight);
        logits.now += value * shrunk(weight + change);
    }
    return logits;
}

/// Probabilities by the dual's distance from its best; then what was not drawn, largest first.
void SdcaStep::drawByGap(const features::EncodedRows& batch, std::uint64_t seed)
{
    const std::size_t rows = m_order.size();
    std::vector<double> sums(rows);
    std::vector<double> probabilities(rows);
    double total = 0;
    for (std::size_t row = 0; row < rows; ++row) {
        const Fingerprint128 id = batch.exampleIds[row];
        const double gap = static_cast<double>(tableOf(id).add(id).dual) +
                           primalDerivative(m_options.loss, logitsOf(row).now, m_targets[row]);
        const double length =
            std::sqrt(squaredNorm(row) + m_options.l2 * smoothness(m_options.loss));
        probabilities[row] = static_cast<double>(m_weights[row]) * length * std::abs(gap);
        total += probabilities[row];
        sums[row] = total;
    }
    // Without any gap there is nothing to prefer.
    if (!(total > 0) || !std::isfinite(total)) {
        return; // in the order that is there
    }
    kernels::RandomStream random(seed);
    std::vector<int> draws(rows, 0);
    std::size_t next = 0;
    // Refused draws are counted over all rows, as TensorFlow does.
    for (std::size_t failures = 0; next < rows && failures < rows;) {
        const double place = static_cast<double>(random.nextBits64() >> 11U) * 0x1p-53 * total;
        // The row whose part of the total the drawn number falls into.
        const auto found = std::upper_bound(sums.begin(), sums.end(), place);
        const auto row = static_cast<std::size_t>(
            std::min<std::ptrdiff_t>(found - sums.begin(), static_cast<std::ptrdiff_t>(rows) - 1));
        if (static_cast<double>(random.nextUniform()) > std::pow(kDecay, draws[row])) {
            ++failures;
            continue;
        }
        ++draws[row];
        m_order[next++] = static_cast<std::int64_t>(row);
    }
    std::vector<std::int64_t> left;
    for (std::size_t row = 0; row < rows; ++row) {
        if (draws[row] == 0) {
            left.push_back(static_cast<std::int64_t>(row));
        }
    }
    std::ranges::stable_sort(left, [&](std::int64_t a, std::int64_t b) {
        return probabilities[static_cast<std::size_t>(a)] >
               probabilities[static_cast<std::size_t>(b)];
    });
    left.resize(std::min(left.size(), rows - next));
    std::ranges::copy(left, m_order.begin() + static_cast<std::ptrdiff_t>(next));
}

void SdcaStep::chooseOrder(const features::EncodedRows& batch, const plan::OwnStepContext& context)
{
    const std::uint64_t seed =
        data::permutationKey(fingerprintCat64(fingerprint64("sdca"), context.seed),
                             static_cast<std::uint64_t>(context.step));
    m_order.resize(static_cast<std::size_t>(batch.rowCount));
    // The order is a function of seed and step, so a resumed run visits rows in the same one.
    data::KeyedPermutation(batch.rowCount, seed).fill(0, m_order);
    if (m_options.isAdaptive) {
        drawByGap(batch, seed);
    }
}

void SdcaStep::visit(std::size_t row, Fingerprint128 id)
{
    ExampleState& state = tableOf(id).add(id);
    const Logits logits = logitsOf(row);
    const auto dual = static_cast<double>(state.dual);
    const auto weight = static_cast<double>(m_weights[row]);
    const double target = m_targets[row];
    const double norm = squaredNorm(row) / m_options.l2;
    const double updated =
        updatedDual(m_options.loss, {.target = target,
                                     .weight = weight,
                                     .dual = dual,
                                     .wx = logits.now,
                                     .norm = norm * static_cast<double>(m_options.partitions)});
    // The primal weights are those of the dual: w = sum(dual x) / l2.
    const double move = (updated - dual) * weight / m_options.l2;
    for (std::size_t i = row == 0 ? 0 : m_entryEnds[row - 1]; i < m_entryEnds[row]; ++i) {
        float& change = m_changes[static_cast<std::size_t>(m_entries[i].feature)];
        // A change that has come back to 0 is listed twice; the second time moves nothing.
        if (change == 0.0F) {
            m_changed.push_back(m_entries[i].feature);
        }
        change += static_cast<float>(move * static_cast<double>(m_entries[i].value));
    }
    // The losses are those before the update, as TensorFlow stores them.
    state = {.dual = static_cast<float>(updated),
             .primalLoss =
                 static_cast<float>(primalLoss(m_options.loss, logits.before, target) * weight),
             .dualLoss = static_cast<float>(dualLoss(m_options.loss, dual, target) * weight),
             .weight = m_weights[row]};
}

void SdcaStep::moveWeights(plan::Variables& variables)
{
    std::vector<std::span<float>> weights;
    for (const SdcaOptions::Column& column : m_options.columns) {
        weights.push_back(variables.span(column.weights));
    }
    for (const std::int64_t index : m_changed) {
        const auto feature = static_cast<std::size_t>(index);
        // Unshrunk weights are state, so that L1 is applied to what L2 alone has made.
        m_unshrunk[feature] += m_changes[feature];
        m_changes[feature] = 0.0F;
        const auto column = static_cast<std::size_t>(
            std::upper_bound(m_firsts.begin(), m_firsts.end(), index) - m_firsts.begin() - 1);
        weights[column][feature - static_cast<std::size_t>(m_firsts[column])] =
            static_cast<float>(shrunk(static_cast<double>(m_unshrunk[feature])));
    }
    m_changed.clear();
}

Result<double> SdcaStep::train(const features::EncodedRows& batch,
                               const plan::OwnStepContext& context)
{
    CANNERY_CHECK(static_cast<std::int64_t>(batch.exampleIds.size()) == batch.rowCount);
    CANNERY_TRY(takeTargets(batch));
    takeWeights(batch, context);
    context.network.forward({.pool = context.pool,
                             .workers = context.workers,
                             .rows = batch.rowCount,
                             .seed = context.seed,
                             .step = static_cast<std::uint64_t>(context.step)});
    heads::HeadBatch scored = plan::headBatch(
        batch, context.head, context.network.valuesOf(m_options.logits, batch.rowCount));
    scored.weights = kernels::matrixView(std::span<const float>(m_weights), batch.rowCount, 1);
    const double loss = context.head.loss(context.pool, scored, {});
    // One row that is not a number would make all weights so.

    if (std::isnan(loss)) {
        return loss;
    }
    takeEntries(batch);
    for (DualTable& table : m_tables) {
        // Here, as visiting must not allocate.
        table.reserve(batch.rowCount);
    }
    chooseOrder(batch, context);
    for (const std::int64_t row : m_order) {
        const auto index = static_cast<std::size_t>(row);
        visit(index, batch.exampleIds[index]);
    }
    moveWeights(context.variables);
    return loss;
}

void SdcaStep::addState(std::vector<plan::StateTensor>& state, plan::Variables& /*variables*/)
{
    for (std::size_t i = 0; i < m_options.columns.size(); ++i) {
        const SdcaOptions::Column& column = m_options.columns[i];
        const std::span<float> values = std::span(m_unshrunk)
                                            .subspan(static_cast<std::size_t>(m_firsts[i]),
                                                     static_cast<std::size_t>(column.width));
        state.push_back({.name = column.name + "_unshrunk",
                         .shape = column.shape,
                         .bytes = std::as_writable_bytes(values),
                         .optimizerState = true});
    }
    for (std::size_t i = 0; i < m_tables.size(); ++i) {
        m_tables[i].addState(
            fmt::format("ShardedMutableHashTable-{}-of-{}", i + 1, m_tables.size()), state);
    }
}

void SdcaStep::addSummaries(std::vector<plan::ModelSummary>& summaries,
                            plan::Variables& variables) const
{
    double gap = 0;
    double weights = 0;
    std::int64_t seen = 0;
    for (const DualTable& table : m_tables) {
        seen += table.size();
        // Buckets without an example hold zeros and add nothing.
        for (const ExampleState& state : table.states()) {
            gap += static_cast<double>(state.primalLoss) + static_cast<double>(state.dualLoss);
            weights += static_cast<double>(state.weight);
        }
    }
    for (const SdcaOptions::Column& column : m_options.columns) {
        // gap += l1 |w| + l2 w², the regularization of primal and dual together.
        for (const float value : variables.span(column.weights)) {
            const auto weight = static_cast<double>(value);
            gap += m_options.l1 * std::abs(weight) + m_options.l2 * weight * weight;
        }
    }
    summaries.push_back(
        {.tag = "approximate_duality_gap", .scalar = static_cast<float>(gap / weights)});
    summaries.push_back({.tag = "examples_seen", .scalar = static_cast<float>(seen)});
}

} // namespace cannery::estimators
