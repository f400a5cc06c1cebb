// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/export/graph_runner/graph_runner.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cannery::exporting {

/// The largest difference between two computations of a number, relative to the sizes of what it
/// is computed from.
inline constexpr double kTolerance = 1e-5;

/// The signature of all predictions at once.
inline constexpr std::string_view kPredictSignature = "predict";

/// How far the predictions of a SavedModel are rounding. The distance of 3,000,001 from 3,000,000
/// is the sum of terms of 1e13, whose last bits are larger than the distance: two computations of
/// the same agree no better than their terms do. Found by runs in which each number on the way is
/// moved by the tolerance, when it is first asked for.
class Rounding
{
public:
    /// `signatures`: "predict", or one for each prediction, under its key.
    Rounding(GraphRunner& runner, std::vector<std::string> signatures, const NamedTensors& inputs)
        : m_runner(runner), m_signatures(std::move(signatures)), m_inputs(inputs)
    {}

    /// Whether a prediction of float32 that is `got` may as well be `wanted`.
    bool allowsNumber(const std::string& key, std::size_t element, float got, double wanted);
    /// Whether any other prediction may as well be what the predicate accepts.
    template <typename Predicate>
    bool allows(const std::string& key, const Predicate& isWanted)
    {
        for (const NamedTensors& run : runs()) {
            if (const auto found = run.find(key); found != run.end() && isWanted(found->second)) {
                return true;
            }
        }
        return false;
    }

private:
    const std::vector<NamedTensors>& runs();

    GraphRunner& m_runner;
    std::vector<std::string> m_signatures;
    const NamedTensors& m_inputs;
    std::vector<NamedTensors> m_runs;
};

} // namespace cannery::exporting
