// SPDX-License-Identifier: Apache-2.0
#include "core/parameters/trained_parts.h"

#include "core/optimizers/optimizer_catalog.h"
#include "core/spec/optimizers.pb.h"
#include "kernels/device/flush_denormals.h"
#include "kernels/ops/vector_ops.h"

#include <algorithm>
#include <utility>

namespace cannery::parameters {

namespace {

/// Where the tree over `count` > 1 gradients divides, as between replicas: after the largest power
/// of two below `count`.
std::size_t leftPart(std::size_t count)
{
    std::size_t left = 1;
    while (2 * left < count) {
        left *= 2;
    }
    return left;
}

std::size_t sizeOf(const wire::Segment& segment, std::int64_t cols)
{
    const std::int64_t elements =
        segment.rows() < 0 ? segment.count() : segment.rows() * (cols + 1); // with the row's number
    return static_cast<std::size_t>(elements) * sizeof(float);
}

template <typename T>
std::span<const T> view(std::span<const std::byte> bytes, std::size_t count)
{
    return {reinterpret_cast<const T*>(bytes.data()), count};
}

} // namespace

Result<void> TrainedParts::layOut(const wire::Setup& setup)
{
    for (const wire::Optimizer& message : setup.optimizer()) {
        spec::Optimizer parsed;
        if (!parsed.ParseFromString(message.message())) {
            return fail(ErrorCode::InvalidArgument, kBadSetup, "an optimizer cannot be read");
        }
        CANNERY_TRY_ASSIGN(auto optimizer, optimizers::makeOptimizer(parsed, setup.seed()));
        m_optimizers.push_back(std::move(optimizer));
        if (!setScalars(m_optimizers.size() - 1, message)) {
            return fail(ErrorCode::InvalidArgument, kBadSetup, "an optimizer has other numbers");
        }
    }
    for (const wire::Part& part : setup.part()) {
        const bool isTrained = part.optimizer() >= 0;
        if (part.optimizer() >= static_cast<int>(m_optimizers.size()) || part.cols() < 1 ||
            part.count() < 0 || part.count() % part.cols() != 0 || m_partOf.contains(part.id())) {
            return fail(ErrorCode::InvalidArgument, kBadSetup,
                        "a part of a variable is impossible");
        }
        m_partOf[part.id()] = m_parts.size();
        const std::size_t slots =
            isTrained ? m_optimizers[static_cast<std::size_t>(part.optimizer())]->slots().size()
                      : 0;
        m_parts.emplace_back(part, slots);
        m_ids.push_back(part.id());
    }
    return {};
}

std::vector<std::span<float>> TrainedParts::contents()
{
    std::vector<std::span<float>> all;
    for (StoredPart& part : m_parts) {
        all.emplace_back(part.memory());
    }
    return all;
}

bool TrainedParts::setScalars(std::size_t optimizer, const wire::Optimizer& message)
{
    const auto scalars = m_optimizers[optimizer]->scalars();
    if (static_cast<std::size_t>(message.scalar_size()) != scalars.size()) {
        return false;
    }
    for (std::size_t i = 0; i < scalars.size(); ++i) {
        scalars[i].value = message.scalar(static_cast<int>(i));
    }
    return true;
}

std::uint64_t TrainedParts::changedBytes() const
{
    std::uint64_t bytes = 0;
    for (const StoredPart& part : m_parts) {
        bytes += part.changedBytes();
    }
    return bytes;
}

void TrainedParts::takeChanges(wire::Changes& changes, std::vector<std::byte>& payload)
{
    payload.reserve(payload.size() + changedBytes());
    for (std::size_t part = 0; part < m_parts.size(); ++part) {
        m_parts[part].takeChanges(m_ids[part], changes, payload);
    }
}

void TrainedParts::clearMarks()
{
    for (StoredPart& part : m_parts) {
        part.clearMarks();
    }
}

bool TrainedParts::putChanges(const wire::Changes& changes, std::span<const std::byte>& payload)
{
    return std::ranges::all_of(changes.rows(), [&](const wire::Rows& rows) {
        return hasPart(rows.part()) && m_parts[index(rows.part())].putChanges(rows, payload);
    });
}

std::optional<std::size_t> TrainedParts::payloadSize(const wire::Push& push) const
{
    std::size_t size = 0;
    for (const wire::Segment& segment : push.segment()) {
        const auto found = m_partOf.find(segment.part());
        if (found == m_partOf.end()) {
            return std::nullopt;
        }
        const StoredPart& part = m_parts[found->second];
        const auto elements = static_cast<std::int64_t>(part.values().size());
        if (segment.first() < 0 || segment.count() < 0 || segment.first() > elements ||
            segment.count() > elements - segment.first() ||
            (segment.rows() >= 0 && (segment.rows() > segment.count() / part.cols() ||
                                     segment.count() % part.cols() != 0 || part.optimizer() < 0))) {
            return std::nullopt;
        }
        size += sizeOf(segment, part.cols());
    }
    return size;
}

bool TrainedParts::hasItsRows(const wire::Push& push, std::span<const std::byte> payload) const
{
    for (const wire::Segment& segment : push.segment()) {
        const std::int64_t cols = m_parts[index(segment.part())].cols();
        if (segment.rows() >= 0) {
            const auto rows = view<std::int32_t>(payload, static_cast<std::size_t>(segment.rows()));
            const std::int64_t end = segment.count() / cols;
            if (std::ranges::any_of(rows,
                                    [&](std::int64_t row) { return row < 0 || row >= end; })) {
                return false;
            }
        }
        payload = payload.subspan(sizeOf(segment, cols));
    }
    return true;
}

std::vector<TrainedParts::Gradient> TrainedParts::gradientsOf(const Contribution& contribution,
                                                              bool sync,
                                                              std::vector<std::size_t>& parts) const
{
    std::vector<Gradient> gradients;
    std::span<const std::byte> rest = contribution.payload;
    for (const wire::Segment& segment : contribution.push.segment()) {
        const std::size_t at = index(segment.part());
        const StoredPart& part = m_parts[at];
        const auto bytes = rest.first(sizeOf(segment, part.cols()));
        rest = rest.subspan(bytes.size());
        if (part.isSync() != sync) {
            continue;
        }
        parts.push_back(at);
        Gradient& gradient = gradients.emplace_back();
        gradient.first = segment.first();
        gradient.count = segment.count();
        gradient.isSparse = segment.rows() >= 0;
        if (!gradient.isSparse) {
            gradient.dense = view<float>(bytes, bytes.size() / sizeof(float));
            continue;
        }
        const auto rows = static_cast<std::size_t>(segment.rows());
        const auto numbers = view<std::int32_t>(bytes, rows);
        const auto values = view<float>(bytes.subspan(numbers.size_bytes()),
                                        rows * static_cast<std::size_t>(part.cols()));
        gradient.sparse.cols = part.cols();
        gradient.sparse.rows.assign(numbers.begin(), numbers.end());
        gradient.sparse.values.assign(values.begin(), values.end());
    }
    return gradients;
}

void TrainedParts::apply(const Contribution& contribution)
{
    std::vector<std::size_t> parts;
    const std::vector<Gradient> gradients = gradientsOf(contribution, false, parts);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        apply(parts[i], gradients[i]);
    }
}

std::vector<TrainedParts::Gradient>
TrainedParts::sum(std::span<const Contribution* const> contributions,
                  std::vector<std::size_t>& parts)
{
    if (contributions.size() == 1) {
        return gradientsOf(*contributions.front(), true, parts);
    }
    const std::size_t left = leftPart(contributions.size());
    std::vector<Gradient> total = sum(contributions.first(left), parts);
    std::vector<std::size_t> partsOfOthers;
    const std::vector<Gradient> other = sum(contributions.subspan(left), partsOfOthers);
    for (std::size_t i = 0; i < total.size() && i < other.size(); ++i) {
        Gradient& mine = total[i];
        if (mine.isSparse) {
            const StoredPart& part = m_parts[parts[i]];
            kernels::SparseGradient added;
            kernels::addSparse(mine.sparse, other[i].sparse, part.rows(), m_scratch, added);
            mine.sparse = std::move(added);
        } else {
            mine.sum.resize(mine.dense.size());
            std::ranges::transform(mine.dense, other[i].dense, mine.sum.begin(), std::plus<>());
            mine.dense = mine.sum;
        }
    }
    return total;
}

void TrainedParts::applyMean(std::span<const Contribution* const> contributions)
{
    std::vector<std::size_t> parts;
    std::vector<Gradient> gradients = sum(contributions, parts);
    const kernels::VectorKernels& vector = kernels::vectorKernels();
    const float share = 1.0F / static_cast<float>(contributions.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        Gradient& gradient = gradients[i];
        if (contributions.size() > 1) {
            vector.scale(m_pool, gradient.isSparse ? gradient.sparse.values : gradient.sum, share);
        }
        apply(parts[i], gradient);
    }
}

void TrainedParts::apply(std::size_t index, const Gradient& gradient)
{
    const kernels::FlushDenormals flush;
    StoredPart& part = m_parts[index];
    if (part.optimizer() >= 0) {
        return train(part, gradient);
    }
    // Without an optimizer, what was pushed is a change, not a gradient.
    kernels::vectorKernels().axpy(
        m_pool, 1.0F, gradient.dense,
        part.values().subspan(static_cast<std::size_t>(gradient.first), gradient.dense.size()));
    part.markElements(gradient.first, gradient.count);
}

void TrainedParts::train(StoredPart& part, const Gradient& gradient)
{
    const optimizers::Optimizer& optimizer =
        *m_optimizers[static_cast<std::size_t>(part.optimizer())];
    const auto first = static_cast<std::size_t>(gradient.first);
    const auto count = static_cast<std::size_t>(gradient.count);
    const auto slot = [&](std::size_t number) {
        return number < part.slots() ? part.slot(number).subspan(first, count) : std::span<float>();
    };
    const kernels::OptimizerSlots slots{.first = slot(0), .second = slot(1), .third = slot(2)};
    const std::span<float> weights = part.values().subspan(first, count);
    if (gradient.isSparse) {
        const auto rows = static_cast<std::int64_t>(count) / part.cols();
        optimizer.applySparse(m_pool, kernels::matrixView(weights, rows, part.cols()), slots,
                              gradient.sparse);
    } else {
        optimizer.applyDense(m_pool, weights, slots, gradient.dense);
    }
    if (optimizer.keepsAverages()) {
        optimizer.average(m_pool, weights, slot(part.slots() - 1));
    }
    // Rows without a gradient move as well with some optimizers, and averages of all rows do:
    // then the whole range has to be written to the log.
    if (gradient.isSparse && !optimizer.movesEveryRow() && !optimizer.keepsAverages()) {
        part.markRows(gradient.first / part.cols(), gradient.sparse.rows);
    } else {
        part.markElements(gradient.first, gradient.count);
    }
}

} // namespace cannery::parameters
