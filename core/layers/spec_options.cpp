// SPDX-License-Identifier: Apache-2.0
#include "core/layers/spec_options.h"

#include "core/base/check.h"

namespace cannery::layers {

kernels::Activation activationOf(spec::Activation::Function function)
{
    // The schema and the kernels use the same names for functions: TensorFlow's.
    const auto activation = kernels::activationFromName(spec::Activation::Function_Name(function));
    CANNERY_CHECK(activation.has_value());
    return *activation;
}

kernels::Combiner combinerOf(spec::Combiner::Kind kind)
{
    switch (kind) {
    case spec::Combiner::sum:
        return kernels::Combiner::Sum;
    case spec::Combiner::mean:
        return kernels::Combiner::Mean;
    case spec::Combiner::sqrtn:
        return kernels::Combiner::Sqrtn;
    }
    return kernels::Combiner::Mean;
}

} // namespace cannery::layers
