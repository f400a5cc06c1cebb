// SPDX-License-Identifier: Apache-2.0
#include "core/strategies/sum_options.h"

#include "core/base/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace cannery::strategies {

namespace {

constexpr std::int64_t kMebibyte = 1024 * 1024;
/// What passes through 10 Gbit/s while a message of no bytes travels: 0.4 ms.
constexpr std::int64_t kBytesPerWorker = kMebibyte / 2;
constexpr std::int64_t kLargestPack = 25 * kMebibyte; ///< as PyTorch's

constexpr ErrorKind kNotExact{"strategies.note_not_exact",
                              "Gradients are added up in an order that depends on the number of "
                              "workers ({0}): another number "
                              "trains other bits."};

} // namespace

SumOptions sumOptionsOf(const spec::Strategy& strategy)
{
    const spec::CommunicationOptions& options =
        strategy.multi_worker_mirrored().communication_options();
    const bool isOnGpus = options.implementation() == spec::CommunicationImplementation::NCCL;
    return {.isExact = isOnGpus || strategy.reduce() == spec::Reduction::exact,
            .isRing = options.implementation() == spec::CommunicationImplementation::RING,
            .bytesPerPack = options.bytes_per_pack()};
}

collectives::Summation summationOf(const SumOptions& options)
{
    if (options.isExact) {
        return collectives::Summation::Tree;
    }
    return options.isRing ? collectives::Summation::Ring : collectives::Summation::Quick;
}

coordinator::Note orderNote(int workers)
{
    return {.id = std::string(kNotExact.id),
            .sentence = fmt::format(fmt::runtime(kNotExact.sentence), workers)};
}

plan::PackSizes packSizesFor(const SumOptions& options, int workers)
{
    if (options.bytesPerPack > 0) {
        return {.first = options.bytesPerPack, .others = options.bytesPerPack};
    }
    return {.first = kMebibyte,
            .others = std::clamp(workers * kBytesPerWorker, kMebibyte, kLargestPack)};
}

} // namespace cannery::strategies
