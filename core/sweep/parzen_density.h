// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/sweep/parameter_space.h"
#include "kernels/device/random.h"

#include <vector>

namespace cannery::sweep {

/// A density over the values of one parameter that is high where given values are: see
/// makeParzenSearch().
class ParzenDensity
{
public:
    /// `axis` outlives this object.
    ParzenDensity(const ParameterAxis& axis, const std::vector<double>& values);

    double draw(kernels::RandomStream& random) const;
    /// Of a range: in the axis' coordinate.
    double logDensity(double value) const;

private:
    /// A Gaussian, cut off at the ends of the range.
    struct Bump
    {
        double mean = 0;
        double width = 1;
        double inside = 1; ///< the share of it within the range
    };

    double length() const { return m_axis->highest() - m_axis->lowest(); }

    const ParameterAxis* m_axis;
    std::vector<Bump> m_bumps;    ///< of a range
    std::vector<double> m_shares; ///< of a choice
};

} // namespace cannery::sweep
