// SPDX-License-Identifier: Apache-2.0
#include "core/export/rounding.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace cannery::exporting {

namespace {

/// Enough for the largest of as many random sums to be of the size of their terms.
constexpr std::uint64_t kRuns = 8;

} // namespace

bool Rounding::allowsNumber(const std::string& key, std::size_t element, float got, double wanted)
{
    double most = 0;
    for (const NamedTensors& run : runs()) {
        const auto found = run.find(key);
        if (found != run.end() && element < found->second.values<float>().size()) {
            const auto moved = static_cast<double>(found->second.values<float>()[element]);
            most = std::max(most, std::abs(moved - static_cast<double>(got)));
        }
    }
    return std::abs(wanted - static_cast<double>(got)) <= most; // no for NaN
}

const std::vector<NamedTensors>& Rounding::runs()
{
    const bool isPerPrediction = m_signatures.front() != kPredictSignature;
    for (std::uint64_t seed = m_runs.size(); seed < kRuns; ++seed) {
        NamedTensors& all = m_runs.emplace_back();
        for (const std::string& signature : m_signatures) {
            Result<NamedTensors> moved =
                m_runner.runDisturbed(signature, m_inputs, static_cast<float>(kTolerance), seed);
            if (!moved) {
                continue; // it allows nothing
            }
            for (auto& [key, tensor] : *moved) {
                all.insert_or_assign(isPerPrediction ? signature : key, std::move(tensor));
            }
        }
    }
    return m_runs;
}

} // namespace cannery::exporting
